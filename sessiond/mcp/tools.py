"""The base of all tools, and the tools `search_sessions` and `list_sessions`.

A result is text alone: several agents show a model either the text or the values of a result, and
only in a text can every quoted line be marked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from typing import Annotated, Any, Literal

import attrs
import msgspec
from msgspec import Meta

from sessiond.format.line_texts import FIELDS, SAID, texts_of
from sessiond.mcp import safe_text
from sessiond.mcp.sessions import (
    Branch,
    Info,
    Period,
    ShownSessions,
    ToolFailure,
    period_of,
    session_id,
)
from sessiond.runtime.errors import SessiondError
from sessiond.sessions.moment import Moment


@attrs.frozen
class Tool:
    """A tool. `run` returns the text, and raises ToolFailure with what the model can do instead."""

    name: str
    title: str
    description: str
    arguments: type[msgspec.Struct]
    run: Callable[[ShownSessions, Any], Coroutine[Any, Any, str]]

    def described(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema_of(self.arguments),
            "annotations": {
                "title": self.title,
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a class, without references and without `null` for what is optional.

    Several agents pass schemas on to models that support neither.
    """
    schema = msgspec.json.schema(kind)
    return dict(_plain(schema, schema.get("$defs", {})))


def _plain(schema: Any, named: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_plain(each, named) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        definition = named[schema["$ref"].rpartition("/")[2]]
        return _plain({**definition, **{k: v for k, v in schema.items() if k != "$ref"}}, named)
    if "anyOf" in schema:
        rest = [each for each in schema["anyOf"] if each != {"type": "null"}]
        if len(rest) == 1:
            others = {name: value for name, value in schema.items() if name != "anyOf"}
            schema = {**rest[0], **others}
    return {
        name: _members(value, named) if name == "properties" else _plain(value, named)
        for name, value in schema.items()
        if name not in ("$defs", "title") and not (name == "default" and value is None)
    }


def _members(schemas: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(schema, named) for name, schema in schemas.items()}


_SNIPPETS = 3
_MATCH = 400
_BESIDE = 200
_BESIDE_SESSIONS = 5
"""Sessions of an answer whose hits are shown with what was said before or after them."""
_BESIDE_BYTES = 8 * 1024 * 1024
"""Size of a session up to which they are: a larger one takes long to open."""
_DIRECTORIES = 10
_HINT = 2000
_ANSWER_BYTES = 11_000
"""Limit for an answer with hits: an agent cuts a longer one in its middle, where hits are."""
_MOST_TRIED = 8

_SINCE = "6h, 2d, 3w, 6mo, or a date (2026-01-31)"
_CWD = Meta(
    description="Only sessions of this directory and those below it: a path, or the name of a"
    " project's directory."
)


class SearchArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of search_sessions."""

    query: Annotated[
        str,
        Meta(
            description='Words and "quoted phrases"; a session must contain all of them. Few and'
            " characteristic words find most. What user and assistant said is searched, and names"
            " of sessions and directories. Empty only with `file`.",
            max_length=4096,
        ),
    ] = ""
    everywhere: Annotated[
        bool | None,
        Meta(
            description="Also search thinking, calls of tools, their results, commands and"
            " summaries: for an error message, a command or a name in code."
        ),
    ] = None
    file: Annotated[
        str | None,
        Meta(
            description="Only what was done to this file: a path, or the end of one (src/api.ts)."
            " With an empty query the sessions that touched it."
        ),
    ] = None
    cwd: Annotated[str | None, _CWD] = None
    since: Annotated[str | None, Meta(description=f"Only what was said since: {_SINCE}.")] = None
    until: Annotated[
        str | None, Meta(description="Only what was said until: as `since`; a day is included.")
    ] = None
    mode: Annotated[
        Literal["text", "fuzzy", "regex"] | None,
        Meta(
            description="text (default): words and phrases. fuzzy: also scattered characters"
            " of names. regex: one regular expression, not case-sensitive."
        ),
    ] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=50)] | None,
        Meta(description="Maximum number of sessions; 10 by default."),
    ] = None


Page = Mapping[str, Any]
"""A result of `catalog/search`."""
Hit = Mapping[str, Any]
"""A hit of it."""


async def search(sessions: ShownSessions, given: SearchArguments) -> str:
    if not given.query.strip() and not given.file:
        raise ToolFailure("The query is empty. To see the latest sessions, use list_sessions.")
    period = period_of(given.since, given.until)
    params: dict[str, Any] = {"query": given.query, "mode": given.mode}
    if given.file:
        params["files"] = [given.file]
    elif given.everywhere:
        params["fields"] = list(FIELDS)
    limit = given.limit or 10
    page: Page = await sessions.search(given.cwd, period, **params, limit=limit)
    said = ""
    if not page["hits"]:
        said, page = await _with_fewer_words(sessions, given, period, params, limit)
    if not page["hits"]:
        return await _nothing(sessions, given, period, params)
    count = f"{len(page['hits'])}{'+' if 'nextCursor' in page else ''}"
    lines = [f"{said}Found in {sessions.scope}: {count}. {safe_text.NOTICE}"]
    size, left = len(lines[0].encode()), "nextCursor" in page
    for number, hit in enumerate(page["hits"]):
        part = await _found(sessions, hit, with_beside=number < _BESIDE_SESSIONS)
        size += sum(len(line.encode()) + 1 for line in part)
        if number and size > _ANSWER_BYTES:
            left = True
            break
        lines += part
    lines += ["", 'Read on with open_session(session="...", around="<entry>").']
    if left:
        lines += ["More sessions match: add words, or choose a time or a directory."]
    return "\n".join([*lines, *_problems(page)])


def _problems(page: Page) -> Iterator[str]:
    """Yield how many sessions are missing, and why."""
    problems = {str(problem["path"]): problem["kind"] for problem in page.get("problems", ())}
    late = sum(kind == "timedOut" for kind in problems.values())
    if late < len(problems):
        yield f"{len(problems) - late} files could not be read."
    if late:
        yield f"There was no time left to search {late} sessions; search again."


async def _with_fewer_words(
    sessions: ShownSessions, given: SearchArguments, period: Period, page_of: Page, limit: int
) -> tuple[str, Page]:
    """Search for the rarest words that occur together; returns what was done, and the page."""
    words = list(dict.fromkeys(given.query.split()))
    nothing: tuple[str, Page] = ("", {"hits": []})
    if not 1 < len(words) <= _MOST_TRIED or '"' in given.query or given.mode == "regex":
        return nothing
    counts = {
        word: (await sessions.search(given.cwd, period, **{**page_of, "query": word}, limit=0))[
            "total"
        ]
        for word in words
    }
    frequent = sorted(filter(counts.__getitem__, words), key=counts.__getitem__)
    for many in range(min(len(frequent), len(words) - 1), 0, -1):
        query = " ".join(frequent[:many])
        page = await sessions.search(given.cwd, period, **{**page_of, "query": query}, limit=limit)
        if page["hits"]:
            said = "No session contains all of these words; these contain: "
            return f"{said}{safe_text.one_line(query, _HINT)}. ", page
    return nothing


async def _nothing(
    sessions: ShownSessions, given: SearchArguments, period: Period, page_of: Page
) -> str:
    async def count(cwd: str | None, when: Period) -> int:
        return int((await sessions.search(cwd, when, **page_of, limit=0))["total"])

    said = f"No session of {sessions.scope} contains all of these words."
    if given.file:
        said = f"No session of {sessions.scope} names this file in a call."
    others = 'Try fewer or other words, `everywhere`, or mode "fuzzy".'
    hint = await _left_out(sessions, given, period, count)
    return f"{said} {others}{sessions.widen}{hint}"


async def _left_out(
    sessions: ShownSessions,
    given: SearchArguments | ListArguments,
    period: Period,
    count: Callable[[str | None, Period], Awaitable[int]],
) -> str:
    """Say what the filters of an empty answer left out, to be added to it; "" if nothing.

    Without that a model takes the answer for "there is none".
    """
    cwd, always = given.cwd, Period()
    said = []
    if period != always and (more := await count(cwd, always)):
        said.append(f"{more} at other times than those of `since` and `until`")
    if cwd is not None and (elsewhere := await count(None, period)):
        said.append(f"{elsewhere} in other directories than `cwd`")
    if not said and cwd is not None and period != always and (more := await count(None, always)):
        said.append(f"{more} without `cwd`, `since` and `until`")
    hints = f" The filters left out: {', '.join(said)}." if said else ""
    if cwd is not None and not await sessions.infos(cwd):
        directories = dict.fromkeys(sessions.directory(info) for info in await sessions.infos())
        if directories:
            hints += " No session has this directory. Directories that have:"
            return "\n".join([hints, *(f"> {each}" for each in list(directories)[:_DIRECTORIES])])
    return hints


async def _found(sessions: ShownSessions, hit: Hit, *, with_beside: bool) -> list[str]:
    """The lines of a session that was found."""
    info, snippets = hit["info"], hit["snippets"][:_SNIPPETS]
    beside = {}
    if with_beside and snippets and info.get("sizeBytes", 0) <= _BESIDE_BYTES:
        ids = [str(each["entryId"]) for each in snippets if each["role"] in ("user", "assistant")]
        try:
            beside = await sessions.read(info, lambda at: _beside(at, ids))
        except SessiondError:
            # It has been found; what stands beside can be read with open_session.
            beside = {}
    lines = ["", f"{_facts(info)}:", *_heading(sessions, info)]
    for snippet in snippets:
        entry = safe_text.entry_id(str(snippet["entryId"])) or "(without an id)"
        tool = safe_text.one_line(sessions.text(snippet.get("tool", "")), 40)
        what = str(snippet.get("field", snippet["role"]))
        time = safe_text.timestamp(str(snippet.get("time", ""))) or "time unknown"
        other = ", on another branch" if snippet.get("onCurrentBranch") is False else ""
        lines += [f"  {what}, {time}{other}:", f"> entry {entry}{f', {tool}' if tool else ''}"]
        lines += [f"> {safe_text.one_line(str(snippet['text']), _MATCH)}"]
        if str(snippet["entryId"]) in beside:
            said, text = beside[str(snippet["entryId"])]
            lines += [f"  {said}:", f"> {safe_text.one_line(sessions.text(text), _BESIDE)}"]
    return lines


def _heading(sessions: ShownSessions, info: Info) -> list[str]:
    """The id, title and directory of a session, each as a quotation."""
    return [
        f"> session {session_id(info)}",
        f"> {sessions.title(info)}",
        f"> in {sessions.directory(info)}",
    ]


def _facts(info: Info) -> str:
    agent = f", {info['agent']}" if info.get("agent") else ""
    return f"{safe_text.timestamp(str(info['modified'])) or 'time unknown'}{agent}"


def _beside(at: Moment, entry_ids: list[str]) -> dict[str, tuple[str, str]]:
    """The question before each answer, or the answer after each question, by the entry's id."""
    current, answers = Branch(at.tree, at.leaf_id), {}
    for entry_id in entry_ids:
        if entry_id not in at.tree:
            continue
        branch = current if current.index(entry_id) is not None else Branch(at.tree, entry_id)
        place = branch.index(entry_id)
        if place is None:
            continue
        if branch.entries[place].role == "user":
            said, role_beside, order = "answered", "assistant", range(place + 1, len(branch))
        else:
            said, role_beside, order = "asked before", "user", range(place - 1, -1, -1)
        for number in order:
            role = branch.entries[number].role
            if role == "user" != role_beside:
                break
            if role == role_beside and (text := _said(branch, number)):
                answers[entry_id] = said, text
                break
    return answers


def _said(branch: Branch, number: int) -> str:
    return " ".join(each.text for each in texts_of(0, branch.line(number)) if each.field == SAID)


SEARCH_SESSIONS = Tool(
    name="search_sessions",
    title="Search past sessions",
    description=(
        "Search earlier conversations between the user and coding agents: what was asked, decided,"
        " tried, and found. Use it before asking the user for something that may have been said"
        " before, or investigating something again. Returns sessions with ids, and matching"
        " entries with their times for open_session; `file` tells who touched a file."
    ),
    arguments=SearchArguments,
    run=search,
)


class ListArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of list_sessions."""

    cwd: Annotated[str | None, _CWD] = None
    since: Annotated[str | None, Meta(description=f"Only sessions used since: {_SINCE}.")] = None
    until: Annotated[
        str | None, Meta(description="Only sessions begun until: as `since`; a day is included.")
    ] = None
    model: Annotated[
        str | None, Meta(description="Only sessions with a model whose name contains this.")
    ] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None,
        Meta(description="Maximum number of sessions; 20 by default."),
    ] = None


async def list_sessions(sessions: ShownSessions, given: ListArguments) -> str:
    period = period_of(given.since, given.until)

    async def fitting(cwd: str | None, when: Period) -> list[Info]:
        return await sessions.infos(cwd, when, given.model)

    async def count(cwd: str | None, when: Period) -> int:
        return len(await fitting(cwd, when))

    matches = await fitting(given.cwd, period)
    if not matches:
        hint = await _left_out(sessions, given, period, count)
        return f"No session of {sessions.scope} fits.{sessions.widen}{hint}"
    page = matches[: given.limit or 20]
    numbers = f"{len(page)} of {len(matches)}"
    lines = [f"Sessions of {sessions.scope}, the latest first: {numbers}. {safe_text.NOTICE}"]
    for info in page:
        lines += ["", f"{_facts(info)}, {info['messageCount']} messages:"]
        lines += _heading(sessions, info)
    return "\n".join([*lines, "", 'Read one with open_session(session="...").'])


LIST_SESSIONS = Tool(
    name="list_sessions",
    title="List past sessions",
    description=(
        "List earlier conversations between the user and coding agents, the latest first: what was"
        " worked on, when, and in which directory. To find something that was said, use"
        " search_sessions."
    ),
    arguments=ListArguments,
    run=list_sessions,
)
