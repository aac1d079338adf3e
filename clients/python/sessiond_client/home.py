"""The process and the event loop in which a client was opened."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from sessiond_client.failures import ClientClosed, MisplacedCall


@dataclass(frozen=True)
class Home:
    """A client works in one process and one event loop; elsewhere its answers never arrive."""

    process: int
    loop: asyncio.AbstractEventLoop

    @classmethod
    def here(cls) -> Home:
        """Return the present process and the running event loop."""
        return cls(os.getpid(), asyncio.get_running_loop())

    def check(self) -> None:
        """Raise `ClientClosed` in a forked process, and `MisplacedCall` in another event loop."""
        refuse_fork(self.process)
        if asyncio.get_running_loop() is not self.loop:
            raise MisplacedCall(
                "the client was opened in another event loop; open one in this loop, or use"
                " sessiond_client.blocking, which any thread may call"
            )


def refuse_fork(process: int) -> None:
    """Raise `ClientClosed` in any other process than this one."""
    if os.getpid() != process:
        raise ClientClosed(
            "the client was opened before this process was forked, and belongs to its parent;"
            " open one in this process"
        )
