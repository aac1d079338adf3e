"""The language server: what the editor asks of a file is answered by the daemon's methods."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path
from sessiond_protocol.registry import METHODS

from sessiond import __version__
from sessiond.lsp import markdown, outline
from sessiond.lsp.commands import Commands
from sessiond.lsp.daemon import Daemon, Refused
from sessiond.lsp.files import Files, SessionFile
from sessiond.lsp.lines import Lines, line_range, read_lines
from sessiond.lsp.protocol import SCHEME, SessionProtocol, converter
from sessiond.lsp.serving import serve
from sessiond.lsp.shown import on_one_line, shown
from sessiond.lsp.tree import Tree
from sessiond.rpc.stdio import claim_stdio

_T = TypeVar("_T")

FAMILIES = ("session/", "catalog/", "context/", "gateway/", "daemon/")
"""Methods of the daemon that are passed on; the names of the others are the editor's, too."""

logger = logging.getLogger(__name__)

_HOVER_CHARS = 2000
_HITS = 20


class _Editor(LanguageServer):
    """The connection to the editor; errors of the server go to the log and do not pop up."""

    protocol: SessionProtocol

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error. One that no message was made of is answered, because nothing else is."""
        logger.error("%s: %s", type(error).__name__, error)
        if source is JsonRpcException:
            self.protocol.refuse_unreadable()


class SessionServer:
    """Registers the features of the language server and keeps what they share."""

    def __init__(self, arguments: Sequence[str]) -> None:
        # It logs what clients send and get.
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
        self.editor = _Editor(
            "sessiond",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.None_,
            protocol_cls=SessionProtocol,
            converter_factory=converter,
        )
        self.daemon = Daemon(arguments, self._hear, self._forget)
        self.files = Files(self.daemon)
        self.commands = Commands(self.editor, self.daemon)
        self._tasks: set[asyncio.Task[None]] = set()
        self._register()

    def run(self) -> int:
        """Serve on standard input and output to the end; returns the exit code."""
        input_fd, output_fd = claim_stdio()
        return asyncio.run(self._serve(input_fd, output_fd))

    async def _serve(self, input_fd: int, output_fd: int) -> int:
        try:
            return await serve(self.editor, input_fd, output_fd)
        finally:
            await self.daemon.close()

    def _register(self) -> None:
        self._feature(types.INITIALIZE, self._initialize)
        self._feature(types.TEXT_DOCUMENT_DID_OPEN, self._did_open)
        self._feature(types.TEXT_DOCUMENT_DID_CLOSE, self._did_close)
        self._feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, self._symbols)
        self._feature(types.TEXT_DOCUMENT_HOVER, self._hover)
        self._feature(types.TEXT_DOCUMENT_DEFINITION, self._places(Tree.parent))
        self._feature(types.TEXT_DOCUMENT_REFERENCES, self._places(Tree.children))
        self._feature(types.TEXT_DOCUMENT_IMPLEMENTATION, self._places(Tree.results))
        self._feature(types.TEXT_DOCUMENT_FOLDING_RANGE, self._folds)
        self._feature(types.TEXT_DOCUMENT_INLAY_HINT, self._hints)
        self._feature(types.TEXT_DOCUMENT_SELECTION_RANGE, self._selections)
        self._feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, self._hierarchy)
        self._feature(types.CALL_HIERARCHY_INCOMING_CALLS, self._incoming)
        self._feature(types.CALL_HIERARCHY_OUTGOING_CALLS, self._outgoing)
        self._feature(
            types.TEXT_DOCUMENT_DIAGNOSTIC,
            self._pulled,
            types.DiagnosticOptions(
                inter_file_dependencies=False, workspace_diagnostics=False, identifier="sessiond"
            ),
        )
        self._feature(types.WORKSPACE_SYMBOL, self._search)
        self._feature(types.TEXT_DOCUMENT_CODE_ACTION, self._actions)
        self._feature(types.TEXT_DOCUMENT_CODE_LENS, self._lenses)
        self._feature(
            types.WORKSPACE_TEXT_DOCUMENT_CONTENT,
            self._transcript,
            types.TextDocumentContentOptions([SCHEME]),
        )
        for name, command in self.commands.by_name.items():
            self._command(name, command)
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

    def _command(self, name: str, work: Callable[..., Awaitable[str | None]]) -> None:
        async def run(*arguments: Any) -> str | None:
            with _answered():
                return await work(*arguments)

        self.editor.command(name)(run)

    async def _initialize(self, params: types.InitializeParams) -> None:
        encoding = str(self.editor.workspace.position_encoding or "utf-16")
        self.files.encoding = encoding
        info = params.client_info
        client = {"name": "sessiond lsp" if info is None else info.name}
        self._later(self._greet({"clientInfo": client, "positionEncoding": encoding}))

    async def _greet(self, params: dict[str, Any]) -> None:
        await self.daemon.call("initialize", params)

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
            self.editor.protocol.pass_on(method, params)
            return
        file.version += 1
        self.commands.changed(file.path)
        self._later(self._check(file))

    def _forget(self) -> None:
        self.files.forget()

    async def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        # The daemon tells of changes from here on; the text itself is not needed.
        self._later(self._begin(params.text_document.uri))

    async def _begin(self, uri: str) -> None:
        file = await self.files.find(uri)
        if file is not None:
            await self._check(file)

    async def _check(self, file: SessionFile) -> None:
        """Tell the editor the problems of a file, until they are those of its latest version."""
        if file.is_checking:
            return
        file.is_checking = True
        try:
            while file.checked != file.version:
                file.checked = file.version
                await self._tell_problems(file)
        finally:
            file.is_checking = False

    async def _tell_problems(self, file: SessionFile) -> None:
        capabilities = self.editor.client_capabilities
        document, workspace = capabilities.text_document, capabilities.workspace
        if document is not None and document.diagnostic is not None:
            # It asks by itself, and again when it is told to.
            told = None if workspace is None else workspace.diagnostics
            if told is not None and told.refresh_support:
                self.editor.workspace_diagnostic_refresh(None)
            return
        params = types.PublishDiagnosticsParams(file.uri, await self._problems(file))
        self.editor.text_document_publish_diagnostics(params)

    async def _problems(self, file: SessionFile) -> list[types.Diagnostic]:
        answer = await self.daemon.call("catalog/check", {"path": file.path})
        lines = await self.files.lines(file)
        count = 0 if lines is None else len(lines.lengths)
        start = types.Position(0, 0)
        return [
            types.Diagnostic(
                types.Range(start, start)
                if lines is None
                else line_range(min(max(problem["line"] - 1, 0), count - 1), lines),
                shown(problem["message"]),
                severity=types.DiagnosticSeverity.Warning,
                code=problem["kind"],
                source="sessiond",
            )
            for checked in answer["files"]
            for problem in checked["problems"]
        ]

    async def _pulled(
        self, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport:
        async def work(file: SessionFile, _lines: Lines) -> list[types.Diagnostic]:
            return await self._problems(file)

        found = await self._about(params.text_document.uri, work)
        return types.RelatedFullDocumentDiagnosticReport(found or [])

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

    async def _tree(self, file: SessionFile, lines: Lines) -> Tree:
        return Tree(file.uri, await self.files.tree(file), lines)

    def _places(self, related: Callable[[Tree, str], list[str]]) -> Callable[[Any], Awaitable[Any]]:
        async def places(params: types.DefinitionParams) -> list[types.Location] | None:
            async def work(file: SessionFile, lines: Lines) -> list[types.Location]:
                entry_id = lines.entry_at(params.position.line)
                if entry_id is None:
                    return []
                tree = await self._tree(file, lines)
                return tree.places(related(tree, entry_id))

            return await self._about(params.text_document.uri, work)

        return places

    async def _folds(self, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        async def work(file: SessionFile, lines: Lines) -> list[types.FoldingRange]:
            return (await self._tree(file, lines)).folds()

        return await self._about(params.text_document.uri, work)

    async def _hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        async def work(file: SessionFile, lines: Lines) -> list[types.InlayHint]:
            tree = await self._tree(file, lines)
            return tree.hints(params.range.start.line, params.range.end.line)

        return await self._about(params.text_document.uri, work)

    async def _selections(
        self, params: types.SelectionRangeParams
    ) -> list[types.SelectionRange] | None:
        async def work(file: SessionFile, lines: Lines) -> list[types.SelectionRange]:
            tree = await self._tree(file, lines)
            # Each position must have an answer.
            return [
                tree.selections(lines.entry_at(at.line) or "")
                or types.SelectionRange(types.Range(at, at))
                for at in params.positions
            ]

        return await self._about(params.text_document.uri, work)

    async def _hierarchy(
        self, params: types.CallHierarchyPrepareParams
    ) -> list[types.CallHierarchyItem] | None:
        async def work(file: SessionFile, lines: Lines) -> list[types.CallHierarchyItem]:
            entry_id = lines.entry_at(params.position.line)
            item = (await self._tree(file, lines)).item(entry_id or "")
            return [] if item is None else [item]

        return await self._about(params.text_document.uri, work)

    async def _related(
        self, item: types.CallHierarchyItem, related: Callable[[Tree, str], list[str]]
    ) -> list[types.CallHierarchyItem]:
        async def work(file: SessionFile, lines: Lines) -> list[types.CallHierarchyItem]:
            tree = await self._tree(file, lines)
            found = (tree.item(entry_id) for entry_id in related(tree, item.detail or ""))
            return [each for each in found if each is not None]

        return await self._about(item.uri, work) or []

    async def _incoming(
        self, params: types.CallHierarchyIncomingCallsParams
    ) -> list[types.CallHierarchyIncomingCall]:
        found = await self._related(params.item, Tree.parent)
        return [types.CallHierarchyIncomingCall(each, [each.range]) for each in found]

    async def _outgoing(
        self, params: types.CallHierarchyOutgoingCallsParams
    ) -> list[types.CallHierarchyOutgoingCall]:
        found = await self._related(params.item, Tree.children)
        return [types.CallHierarchyOutgoingCall(each, [params.item.range]) for each in found]

    async def _search(self, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        """Search all sessions of the agent. Cancelling the request cancels the search."""
        token, progress = params.work_done_token, self.editor.work_done_progress
        if token is not None:
            progress.begin(token, types.WorkDoneProgressBegin("Searching sessions"))
        try:
            with _answered():
                wanted = {"query": params.query, "limit": _HITS}
                answer = await self.daemon.call("catalog/search", wanted)
            return [each for hit in answer["hits"] for each in await self._hit(hit)]
        finally:
            if token is not None:
                progress.end(token, types.WorkDoneProgressEnd())

    async def _hit(self, hit: dict[str, Any]) -> list[types.SymbolInformation]:
        """Return the messages of a session that were found, or the session by its name."""
        path = hit["info"]["path"]
        uri = from_fs_path(path) or ""
        called = on_one_line(hit["info"].get("name") or hit["info"]["firstMessage"])
        loop = asyncio.get_running_loop()
        try:
            lines = await loop.run_in_executor(None, read_lines, path, self.files.encoding)
        except OSError:
            return []
        found = [
            (on_one_line(snippet["text"]), lines.line_of.get(snippet["entryId"], 0))
            for snippet in hit["snippets"]
        ]
        return [
            types.SymbolInformation(
                types.Location(uri, line_range(line, lines)),
                text or path,
                types.SymbolKind.String,
                container_name=called,
            )
            for text, line in found or [(called, 0)]
        ]

    async def _actions(self, params: types.CodeActionParams) -> list[types.Command] | None:
        async def work(file: SessionFile, lines: Lines) -> list[types.Command]:
            return self.commands.actions(file, lines, params.range.start.line)

        return await self._about(params.text_document.uri, work)

    async def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        async def work(file: SessionFile, lines: Lines) -> list[types.CodeLens]:
            return self.commands.lenses(file, lines)

        return await self._about(params.text_document.uri, work)

    async def _transcript(
        self, params: types.TextDocumentContentParams
    ) -> types.TextDocumentContentResult:
        with _answered():
            return types.TextDocumentContentResult(await self.commands.text(params.uri))

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
            content = types.MarkupContent(types.MarkupKind.Markdown, shown(markdown.hover(item)))
            return types.Hover(content, line_range(line, lines))

        return await self._about(params.text_document.uri, work)


class _answered:  # noqa: N801 - a context manager that is used as a function
    """Answers an error of the daemon with its code, message and data."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Refused):
            raise JsonRpcException(shown(error.message), error.code, error.data) from error


async def _quiet(work: Awaitable[Any]) -> None:
    try:
        await work
    except Refused:
        # The request that needs it gets the same error.
        return
