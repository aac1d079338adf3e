"""The language server: what the editor asks of a file is answered by the daemon's methods."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    LanguageServerProtocol,
    default_converter,
)
from sessiond_protocol.registry import METHODS

from sessiond import __version__
from sessiond.lsp import markdown, outline
from sessiond.lsp.daemon import Daemon, Refused
from sessiond.lsp.files import Files, SessionFile
from sessiond.lsp.lines import Lines, line_range

_T = TypeVar("_T")

FAMILIES = ("session/", "catalog/", "context/", "gateway/", "daemon/")
"""Methods of the daemon that are passed on; the names of the others are the editor's, too."""

_HOVER_CHARS = 2000


class _Protocol(LanguageServerProtocol):
    """Without the text of documents: files are read from disk, never from the editor's buffer."""


def _converter() -> Any:
    """Return pygls' converter, which leaves params of the daemon's methods as they are."""
    converter = default_converter()  # type: ignore[no-untyped-call]
    converter.register_structure_hook(
        JsonRPCRequestMessage,
        lambda given, kind: kind(
            given["id"], given["method"], given["jsonrpc"], given.get("params")
        ),
    )
    converter.register_structure_hook(
        JsonRPCNotification,
        lambda given, kind: kind(given["method"], given["jsonrpc"], given.get("params")),
    )
    return converter


class SessionServer:
    """Registers the features of the language server and keeps what they share."""

    def __init__(self, arguments: Sequence[str]) -> None:
        # It logs what clients send and get.
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
        self.editor = LanguageServer(
            "sessiond",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.None_,
            protocol_cls=_Protocol,
            converter_factory=_converter,
        )
        self.daemon = Daemon(arguments, self._hear, self._forget)
        self.files = Files(self.daemon)
        self._tasks: set[asyncio.Task[None]] = set()
        self._register()

    def run(self) -> None:
        """Serve on standard input and output until the editor ends the connection."""
        self.editor.start_io()

    def _register(self) -> None:
        self._feature(types.INITIALIZE, self._initialize)
        self._feature(types.SHUTDOWN, self._shutdown)
        self._feature(types.TEXT_DOCUMENT_DID_OPEN, self._did_open)
        self._feature(types.TEXT_DOCUMENT_DID_CLOSE, self._did_close)
        self._feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, self._symbols)
        self._feature(types.TEXT_DOCUMENT_HOVER, self._hover)
        for method in METHODS:
            if method.startswith(FAMILIES):
                self._feature(method, self._passed_on(method))

    def _feature(
        self, name: str, work: Callable[[Any], Awaitable[Any]], options: Any = None
    ) -> None:
        """Serve a method. pygls writes on the function, which it cannot on a method."""

        async def serve(params: Any) -> Any:
            return await work(params)

        self.editor.feature(name, options)(serve)

    async def _initialize(self, params: types.InitializeParams) -> None:
        encoding = str(self.editor.workspace.position_encoding or "utf-16")
        self.files.encoding = encoding
        info = params.client_info
        client = {"name": "sessiond lsp" if info is None else info.name}
        self._later(self._greet({"clientInfo": client, "positionEncoding": encoding}))

    async def _greet(self, params: dict[str, Any]) -> None:
        await self.daemon.call("initialize", params)

    async def _shutdown(self, _params: None) -> None:
        await self.daemon.close()

    def _later(self, work: Any) -> None:
        """Run work that no request waits for; its failures were answered to others already."""
        task = asyncio.create_task(_quiet(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _passed_on(self, method: str) -> Callable[[Any], Awaitable[Any]]:
        async def call(params: Any) -> Any:
            with _answered():
                return await self.daemon.call(method, params)

        return call

    def _hear(self, method: str, params: Any) -> None:
        file = None
        if method == "session/didChange":
            file = self.files.by_handle.get(params["session"])
        if file is None:
            self.editor.protocol.notify(method, params)
            return
        file.version += 1

    def _forget(self) -> None:
        self.files.forget()

    async def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        # The daemon tells of changes from here on; the text itself is not needed.
        self.editor.workspace.remove_text_document(params.text_document.uri)
        self._later(self.files.find(params.text_document.uri))

    async def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._later(self.files.close(params.text_document.uri))

    async def _about(
        self, uri: str, work: Callable[[SessionFile, Lines], Awaitable[_T]]
    ) -> _T | None:
        """Answer a request about a file; None if it is no session.

        An answer about a state of the file that has passed meanwhile is `ContentModified`.
        """
        with _answered():
            file = await self.files.find(uri)
            lines = None if file is None else await self.files.lines(file)
            if file is None or lines is None:
                return None
            version = file.version
            answer = await work(file, lines)
            if file.version != version:
                raise JsonRpcException(
                    "the file has changed meanwhile", types.LSPErrorCodes.ContentModified
                )
            return answer

    async def _symbols(
        self, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol] | None:
        async def work(file: SessionFile, lines: Lines) -> list[types.DocumentSymbol]:
            return outline.symbols(await self.files.tree(file), lines)

        return await self._about(params.text_document.uri, work)

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        async def work(file: SessionFile, lines: Lines) -> types.Hover | None:
            line = params.position.line
            entry_id = lines.entry_at(line)
            if entry_id is None:
                return None
            item = await self.files.view(file, entry_id, maxChars=_HOVER_CHARS)
            if item is None:
                return None
            content = types.MarkupContent(types.MarkupKind.Markdown, markdown.hover(item))
            return types.Hover(content, line_range(line, lines))

        return await self._about(params.text_document.uri, work)


class _answered:  # noqa: N801 - a context manager that is used as a function
    """Answers an error of the daemon with its code, message and data."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Refused):
            raise JsonRpcException(error.message, error.code, error.data) from error


async def _quiet(work: Awaitable[Any]) -> None:
    try:
        await work
    except Refused:
        # The request that needs it gets the same error.
        return
