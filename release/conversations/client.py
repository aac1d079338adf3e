"""Hold one conversation with the daemon, using the Python client."""

from sessiond_client.blocking import Sessiond

with Sessiond() as client:
    session = client.session_in_memory(cwd="/")
    session.append_message({"role": "user", "content": "hello"})
    for message in session.build_session_context().messages:
        print(f"{message.role}: {message.content}")
