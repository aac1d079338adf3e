"""The work that an editor can do with a session file: read its transcript, export, fork, label,
repair.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from sessiond.agents.registry import AGENTS
from sessiond.files import workers
from sessiond.lsp import transcripts
from sessiond.lsp.diagnostics import SOURCE, is_repairable, problems_of
from sessiond.lsp.documents import SessionFile, path_of, uri_of
from sessiond.lsp.protocol import SCHEME
from sessiond.lsp.server import SessionServer, about_a_session, answered, server
from sessiond.runtime.errors import EntryNotFound, SessionNotFound, Unsupported
from sessiond.text.safe import visible

TRANSCRIPT = "sessiond.openTranscript"
PAGE = "sessiond.exportPage"
TEXT = "sessiond.openText"
FORK = "sessiond.fork"
LABEL = "sessiond.label"
RESUME = "sessiond.resume"
REPAIR = "sessiond.repair"

_MOST_SHOWN = 5
_REPAIR = "Repair"
_BOOKMARK = "bookmark"


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(
        [types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor, types.CodeActionKind.Source]
    ),
)
@about_a_session
async def actions(
    ls: SessionServer, params: types.CodeActionParams, file: SessionFile
) -> list[types.CodeAction | types.Command]:
    """Answer what can be done at a line, of the kinds that are asked for."""
    offers = [*_about_entry(ls, file, params.range.start.line), *_about_session(file)]
    if not ls.config.read_only and any(map(is_repairable, await file.problems())):
        repair_it = _offer("Repair the file…", "quickfix", REPAIR, file.uri)
        repair_it.diagnostics = [one for one in params.context.diagnostics if one.source == SOURCE]
        offers.append(repair_it)
    if params.context.trigger_kind == types.CodeActionTriggerKind.Automatic:
        # Nobody has asked: show a light only where something is wrong.
        offers = [each for each in offers if each.kind == "quickfix"]
    if params.context.only is not None:
        prefixes = tuple(f"{getattr(kind, 'value', kind)}." for kind in params.context.only)
        offers = [each for each in offers if f"{each.kind}.".startswith(prefixes)]
    document = ls.client_capabilities.text_document
    action = None if document is None else document.code_action
    if action is None or action.code_action_literal_support is None:
        return [each.command for each in offers if each.command is not None]
    return list(offers)


def _offer(title: str, kind: str, command: str, *arguments: str) -> types.CodeAction:
    run = types.Command(title, command, arguments=list(arguments))
    return types.CodeAction(title, kind, command=run)


def _about_entry(ls: SessionServer, file: SessionFile, line: int) -> Iterator[types.CodeAction]:
    row = file.rows.by_line.get(line)
    if row is None or not row.entry.id.isprintable():
        # Strict readers of JSON refuse an answer for half of a character in an id.
        return
    here = (file.uri, row.entry.id)
    yield _offer("Open the transcript up to here", "source.transcript", TRANSCRIPT, *here)
    yield _offer("Open this entry as text", "source.text", TEXT, *here)
    if ls.config.read_only:
        return
    fork = "Branch from here: a new session that ends with this entry"
    yield _offer(fork, "refactor.branch", FORK, *here)
    if file.contents.migrated:
        # A label would be written to a file that is migrated first.
        return
    is_labelled = file.tree.label(row.entry.id) is not None
    title = "Remove the label" if is_labelled else "Label this entry as a bookmark"
    yield _offer(title, "refactor.label", LABEL, *here, "" if is_labelled else _BOOKMARK)


def _about_session(file: SessionFile) -> Iterator[types.CodeAction]:
    yield _offer("Open the transcript", "source.transcript", TRANSCRIPT, file.uri)
    yield _offer("Export a page", "source.page", PAGE, file.uri)
    yield _offer("Show how to resume this session", "source.resume", RESUME, file.uri)


@server.feature(types.TEXT_DOCUMENT_CODE_LENS)
@about_a_session
async def lenses(
    _ls: SessionServer, _params: types.CodeLensParams, file: SessionFile
) -> list[types.CodeLens]:
    """Answer what stands above the header."""
    line = max(file.contents.loaded.header_number - 1, 0)
    return [
        types.CodeLens(file.range_of_line(line), types.Command(title, name, arguments=[file.uri]))
        for title, name in (("transcript", TRANSCRIPT), ("page", PAGE))
    ]


@server.command(TRANSCRIPT)
@answered
async def open_transcript(ls: SessionServer, uri: str, *upto: str) -> str:
    """Show a session as Markdown; with an id the branch up to the entry. Returns its address."""
    path, entry_id = _path(uri), next(iter(upto), None)
    workspace = ls.client_capabilities.workspace
    if workspace is not None and workspace.text_document_content is not None:
        address = transcripts.address_of(path, entry_id)
    else:
        text = await _exported(ls, path, "markdown", entry_id)
        address = await _kept(ls, path, entry_id or "", ".md", text)
    ls.later(_show(ls, address, "Transcript"))
    return address


@server.command(PAGE)
@answered
async def export_page(ls: SessionServer, uri: str) -> str:
    """Show a session as a page in the browser. Returns its address."""
    path = _path(uri)
    address = await _kept(ls, path, "", ".html", await _exported(ls, path, "html", None))
    ls.later(_show(ls, address, "Page", external=True))
    return address


@server.command(TEXT)
@answered
async def open_text(ls: SessionServer, uri: str, entry_id: str) -> str:
    """Show one entry as Markdown, to be copied. Returns its address."""
    path = _path(uri)
    async with ls.files.using(uri) as file:
        if file is None:
            raise SessionNotFound(path)
        row = file.rows.by_id.get(entry_id)
        if row is None:
            raise EntryNotFound(entry_id)
        text = file.markdown(row)
    address = await _kept(ls, path, f"text of {entry_id}", ".md", text)
    ls.later(_show(ls, address, "Entry"))
    return address


@server.command(FORK)
@answered
async def fork(ls: SessionServer, uri: str, entry_id: str) -> str:
    """Create a session beside this one that ends with an entry and the results of its calls.

    Returns its address.
    """
    path = ls.client.places.path(_path(uri))
    async with ls.files.using(uri) as file:
        cwd = None if file is None else file.contents.header.cwd
    sessions, directory = ls.client.sessions, os.path.dirname(path)
    view = await sessions.fork_from(
        path, cwd or directory, directory, None, leaf_id=entry_id, with_results=True
    )
    new_path = view.document.path
    sessions.close(view)
    ls.later(_show(ls, uri_of(new_path), "New session"))
    return uri_of(new_path)


@server.command(LABEL)
@answered
async def label(ls: SessionServer, uri: str, entry_id: str, text: str) -> None:
    """Label an entry, which is written to the file; an empty text removes the label."""
    opened = await ls.local.call("session/open", path=_path(uri), mustExist=True)
    handle = opened["session"]
    try:
        # The label is None, not absent, where it is removed.
        more = {"label": text} if text else {}
        await ls.local.call("session/appendLabelChange", session=handle, targetId=entry_id, **more)
    finally:
        await ls.local.call("session/close", session=handle)


@server.command(RESUME)
@answered
async def resume(ls: SessionServer, uri: str) -> str:
    """Show the command that goes on with a session. Returns it."""
    path = ls.client.places.path(_path(uri))
    agent = AGENTS[ls.config.profile]
    command = agent.resume_command(path)
    if command is None:
        how = "start the agent by hand"
        raise Unsupported(f"No command resumes sessions of {agent.name}", path, how)
    ls.say(shlex.join(command))
    return shlex.join(command)


@server.command(REPAIR)
@answered
async def repair(ls: SessionServer, uri: str) -> None:
    """Show what would change, and repair the file if the user agrees."""
    path = _path(uri)
    if ls.config.read_only:
        ls.local.expect_writable()
    planned = await ls.local.call("catalog/repair", path=path, dryRun=True)
    changes = [f"line {each.get('line', 1)}: {each['message']}" for each in planned["actions"]]
    if changes:
        # The command is answered at once, because editors do not wait for a person.
        ls.later(_ask_to_repair(ls, path, changes))
        return
    async with ls.files.using(uri) as file:
        left = [] if file is None else await problems_of(file)
    ls.say(
        f"A repair leaves the {len(left)} problems that only the author can solve."
        if left
        else "There is nothing to repair."
    )


async def _ask_to_repair(ls: SessionServer, path: str, changes: list[str]) -> None:
    more = len(changes) - _MOST_SHOWN
    rest = [f"and {more} more"] if more > 0 else []
    question = types.ShowMessageRequestParams(
        types.MessageType.Warning,
        visible("\n".join(["Repair this file? A backup is kept.", *changes[:_MOST_SHOWN], *rest])),
        [types.MessageActionItem(_REPAIR), types.MessageActionItem("Cancel")],
    )
    answer = await ls.window_show_message_request_async(question)
    if answer is not None and answer.title == _REPAIR:
        done = await ls.local.call("catalog/repair", path=path, dryRun=False)
        ls.say(f"Repaired. The file as it was: {done.get('backup', path)}")


@server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT, types.TextDocumentContentOptions([SCHEME]))
@answered
async def content(
    ls: SessionServer, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """Answer a transcript, and follow its session from then on."""
    parts = transcripts.parts_of(params.uri)
    if parts is None:
        raise JsonRpcInvalidParams(f"no transcript: {params.uri}")
    text = await _exported(ls, parts[0], "markdown", parts[1])
    ls.files.open(params.uri, parts[0], uri_of(parts[0]))
    return types.TextDocumentContentResult(text)


async def _exported(ls: SessionServer, path: str, form: str, entry_id: str | None) -> str:
    answer = await ls.local.call("catalog/export", path=path, format=form, leafId=entry_id)
    text = ls.safe(str(answer["content"]))
    return visible(text) if form == "markdown" else text


async def _kept(ls: SessionServer, path: str, what: str, suffix: str, text: str) -> str:
    keep = transcripts.keep
    return uri_of(await workers.undisturbed(keep, ls.env, path, what, suffix, text))


async def _show(ls: SessionServer, address: str, what: str, *, external: bool = False) -> None:
    """Show a document, or say where it is in an editor that cannot."""
    window = ls.client_capabilities.window
    if window is not None and window.show_document is not None and window.show_document.support:
        params = types.ShowDocumentParams(address, external=external)
        if (await ls.window_show_document_async(params)).success:
            return
    ls.say(f"{what}: {path_of(address) or address}")


def _path(uri: str) -> str:
    path = path_of(uri)
    if path is None:
        raise JsonRpcInvalidParams(f"no file: {uri}")
    return path
