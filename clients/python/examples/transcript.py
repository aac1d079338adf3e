"""Print the conversation up to the leaf of the latest session of a folder, without asyncio.

python transcript.py [FOLDER]
"""

import sys

from sessiond_client import (
    AssistantMessage,
    Content,
    SessionMessageEntry,
    TextContent,
    UserMessage,
)
from sessiond_client.blocking import Sessiond


def text_of(content: Content) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.text for block in content if isinstance(block, TextContent))


def main(folder: str) -> None:
    with Sessiond() as client:
        for info in client.session_list(folder, limit=1).sessions:
            session = client.session_open(info.path, read_only=True)
            for entry in session.get_branch().entries:
                if not isinstance(entry, SessionMessageEntry):
                    continue
                match entry.message:
                    case UserMessage(content=content):
                        print("you:  ", text_of(content))
                    case AssistantMessage(content=content):
                        print("agent:", text_of(content))
                    case _:
                        pass


main(sys.argv[1] if len(sys.argv) > 1 else ".")
