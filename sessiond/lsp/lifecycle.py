"""Notifications of an editor about itself and of its documents."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from sessiond.files import workers
from sessiond.lsp import transcripts
from sessiond.lsp.documents import path_of
from sessiond.lsp.server import SessionServer, server


@server.feature(types.INITIALIZED)
def initialized(ls: SessionServer, _params: types.InitializedParams) -> None:
    """Read the settings, and remove documents of sessions that are gone."""
    ls.later(_read_settings(ls))
    ls.later(workers.reading(workers.LONG, transcripts.drop_old, ls.env))


@server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
def settings_changed(ls: SessionServer, params: types.DidChangeConfigurationParams) -> None:
    """Read the settings again, from the editor if it can be asked."""
    if _answers_settings(ls):
        ls.later(_read_settings(ls))
    else:
        ls.set(params.settings)


def _answers_settings(ls: SessionServer) -> bool:
    workspace = ls.client_capabilities.workspace
    return workspace is not None and bool(workspace.configuration)


async def _read_settings(ls: SessionServer) -> None:
    if _answers_settings(ls):
        params = types.ConfigurationParams([types.ConfigurationItem(section="sessiond")])
        given: Any = await ls.workspace_configuration_async(params)
        ls.set(given[0] if given else None)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def opened(ls: SessionServer, params: types.DidOpenTextDocumentParams) -> None:
    """Follow a file, also one that is no session yet, and tell its problems."""
    uri = params.text_document.uri
    path = path_of(uri)
    if path is not None:
        ls.diagnostics.open(ls.files.open(uri, path, uri))


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def closed(ls: SessionServer, params: types.DidCloseTextDocumentParams) -> None:
    """Let go of a file."""
    file = ls.files.close(params.text_document.uri)
    if file is not None:
        ls.diagnostics.close(file)
