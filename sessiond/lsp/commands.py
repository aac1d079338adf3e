"""What an editor can do with a session file: read its transcript, export, fork and repair it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Awaitable, Callable
from pathlib import PurePath
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path, urlparse

from sessiond.home import cache_directory
from sessiond.lsp.daemon import Daemon
from sessiond.lsp.files import SessionFile
from sessiond.lsp.lines import Lines, line_range
from sessiond.lsp.protocol import SCHEME
from sessiond.lsp.shown import shown

OPEN_TRANSCRIPT = "sessiond.openTranscript"
EXPORT_PAGE = "sessiond.exportPage"
FORK = "sessiond.fork"
REPAIR = "sessiond.repair"

_MOST_SHOWN = 5
_REPAIR = "Repair"


class Commands:
    """The commands; each takes the address of a session file, and some the id of an entry.

    The result of a command is the address of what it made or shows, or None.
    """

    def __init__(self, editor: LanguageServer, daemon: Daemon) -> None:
        self._editor = editor
        self._daemon = daemon
        self._transcripts: set[str] = set()
        """Addresses of the transcripts that the editor has read."""
        self.by_name: dict[str, Callable[..., Awaitable[str | None]]] = {
            OPEN_TRANSCRIPT: self._open_transcript,
            EXPORT_PAGE: self._export_page,
            FORK: self._fork,
            REPAIR: self._repair,
        }

    def actions(self, file: SessionFile, lines: Lines, line: int) -> list[types.Command]:
        """Return what can be done at a line, as commands, which every editor understands."""
        entry_id = lines.entry_at(line)
        offered = [
            ("Open the transcript", OPEN_TRANSCRIPT, [file.uri]),
            ("Export a page", EXPORT_PAGE, [file.uri]),
            ("Repair the file…", REPAIR, [file.uri]),
        ]
        if entry_id is not None:
            here = [file.uri, entry_id]
            offered[1:1] = [
                ("Open the transcript up to here", OPEN_TRANSCRIPT, here),
                ("Fork here: a new session that ends with this entry", FORK, here),
            ]
        return [types.Command(title, name, arguments=given) for title, name, given in offered]

    def lenses(self, file: SessionFile, lines: Lines) -> list[types.CodeLens]:
        """Return what stands above the first line of a session."""
        first = line_range(0, lines)
        return [
            types.CodeLens(first, types.Command(title, name, arguments=[file.uri]))
            for title, name in (("transcript", OPEN_TRANSCRIPT), ("page", EXPORT_PAGE))
        ]

    async def text(self, address: str) -> str:
        """Return the transcript at an address of our scheme. Raises JsonRpcException, Refused."""
        parts = urlparse(address)
        if parts[0] != SCHEME:
            raise JsonRpcException(f"no transcript: {address}", types.ErrorCodes.InvalidParams)
        path = to_fs_path(from_fs_path(parts[2]) or "") or ""
        self._transcripts.add(address)
        answer = await self._export(path, "markdown", parts[4] or None)
        return shown(str(answer["content"]))

    def changed(self, path: str) -> None:
        """Tell the editor to read the transcripts of a file again."""
        for address in self._transcripts:
            if urlparse(address)[2] == path:
                params = types.TextDocumentContentRefreshParams(address)
                self._editor.workspace_text_document_content_refresh(params)

    async def _export(self, path: str, form: str, entry_id: str | None, **more: str) -> Any:
        leaf = {} if entry_id is None else {"leafId": entry_id}
        params = {"path": path, "format": form, **leaf, **more}
        return await self._daemon.call("catalog/export", params)

    async def _kept(self, path: str, form: str, suffix: str, entry_id: str | None = None) -> str:
        """Export into the cache, where only the user can read it; return the file's address."""
        target = _in_cache(f"{path}?{entry_id or ''}", suffix)
        await self._export(path, form, entry_id, outputPath=target)
        return from_fs_path(target) or ""

    async def _open_transcript(self, uri: str, entry_id: str | None = None) -> str:
        workspace = self._editor.client_capabilities.workspace
        path = _path(uri)
        if workspace is not None and workspace.text_document_content is not None:
            address = f"{SCHEME}:{path}" + (f"?{entry_id}" if entry_id else "")
        else:
            address = await self._kept(path, "markdown", ".md", entry_id)
        await self._show(address)
        return address

    async def _export_page(self, uri: str) -> str:
        address = await self._kept(_path(uri), "html", ".html")
        await self._show(address, external=True)
        return address

    async def _fork(self, uri: str, entry_id: str) -> str:
        opening = {"path": _path(uri), "mustExist": True}
        handle = {"session": (await self._daemon.call("session/open", opening))["session"]}
        try:
            branch = {**handle, "leafId": entry_id}
            state = await self._daemon.call("session/createBranchedSession", branch)
        finally:
            await self._daemon.call("session/close", handle)
        address = from_fs_path(state["sessionFile"]) or ""
        await self._show(address)
        return address

    async def _repair(self, uri: str) -> None:
        """Show what would change, and repair the file if the user agrees."""
        path = _path(uri)
        planned = await self._daemon.call("catalog/repair", {"path": path, "dryRun": True})
        actions = [f"line {each.get('line', 1)}: {each['message']}" for each in planned["actions"]]
        if not actions:
            self._say("There is nothing to repair.")
            return
        more = len(actions) - _MOST_SHOWN
        rest = [f"and {more} more"] if more > 0 else []
        question = types.ShowMessageRequestParams(
            types.MessageType.Warning,
            shown(
                "\n".join(["Repair this file? A backup is kept.", *actions[:_MOST_SHOWN], *rest])
            ),
            [types.MessageActionItem(_REPAIR), types.MessageActionItem("Cancel")],
        )
        answer = await self._editor.window_show_message_request_async(question)
        if answer is None or answer.title != _REPAIR:
            return
        done = await self._daemon.call("catalog/repair", {"path": path, "dryRun": False})
        self._say(f"Repaired. The file as it was: {done.get('backup', path)}")

    def _say(self, text: str) -> None:
        message = types.ShowMessageParams(types.MessageType.Info, shown(text))
        self._editor.window_show_message(message)

    async def _show(self, address: str, *, external: bool = False) -> None:
        """Show a document, in an editor that can be asked to."""
        window = self._editor.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            params = types.ShowDocumentParams(address, external=external)
            await self._editor.window_show_document_async(params)


def _path(uri: str) -> str:
    path = to_fs_path(uri)
    if not path:
        raise JsonRpcException(f"no file: {uri}", types.ErrorCodes.InvalidParams)
    return path


def _in_cache(name: str, suffix: str) -> str:
    """Return the file in the cache of what is made of a session."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    stem = PurePath(name.partition("?")[0]).stem[:80]
    return f"{cache_directory(os.environ)}/transcripts/{stem}-{digest}{suffix}"
