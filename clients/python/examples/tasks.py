"""Twelve things that programs do with sessions, each in a few lines.

python tasks.py FOLDER
"""

import asyncio
import os
import signal
import sys

from sessiond_client import Sessiond, user_text
from sessiond_client.errors import LeafConflict


async def main(folder: str) -> None:
    async with Sessiond() as client:
        # List the sessions of a folder.
        listed = [info async for info in client.sessions(folder)]
        print("list:", len(listed))

        # Search in them.
        hits = [hit async for hit in client.search("hello", cwd=folder)]
        print("search:", len(hits))

        # Open the latest.
        session = await client.session_continue_recent(folder)
        read_to = session.tip_id
        print("open:", session.state.entry_count)

        # Follow what others append.
        path = listed[0].path
        other = await client.session_open(path)
        await other.append_message(user_text("from elsewhere"))
        change = await anext(session.changes())
        print("follow:", change.kind)

        # Append, unless somebody else has appended meanwhile.
        try:
            await session.append_message(user_text("mine"), expected_tip_id=read_to)
        except LeafConflict as conflict:
            print("append:", conflict.kind)
            # Read what is new, and try again: `tip_id` is current.
            mine = await session.append_message(user_text("mine"), expected_tip_id=session.tip_id)
            print("again:", mine.id == session.tip_id)

        # Go on from an earlier entry: the next append begins a branch.
        first = (await session.get_entries(limit=1)).entries[0].id or ""
        await session.branch(first)
        print("branch:", session.leaf_id == first)

        # Copy a branch into a session of its own.
        fork = await client.session_fork_from(path, folder, leaf_id=first)
        print("fork:", fork.state.entry_count)

        # Label an entry.
        await session.append_label_change(first, label="start")
        print("label:", (await session.get_label(first)).label)

        # Name the session.
        await session.append_session_info("Greetings")
        print("rename:", (await session.get_session_name()).name)

        # Export it as Markdown, or as one HTML page.
        exported = await client.catalog_export("markdown", session=session)
        print("export:", "hello" in (exported.content or ""))

        # Add up tokens and costs.
        usage = await client.catalog_usage(cwd=folder, by="model")
        print("usage:", usage.session_count)

        # Nothing is to be done when the daemon ends: it is started again, with all that was open.
        os.kill(await client.pid(), signal.SIGKILL)
        print("recover:", (await session.get_leaf_id()).leaf_id == session.leaf_id)


asyncio.run(main(sys.argv[1]))
