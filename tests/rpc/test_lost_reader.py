"""Requests of a client that stopped reading are still carried out."""

import asyncio
import os

import attrs
from support.client import DEADLINE

from sessiond.rpc.connection import Connection


@attrs.define
class Work:
    """Takes messages in while there is room."""

    has_room: bool = True
    busy: bool = False
    unfinished: int = 0
    received: list[object] = attrs.field(factory=list)
    first: asyncio.Event = attrs.field(factory=asyncio.Event)

    def receive(self, event: object) -> None:
        self.received.append(event)
        self.has_room = False
        self.first.set()

    def start_next(self) -> bool:
        return False

    def cancel_all(self) -> None:
        raise AssertionError


async def test_messages_in_the_pipe_are_received_after_the_reader_disconnects():
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    connection, work = Connection("line"), Work()
    serving = asyncio.create_task(connection.run(server_in, server_out, work))
    try:
        os.write(client_out, b'{"first":1}\n')
        await asyncio.wait_for(work.first.wait(), DEADLINE)
        # There is no room for more, so the connection has stopped reading.
        os.write(client_out, b'{"second":2}\n')
        work.has_room = True
        os.close(client_in)
        assert await asyncio.wait_for(serving, DEADLINE) == 0
        assert work.received == [b'{"first":1}', b'{"second":2}']
    finally:
        serving.cancel()
        for descriptor in (server_in, client_out, server_out):
            os.close(descriptor)
