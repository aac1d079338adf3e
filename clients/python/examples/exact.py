"""Send JSON byte for byte, and read it back unchanged.

python exact.py
"""

import asyncio

from sessiond_client import Raw, Sessiond, raw_json
from sessiond_client.errors import LeafConflict


async def main() -> None:
    async with Sessiond() as client, await client.session_in_memory() as session:
        message = rb'{"role":"user","content":"half \ud83d","n":123456789012345678901234567890}'
        first = await session.append_message(Raw(message))
        result = await session.get_entry(first.id)
        print(raw_json(result.entry).decode())

        await session.append_message({"role": "user", "content": "meanwhile"})
        try:
            await session.append_model_change("openai", "gpt-5", expected_leaf_id=first.id)
        except LeafConflict as conflict:
            print(f"the leaf is no longer {conflict.expected}")


asyncio.run(main())
