"""An editor for tests: pygls' own client, which checks every answer against the protocol."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from pygls.protocol import LanguageServerProtocol

from support.preloaded import shared

DEADLINE = 30.0
"""Seconds after which a test waits in vain."""


class _Strict(LanguageServerProtocol):
    """Refuses strings that strict readers of JSON refuse, as those of several editors do."""

    def structure_message(self, data: Any) -> Any:
        for value in data.values():
            if isinstance(value, str):
                value.encode()
        return super().structure_message(data)


class Editor(LanguageClient):
    """Keeps what the server sends by itself, by method."""

    def __init__(self) -> None:
        super().__init__("tests", "1", protocol_cls=_Strict)
        self.offered = types.ServerCapabilities()
        self.code: int | None = None
        """The exit code of the server, once it has ended."""
        self.errors = b""
        """What the server has written to standard error, once it has ended."""
        self.told: asyncio.Queue[Any] = asyncio.Queue()
        self.messages: list[str] = []
        """What the server has shown in messages."""
        self.said: asyncio.Queue[str] = asyncio.Queue()
        """The same, to be waited for."""

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def hear(params: Any) -> None:
            self.told.put_nowait(params)

        self.shows = True
        """Whether it succeeds in showing documents."""
        self.shown: asyncio.Queue[str] = asyncio.Queue()
        """Addresses of the documents that the server has asked to show."""
        self.questions: asyncio.Queue[str] = asyncio.Queue()
        self.answer: str | None = None
        """What the user chooses in the next question; None: it is dismissed."""
        self.refreshed: asyncio.Queue[str] = asyncio.Queue()

        @self.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def take(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self.said.put_nowait(params.message)

        @self.feature(types.WINDOW_SHOW_DOCUMENT)  # type: ignore[untyped-decorator]
        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.shown.put_nowait(params.uri)
            return types.ShowDocumentResult(success=self.shows)

        @self.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)  # type: ignore[untyped-decorator]
        def ask(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
            self.questions.put_nowait(params.message)
            return None if self.answer is None else types.MessageActionItem(self.answer)

        @self.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH)  # type: ignore[untyped-decorator]
        def refresh(params: types.TextDocumentContentRefreshParams) -> None:
            self.refreshed.put_nowait(params.uri)

    async def server_exit(self, server: asyncio.subprocess.Process) -> None:
        """Take what is left of a server that has ended."""
        self.code = server.returncode
        assert server.stderr is not None
        self.errors = await server.stderr.read()

    @property
    def process(self) -> int:
        """The id of the server's process."""
        assert self._server is not None
        return self._server.pid

    async def next(self, told: asyncio.Queue[Any]) -> Any:
        """Wait for what the server sends by itself."""
        return await asyncio.wait_for(told.get(), DEADLINE)

    async def call(self, method: str, params: Any) -> Any:
        """Call and wait; raises JsonRpcException."""
        return await asyncio.wait_for(self.protocol.send_request_async(method, params), DEADLINE)

    async def about(self, method: str, kind: Any, file: Path, line: int | None = None) -> Any:
        """Call a method that takes a document, and a position in `line` if it is given."""
        document = types.TextDocumentIdentifier(file.as_uri())
        place = {} if line is None else {"position": types.Position(line, 0)}
        while True:
            try:
                return await self.call(method, kind(text_document=document, **place))
            except JsonRpcException as error:
                # An editor asks again.
                if error.code != types.LSPErrorCodes.ContentModified:
                    raise

    async def run(self, command: str, *arguments: str) -> Any:
        """Run a command of the server and return its result."""
        params = types.ExecuteCommandParams(command, list(arguments))
        return await self.call(types.WORKSPACE_EXECUTE_COMMAND, params)

    def open(self, file: Path) -> None:
        """Open a document as an editor does, with its text."""
        text = file.read_bytes().decode("utf-8", "replace")
        document = types.TextDocumentItem(file.as_uri(), "jsonl", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(document))


@asynccontextmanager
async def editor(
    home: Path,
    *arguments: str,
    encodings: Sequence[str] = (),
    capabilities: types.ClientCapabilities | None = None,
    env: Mapping[str, str] | None = None,
    is_forked: bool = True,
) -> AsyncIterator[Editor]:
    """Run `sessiond lsp` in a process of its own, with an editor that has greeted it.

    The process that is watched is the server itself if it is not forked from a preloaded one.
    """
    client = Editor()
    known = {"HOME": str(home), "PATH": "", "PWD": str(home), "TZ": "UTC"}
    own = [sys.executable, "-m", "sessiond", "lsp", *arguments]
    await client.start_io(
        *(shared("sessiond.lsp").command("lsp", *arguments) if is_forked else own),
        env={**known, **(env or {})},
        cwd=str(home),
    )
    given = capabilities or types.ClientCapabilities()
    if encodings:
        kinds = [types.PositionEncodingKind(name) for name in encodings]
        given.general = types.GeneralClientCapabilities(position_encodings=kinds)
    try:
        greeting = types.InitializeParams(capabilities=given)
        client.offered = (await client.call(types.INITIALIZE, greeting)).capabilities
        client.initialized(types.InitializedParams())
        yield client
    finally:
        await client.call(types.SHUTDOWN, None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]
    assert not client.errors, client.errors.decode()
    assert client.code == 0, client.code
