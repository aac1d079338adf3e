"""The language server: the engine in its process, the editor's settings, and what it has open."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

import attrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from sessiond import __version__
from sessiond.lsp.protocol import SCHEME, SessionProtocol, asks_again, converter
from sessiond.runtime.errors import InvalidParams, InvalidRequest, SessiondError
from sessiond.text.safe import visible

if TYPE_CHECKING:
    # The rest is imported after the answer to `initialize`: that of pygls alone takes long enough.
    from sessiond.lsp.diagnostics import Diagnostics
    from sessiond.lsp.documents import SessionFile, SessionFiles
    from sessiond.methods.client import Client
    from sessiond.methods.local import Local
    from sessiond.methods.table import MethodTable
    from sessiond.runtime.config import Config
    from sessiond.sessions.engine import Engine

_P = ParamSpec("_P")
_T = TypeVar("_T")

logger = logging.getLogger(__name__)

_SECTION = "sessiond"
_REFRESH_SECONDS = 0.5
"""Pause between two requests to ask again for hints, lenses and folds."""


@attrs.frozen
class Settings:
    """The settings that a person can make in the editor, in the section `sessiond`."""

    mask: bool = False
    """Whether keys and passwords of known forms are masked in what is shown."""
    hints: bool = True
    """Whether there are inlay hints."""

    @classmethod
    def of(cls, given: Any) -> Settings:
        """Return the settings in an editor's JSON; members of other types have their default."""
        members = given.get(_SECTION, given) if isinstance(given, Mapping) else {}
        names = (field.name for field in attrs.fields(cls))
        return cls(**{name: members[name] for name in names if isinstance(members.get(name), bool)})


class SessionServer(LanguageServer):
    """Serves one editor."""

    protocol: SessionProtocol

    def __init__(self) -> None:
        # It logs what editors send and get.
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
        self.converter = converter()
        super().__init__(
            "sessiond",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.None_,
            protocol_cls=SessionProtocol,
            converter_factory=lambda: self.converter,
        )
        self.settings = Settings()
        self.engine: Engine
        self.client: Client
        self.local: Local
        self.files: SessionFiles
        self.diagnostics: Diagnostics
        self.config: Config
        self.env: Mapping[str, str]
        self._contract: Client | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._refreshing: asyncio.TimerHandle | None = None

    @property
    def encoding(self) -> str:
        """The units of positions: `utf-8`, `utf-16` or `utf-32`."""
        return types.PositionEncodingKind(self.workspace.position_encoding or "utf-16").value

    def begin(self) -> None:
        """Import and create what serves sessions, once `initialize` is answered."""
        from sessiond.files import disk
        from sessiond.lsp.diagnostics import Diagnostics
        from sessiond.lsp.documents import SessionFiles
        from sessiond.methods.local import Local
        from sessiond.sessions.engine import Engine

        self.engine = Engine(self.config, self.env)
        self.client = self._new_client(lambda _method, _params: None)
        # The process serves only this editor, so all its threads are confined.
        disk.confine(disk.roots(), process=True)
        self.local = Local(self.client)
        self.files = SessionFiles(self.client, self.encoding, self.safe)
        self.diagnostics = Diagnostics(self.files, self._tell_problems, self.later)
        self.engine.follow(self._report)

    def _new_client(self, notify: Callable[[str, Any], None]) -> Client:
        from sessiond.methods.client import Client, InProcess

        return Client(self.engine, self.config, self.env, InProcess(notify, self.encoding))

    @cached_property
    def contract_methods(self) -> MethodTable:
        """The methods for requests of the contract: handles and notifications are the editor's.

        The features have another one, so that no request of an extension closes what they use.
        """
        from sessiond.methods.table import MethodTable

        self._contract = self._new_client(self._pass_on)
        return MethodTable(self._contract)

    def _pass_on(self, method: str, params: Any) -> None:
        from sessiond.rpc.codec import encode
        from sessiond.text.spans import loads

        self.protocol.pass_on(method, loads(encode(params)))

    async def close(self) -> None:
        """End what `begin` has made."""
        for task in self._tasks:
            task.cancel()
        if hasattr(self, "engine"):
            for client in filter(None, (self._contract, self.client)):
                client.close()
            await self.engine.close()

    @property
    def safe(self) -> Callable[[str], str]:
        """The filter that every text of a session passes before it is shown."""
        if not self.settings.mask:
            return str
        from sessiond.format.describe.secrets import masked

        return masked

    def set(self, given: Any) -> None:
        """Apply an editor's settings."""
        before, self.settings = self.settings, Settings.of(given)
        if before == self.settings:
            return
        self.files.show_with(self.safe)
        self.refresh_later()

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work that no request waits for; a failure is shown in a message."""
        task = asyncio.create_task(self._told(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task that is cancelled before its first step awaits nothing.
        task.add_done_callback(lambda _: work.close())

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (SessiondError, InvalidParams, JsonRpcException) as error:
            self.say(error.message, types.MessageType.Error)

    def say(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show a message."""
        self.window_show_message(types.ShowMessageParams(kind, visible(text)))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error that the editor did not cause, with its place.

        A message that is not JSON is answered here, because nothing else answers it.
        """
        place = getattr(error, "data", None)
        trace = place.get("traceback", ()) if isinstance(place, dict) else ()
        if trace or not isinstance(error, JsonRpcException):
            logger.error("%s\n%s", error, "".join(trace))
        if source is JsonRpcException:
            self.protocol.refuse_unreadable()

    def _report(self, paths: Collection[str]) -> None:
        for key, file in self.files.concerned(paths).items():
            if key.startswith(f"{SCHEME}:"):
                transcript = types.TextDocumentContentRefreshParams(key)
                self.workspace_text_document_content_refresh(transcript)
            else:
                self.diagnostics.check(file)
                self.refresh_later()

    def _tell_problems(self, file: SessionFile, diagnostics: list[types.Diagnostic]) -> None:
        if asks_again(self.client_capabilities):
            self.workspace_diagnostic_refresh(None)
        else:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(file.uri, diagnostics)
            )

    def refresh_later(self) -> None:
        """Let the editor ask again for hints, lenses and folds, if it can be told to."""
        if self._refreshing is None:
            loop = asyncio.get_running_loop()
            self._refreshing = loop.call_later(_REFRESH_SECONDS, self._refresh)

    def _refresh(self) -> None:
        self._refreshing = None
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return
        for capability, refresh in (
            (workspace.inlay_hint, self.workspace_inlay_hint_refresh),
            (workspace.code_lens, self.workspace_code_lens_refresh),
            (workspace.folding_range, self.workspace_folding_range_refresh),
        ):
            if capability is not None and capability.refresh_support:
                refresh(None)


server = SessionServer()


def answer_of(error: SessiondError | InvalidParams | InvalidRequest) -> JsonRpcException:
    """Return an error of the contract as the editor gets it."""
    match error:
        case SessiondError():
            data = {"kind": error.kind, "retryable": error.retryable, **error.data}
            data = {k: visible(v) if isinstance(v, str) else v for k, v in data.items()}
            return JsonRpcException(visible(error.message), error.code, data)
        case InvalidParams():
            return JsonRpcInvalidParams(visible(error.message), data={"pointer": error.pointer})
    return JsonRpcException(visible(str(error)), types.ErrorCodes.InvalidRequest)


def answered(
    work: Callable[_P, Coroutine[Any, Any, _T]],
) -> Callable[_P, Coroutine[Any, Any, _T]]:
    """Decorate a request, so that errors of the contract are answered as such."""

    @functools.wraps(work)
    async def serve(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return await work(*args, **kwargs)
        except (SessiondError, InvalidParams, InvalidRequest) as error:
            raise answer_of(error) from None

    return serve


class _InDocument(Protocol):
    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...


_D = TypeVar("_D", bound=_InDocument)


def about_a_session(
    work: Callable[[SessionServer, _D, SessionFile], Awaitable[_T]],
) -> Callable[[SessionServer, _D], Coroutine[Any, Any, _T | None]]:
    """Decorate a request about a document: it gets the session file, up to date.

    What is no session has nothing to show, which is answered as null.
    """

    @answered
    async def serve(ls: SessionServer, params: _D) -> _T | None:
        async with ls.files.using(params.text_document.uri) as file:
            return None if file is None else await work(ls, params, file)

    return serve
