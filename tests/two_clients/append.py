"""Append to a session until a file exists, and print each id: python append.py FILE NAME END."""

import asyncio
import sys
from pathlib import Path

from sessiond_client import Sessiond
from sessiond_client.contract import UserMessage
from sessiond_client.errors import SessiondError


async def main(path: str, name: str, end: str) -> None:
    async with Sessiond() as client:
        while True:
            try:
                session = await client.session_open(path)
                break
            except SessiondError as error:
                # Whether it was opened is unknown if the daemon ended meanwhile.
                print(error, file=sys.stderr)
        number = 0
        while not Path(end).exists():
            message = UserMessage(content=f"{name} {number}", timestamp=1767225600000)
            print((await session.append_message(message)).id, flush=True)
            number += 1


asyncio.run(main(*sys.argv[1:]))
