"""The features of a session file in an editor: outline, hover, jumps, folds, hints, links,
search.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from lsprotocol import types

from sessiond.files import workers
from sessiond.format.describe.markdown import inline
from sessiond.format.describe.stats import Stats, count
from sessiond.format.describe.usage_line import usage_of
from sessiond.lsp.diagnostics import problems_of
from sessiond.lsp.documents import SessionFile, path_of, uri_of
from sessiond.lsp.figures import local_time, used
from sessiond.lsp.rows import Row, units
from sessiond.lsp.server import SessionServer, about_a_session, answered, server
from sessiond.text.safe import visible, visible_line

_HOVER_CHARS = 2000
_HINT_CHARS = 60
_HITS = 20
_TOOLS = ("toolResult", "bashExecution")


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
@about_a_session
async def outline(
    _ls: SessionServer, _params: types.DocumentSymbolParams, file: SessionFile
) -> list[types.DocumentSymbol]:
    """Answer turns, and branches where they part."""
    return file.outline()


@server.feature(types.TEXT_DOCUMENT_HOVER)
@about_a_session
async def hover(
    _ls: SessionServer, params: types.HoverParams, file: SessionFile
) -> types.Hover | None:
    """Answer the entry of the line as Markdown; on the header the session as a whole."""
    line = params.position.line
    row = file.rows.by_line.get(line)
    if row is not None:
        text = file.markdown(row, _HOVER_CHARS)
    elif line == file.contents.loaded.header_number - 1:
        text = await _of_session(file)
    else:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, visible(text))
    return types.Hover(content, file.range_of_line(line))


async def _of_session(file: SessionFile) -> str:
    tree, header = file.tree, file.contents.header
    stats: Stats = await workers.reading(tree.nbytes, count, tree.snapshot())
    models = ["/".join(filter(None, name)) for name, of in stats.by_model.items() if of.messages]
    messages = sum(stats.by_role.values())
    spent = used(sum(stats.used.tokens.values()), stats.used.cost["total"])
    facts = [local_time(header.timestamp), f"{messages:,} messages", *spent]
    return "\n\n".join(
        [
            " · ".join([f"**{inline(tree.name or 'Session')}**", *map(inline, facts)]),
            *(
                f"{name}: {inline(value)}"
                for name, value in (
                    ("Directory", header.cwd or ""),
                    ("Models", ", ".join(models)),
                    ("Continues", header.parent_session or ""),
                )
                if value
            ),
        ]
    )


def _locations(file: SessionFile, rows: Sequence[Row | None]) -> list[types.Location]:
    by_line = {row.line: row for row in rows if row is not None}
    return [file.location(by_line[line]) for line in sorted(by_line)]


@server.feature(types.TEXT_DOCUMENT_DEFINITION)
@about_a_session
async def definition(
    _ls: SessionServer, params: types.DefinitionParams, file: SessionFile
) -> list[types.Location]:
    """Answer the parent of an entry; of a result the entry with its call."""
    row = file.rows.by_line.get(params.position.line)
    if row is None:
        return []
    parent = file.rows.by_id.get(row.entry.parent_id or "")
    return _locations(file, [file.rows.caller(row) or parent])


@server.feature(types.TEXT_DOCUMENT_REFERENCES)
@about_a_session
async def references(
    _ls: SessionServer, params: types.ReferenceParams, file: SessionFile
) -> list[types.Location]:
    """Answer the children of an entry, its labels, and the results of its calls."""
    row = file.rows.by_line.get(params.position.line)
    if row is None:
        return []
    rows = file.rows
    children = [rows.by_id[each.id] for each in file.tree.children(row.entry.id)]
    own = [row] if params.context.include_declaration else []
    named = rows.labels.get(row.entry.id, ())
    return _locations(file, [*own, *children, *named, *rows.results(row)])


@server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)
@about_a_session
async def implementation(
    _ls: SessionServer, params: types.ImplementationParams, file: SessionFile
) -> list[types.Location]:
    """Answer the results of the calls of an entry."""
    row = file.rows.by_line.get(params.position.line)
    return [] if row is None else _locations(file, file.rows.results(row))


@server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
@about_a_session
async def folds(
    _ls: SessionServer, _params: types.FoldingRangeParams, file: SessionFile
) -> list[types.FoldingRange]:
    """Answer turns and runs of tools that take more than one line, with what they begin with."""
    ranges: list[types.FoldingRange] = []
    turn: Row | None = None
    tools: Row | None = None
    last: Row | None = None

    def fold(first: Row | None) -> None:
        if first is not None and last is not None and last.line > first.line:
            said = f"{first.caption()} ({last.line - first.line + 1} lines)"
            ranges.append(types.FoldingRange(first.line, last.line, collapsed_text=said))

    for row in file.rows.all:
        role = row.entry.role
        if role not in _TOOLS:
            fold(tools)
        tools = (tools or row) if role in _TOOLS else None
        if role == "user":
            fold(turn)
            turn = row
        last = row
    fold(tools)
    fold(turn)
    return ranges


@server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
@about_a_session
async def hints(
    ls: SessionServer, params: types.InlayHintParams, file: SessionFile
) -> list[types.InlayHint]:
    """Answer who speaks, when, what is said, tokens, cost and branches, before each line."""
    if not ls.settings.hints:
        return []
    lines = range(params.range.start.line, params.range.end.line + 1)
    if len(lines) > len(file.rows.all):
        rows: Iterator[Row] = (row for row in file.rows.all if row.line in lines)
    else:
        rows_of_lines = (file.rows.by_line.get(line) for line in lines)
        rows = (row for row in rows_of_lines if row is not None)
    children = Counter(map(file.tree.parent_of, file.tree.by_id.values()))
    return [
        types.InlayHint(
            types.Position(row.line, 0),
            _hint(file, row, children[row.entry.id]),
            padding_right=True,
        )
        for row in rows
    ]


def _hint(file: SessionFile, row: Row, branches: int) -> str:
    entry, tree = row.entry, file.tree
    usage = usage_of(entry.raw) if entry.role == "assistant" else None
    amounts = None if usage is None else usage.amounts
    label = tree.label(entry.id)
    facts = [
        f"{row.who}{' failed' if row.uses.failed else ''}",
        local_time(entry.timestamp),
        row.said if len(row.said) <= _HINT_CHARS else f"{row.said[:_HINT_CHARS]}…",
        *([] if amounts is None else used(sum(amounts.tokens), amounts.total)),
        f"{branches} branches" if branches > 1 else "",
        "" if entry.id in file.current() else "other branch",
        "" if label is None else f"[{label}]",
    ]
    return visible_line(" · ".join(filter(None, facts)))


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
@about_a_session
async def links(
    ls: SessionServer, _params: types.DocumentLinkParams, file: SessionFile
) -> list[types.DocumentLink]:
    """Answer the files that calls name, and the session that this one continues."""
    header = file.contents.header
    cwd = header.cwd or "/"
    document_links = []
    raw = file.contents.loaded.header_line
    quoted = f'"{header.parent_session}"'.encode("utf-8", "replace")
    at = raw.find(quoted)
    if header.parent_session and at >= 0:
        start = units(raw[: at + 1], ls.encoding)
        span = (start, start + units(quoted[1:-1], ls.encoding))
        document_links.append(
            _link(file.contents.loaded.header_number - 1, *span, header.parent_session, cwd)
        )
    for row in file.rows.all:
        document_links += [_link(row.line, start, end, path, cwd) for start, end, path in row.links]
    return document_links


def _link(line: int, start: int, end: int, path: str, cwd: str) -> types.DocumentLink:
    span = types.Range(types.Position(line, start), types.Position(line, end))
    target = os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))
    return types.DocumentLink(span, uri_of(target) if "\0" not in target else None)


@server.feature(
    types.TEXT_DOCUMENT_DIAGNOSTIC,
    types.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=False, identifier="sessiond"
    ),
)
@answered
async def diagnostics(
    ls: SessionServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    """Answer the problems of a file; none of what is no session."""
    async with ls.files.using(params.text_document.uri) as file:
        items = [] if file is None else await problems_of(file)
        return types.RelatedFullDocumentDiagnosticReport(items)


@server.feature(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolOptions(resolve_provider=True))
@answered
async def search(
    ls: SessionServer, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    """Search all sessions of the agent. Cancelling the request cancels the search."""
    token, progress = params.work_done_token, ls.work_done_progress
    if token is not None:
        progress.begin(token, types.WorkDoneProgressBegin("Searching sessions"))
    try:
        answer = await ls.local.call("catalog/search", query=params.query, limit=_HITS)
    finally:
        if token is not None:
            progress.end(token, types.WorkDoneProgressEnd())
    symbols = [symbol for hit in answer["hits"] for symbol in _symbols(ls, hit)]
    if not _resolves(ls.client_capabilities):
        symbols = [await resolve(ls, symbol) for symbol in symbols]
    return symbols


def _resolves(capabilities: types.ClientCapabilities) -> bool:
    """Whether the editor asks for the range of the symbol that a person chooses."""
    workspace = capabilities.workspace
    symbol = None if workspace is None else workspace.symbol
    resolved = None if symbol is None else symbol.resolve_support
    return resolved is not None and "location.range" in resolved.properties


def _symbols(ls: SessionServer, hit: dict[str, Any]) -> Iterator[types.WorkspaceSymbol]:
    """Yield the messages of a session that were found, or the session by its name."""
    info = hit["info"]
    called = visible_line(ls.safe(info.get("name") or info["firstMessage"]))
    matches = [
        (visible_line(ls.safe(each["text"])), visible(each["entryId"])) for each in hit["snippets"]
    ]
    for text, entry_id in matches or [(called, "")]:
        yield types.WorkspaceSymbol(
            types.LocationUriOnly(uri_of(info["path"])),
            text or visible_line(info["path"]),
            types.SymbolKind.String,
            container_name=called,
            data={"entryId": entry_id},
        )


@server.feature(types.WORKSPACE_SYMBOL_RESOLVE)
@answered
async def resolve(ls: SessionServer, symbol: types.WorkspaceSymbol) -> types.WorkspaceSymbol:
    """Add the line to a symbol of a search; the first one if the entry is not there any more."""
    uri = symbol.location.uri
    entry_id = symbol.data.get("entryId") if isinstance(symbol.data, dict) else None
    start = types.Position(0, 0)
    symbol.location = types.Location(uri, types.Range(start, start))
    if path_of(uri) is not None:
        async with ls.files.using(uri) as file:
            row = None if file is None else file.rows.by_id.get(entry_id or "")
            if file is not None and row is not None:
                symbol.location = file.location(row)
    return symbol
