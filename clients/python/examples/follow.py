"""List the sessions of a folder, append to the latest one, and show what others change.

python follow.py [FOLDER]
"""

import asyncio
import sys
import time

from sessiond_client import Sessiond, SessionDidChangeParams, UserMessage


async def main(folder: str) -> None:
    async with Sessiond() as client:
        listing = await client.session_list(folder)
        for info in listing.sessions:
            print(f"{info.modified}  {info.message_count:4} messages  {info.first_message}")
        if not listing.sessions:
            return
        session = await client.session_open(listing.sessions[0].path)
        changes = session.changes()

        # Another program could do this; here it is another handle.
        other = await client.session_open(listing.sessions[0].path)
        content = "hello from another handle"
        await other.append_message(UserMessage(content=content, timestamp=int(time.time() * 1000)))

        async for change in changes:
            if isinstance(change, SessionDidChangeParams):
                print(
                    f"{change.kind}: now {change.entry_count} entries, the last is {change.tip_id}"
                )
                break


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "."))
