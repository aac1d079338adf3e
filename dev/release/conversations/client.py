"""Hold one conversation with the daemon, using the Python client."""

from sessiond_client import UserMessage, user_text
from sessiond_client.blocking import Sessiond

with Sessiond() as client:
    session = client.session_in_memory(cwd="/")
    session.append_message(user_text("hello"))
    for message in session.build_session_context().messages:
        if isinstance(message, UserMessage):
            print(f"{message.role}: {message.content}")
