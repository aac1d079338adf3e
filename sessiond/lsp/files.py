"""The session files that the editor has opened, as handles of the daemon with measured lines."""

from __future__ import annotations

import asyncio
from typing import Any

import attrs
from pygls.uris import to_fs_path

from sessiond.lsp.daemon import Daemon, Refused
from sessiond.lsp.lines import Lines, read_lines, stamp_of

_NO_SESSION = ("SessionNotFound", "InvalidSessionFile", "NotASession", "ReadFailed")
"""Errors of files that have nothing to show."""


@attrs.define(eq=False)
class SessionFile:
    """A session file: its handle, and its lines when they were last read."""

    path: str
    uri: str
    handle: str
    version: int = 0
    """Counts the changes that the daemon has told."""
    measured: Lines | None = None
    checked: int = -1
    """The version whose problems the editor was told."""
    is_checking: bool = False


class Files:
    """Opens each session file once."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self.encoding = "utf-16"
        self._opened: dict[str, asyncio.Task[SessionFile | None]] = {}
        self.by_handle: dict[str, SessionFile] = {}

    async def find(self, uri: str) -> SessionFile | None:
        """Return the session file at an address; None if there is no session. Raises Refused."""
        path = to_fs_path(uri)
        if not path:
            return None
        task = self._opened.get(path)
        if task is None or (task.done() and (task.exception() or task.result() is None)):
            task = self._opened[path] = asyncio.create_task(self._open(path, uri))
        return await asyncio.shield(task)

    async def _open(self, path: str, uri: str) -> SessionFile | None:
        params = {"path": path, "readOnly": True, "mustExist": True, "follow": True}
        try:
            state = await self._daemon.call("session/open", params)
        except Refused as error:
            if error.data is not None and error.data.get("kind") in _NO_SESSION:
                return None
            raise
        made = SessionFile(path, uri, state["session"])
        self.by_handle[made.handle] = made
        return made

    async def close(self, uri: str) -> None:
        """Close the handle of a file that the editor has closed."""
        task = self._opened.pop(to_fs_path(uri) or "", None)
        if task is None:
            return
        try:
            file = await task
        except Refused:
            return
        if file is not None and self.by_handle.pop(file.handle, None) is not None:
            await self._daemon.call("session/close", {"session": file.handle})

    def forget(self) -> None:
        """Forget all handles, because the daemon has ended."""
        self._opened.clear()
        self.by_handle.clear()

    async def lines(self, file: SessionFile) -> Lines | None:
        """Return the present lines of a file; None if it cannot be read."""
        try:
            if file.measured is None or file.measured.stamp != stamp_of(file.path):
                loop = asyncio.get_running_loop()
                file.measured = await loop.run_in_executor(
                    None, read_lines, file.path, self.encoding
                )
        except OSError:
            return None
        return file.measured

    async def tree(self, file: SessionFile) -> dict[str, Any]:
        """Return the outline of the whole tree."""
        params = {"session": file.handle, "detail": "outline"}
        answer: dict[str, Any] = await self._daemon.call("session/getTree", params)
        return answer

    async def view(self, file: SessionFile, entry_id: str, **more: Any) -> dict[str, Any] | None:
        """Return what a person sees of an entry; None if it is not in the session."""
        params = {"session": file.handle, "leafId": entry_id, "last": 1, **more}
        try:
            answer = await self._daemon.call("session/getView", params)
        except Refused as error:
            if error.data is not None and error.data.get("kind") == "EntryNotFound":
                return None
            raise
        return next(iter(answer["items"]), None)
