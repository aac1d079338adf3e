"""The Language Server Protocol as pygls 2.1.1 speaks it, with what it leaves out.

The rules are those of LSP 3.17, "Lifecycle Messages" and "Document Synchronization".
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from typing import Any

import cattrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)

logger = logging.getLogger(__name__)

SCHEME = "sessiond"
"""Scheme of the addresses of transcripts."""

_VERSION = "2.0"
_MOST_REASONS = 3


def converter() -> Any:
    """Return pygls' converter; it leaves params of methods that are not the editor's alone."""
    json_converter = default_converter()  # type: ignore[no-untyped-call]
    json_converter.register_structure_hook(
        JsonRPCRequestMessage,
        lambda given, kind: kind(given["id"], given["method"], _VERSION, given.get("params")),
    )
    json_converter.register_structure_hook(
        JsonRPCNotification,
        lambda given, kind: kind(given["method"], _VERSION, given.get("params")),
    )
    # Of ten thousands of places in an outline each takes three calls otherwise.
    json_converter.register_unstructure_hook(types.Range, _plain)
    return json_converter


def _plain(given: types.Range) -> dict[str, Any]:
    start, end = given.start, given.end
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def asks_again(capabilities: types.ClientCapabilities) -> bool:
    """Whether an editor asks for problems, and asks again when it is told to."""
    document, workspace = capabilities.text_document, capabilities.workspace
    pulls = document is not None and document.diagnostic is not None
    diagnostics = None if workspace is None else workspace.diagnostics
    return pulls and diagnostics is not None and bool(diagnostics.refresh_support)


class SessionProtocol(LanguageServerProtocol):
    """Structures whole messages, answers those it cannot, and keeps no texts of documents.

    `begun` is called once `initialize` is answered, `ended` with the exit code after `exit`.
    """

    begun: Callable[[], None]
    ended: Callable[[int], None]

    def structure_message(self, data: Any) -> Any:
        """Return an object of a message as it is.

        pygls calls this for every object, also within params, where `jsonrpc` is any member.
        """
        return data

    def handle_message(self, message: Any) -> None:
        """Serve a message; one that cannot be served is answered, if it is a request."""
        number = message.get("id") if isinstance(message, dict) else None
        try:
            self._check(message)
            structured = self._structured(message)
        except JsonRpcException as error:
            self._refuse(message, number, error)
            return
        logger.debug("Received %s", message.get("method", "an answer"))
        super().handle_message(structured)
        if message.get("method") == types.INITIALIZE and self._workspace is not None:
            # In this context, which all later messages inherit, and after the answer was written.
            self.begun()

    def _check(self, message: Any) -> None:
        if not isinstance(message, dict) or message.get("jsonrpc") != _VERSION:
            raise JsonRpcInvalidRequest("not a message of JSON-RPC 2.0")
        if "id" in message and type(message["id"]) not in (int, str):
            raise JsonRpcInvalidRequest("the id is neither a number nor a string")
        method = message.get("method")
        if method is None:
            return
        if not isinstance(method, str):
            raise JsonRpcInvalidRequest("the method is not a string")
        if self._shutdown and method != types.EXIT:
            raise JsonRpcInvalidRequest("the server was shut down")
        if (self._workspace is None) != (method == types.INITIALIZE) and method != types.EXIT:
            if self._workspace is None:
                raise JsonRpcServerNotInitialized("`initialize` is missing")
            raise JsonRpcInvalidRequest("`initialize` was sent already")

    def _structured(self, message: dict[str, Any]) -> Any:
        try:
            return super().structure_message(message)
        except JsonRpcException as error:
            cause = error.__cause__
            # A method is known to be a string, so that only its params can be wrong.
            reasons = cattrs.transform_error(cause, "$") if cause is not None else [str(error)]
            text = "; ".join(reasons[:_MOST_REASONS])
            raise JsonRpcInvalidParams(text) from None

    def _refuse(self, message: Any, number: Any, error: JsonRpcException) -> None:
        logger.info("Refused a message: %s", error)
        if isinstance(message, dict) and "method" in message and "id" not in message:
            return
        if (
            isinstance(message, dict)
            and "method" not in message
            and number in self._request_futures
        ):
            # An answer that cannot be read; somebody waits for it.
            self._handle_response(number, error=error.to_response_error())
            return
        self._send_error(number if type(number) in (int, str) else None, error)

    def _send_error(self, number: int | str | None, error: JsonRpcException) -> None:
        # The converter would leave out an id that is null.
        body = error.to_response_error()
        self._send_data({"jsonrpc": _VERSION, "id": number, "error": body})

    def refuse_unreadable(self) -> None:
        """Answer a message that is not JSON."""
        self._send_error(None, JsonRpcParseError("the message is not JSON"))

    def pass_on(self, method: str, params: Any) -> None:
        """Send a notification of the daemon; `params` is plain JSON, not a type of the protocol."""
        self._send_data(JsonRPCNotification(method, _VERSION, params))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, Any]:
        """Offer transcripts as well, which pygls does not know."""
        result = yield from super().lsp_initialize(params)
        workspace = result.capabilities.workspace or types.WorkspaceOptions()
        workspace.text_document_content = types.TextDocumentContentOptions([SCHEME])
        result.capabilities.workspace = workspace
        if not asks_again(self.client_capabilities):
            # It is told of problems: if it also asked for them, it would show each one twice.
            result.capabilities.diagnostic_provider = None
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: Any) -> None:  # type: ignore[override]
        """Cancel what runs, from a copy: cancelling removes it from what pygls goes through."""
        for number, future in list(self._request_futures.items()):
            if number != self.msg_id:
                future.cancel()
        self._shutdown = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]
        """End the serving; pygls would end the process within."""
        self.ended(0 if self._shutdown else 1)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Keep no text: files are read from disk, never from the editor's buffer."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Ignore what some editors send although the server asks for nothing."""
