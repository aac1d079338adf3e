"""`sessiond search`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import click
from rich.text import Text

from sessiond.cli.astext import clean, homely, moment, one_line, title
from sessiond.cli.command import choice, command, dates, flag, number
from sessiond.cli.days import period
from sessiond.cli.hits import best_snippet, words_of
from sessiond.cli.nothing import why_nothing
from sessiond.cli.running import FOUND_PROBLEMS, Run, refuse_several
from sessiond.cli.telling import put
from sessiond.cli.terminal import shortened
from sessiond.cli.transcript import TranscriptLine
from sessiond.format.ids import short_entry_id, short_ids
from sessiond.format.line_texts import FIELDS

_TITLE = 50
_ALL = "all"


@command("search", shares=True)
@click.argument("query", required=False)
@choice("--mode", among=["text", "fuzzy", "regex"], text="How to match.")
@choice(
    "--in",
    "fields",
    among=[*FIELDS, _ALL],
    text="What is searched; repeat it for several (by default `said`).",
    multiple=True,
)
@click.option("--tool", "tools", metavar="NAME", multiple=True, help="Only of this tool.")
@click.option("--file", "files", metavar="PATH", multiple=True, help="Only calls that name PATH.")
@click.option("--model", metavar="TEXT", help="Only of models whose id contains TEXT.")
@choice(
    "--role",
    "roles",
    among=["user", "assistant", "toolResult", "bashExecution"],
    text="Only of this role.",
    multiple=True,
)
@flag("--current-branch", text="Only of the branch that a session is opened at.")
@dates("Said or done on")
@click.option("--cwd", metavar="DIR", help="Only sessions of DIR.")
@flag("-a", "--all", "everything", text="Sessions of all directories (the default).")
@number("-n", "--limit", default=20, text="At most N hits.")
async def main(
    run: Run,
    *,
    query: str | None,
    mode: str | None,
    cwd: str | None,
    everything: bool,
    limit: int,
    on: str | None,
    since: str | None,
    until: str | None,
    timezone: str | None,
    model: str | None,
    current_branch: bool,
    **texts: Sequence[str],
) -> int:
    """Search names, ids, directories and messages.

    With --in, --tool, --file, --role or --model it searches calls of tools, their results,
    commands, thinking and summaries. Without QUERY it shows all of these.
    """
    refuse_several({"--cwd": cwd is not None, "--all": everything})
    params: dict[str, Any] = {"query": query or "", "mode": mode, "cwd": cwd, "limit": limit}
    params |= {"model": model, "currentBranch": current_branch or None}
    said = period(on, since, until, timezone)
    params |= said.days()
    params |= {name: list(given) for name, given in texts.items() if given}
    if _ALL in params.get("fields", ()):
        params["fields"] = list(FIELDS)
    if query is None and not said.is_given and not model and not any(texts.values()):
        raise click.UsageError("expected QUERY, or a filter such as --file")
    result = await run.answer("catalog/search", **params, suggest=True)
    if run.json:
        return 0 if result["hits"] else FOUND_PROBLEMS
    has_problems = run.tell_problems(result)
    short = short_ids([hit["info"]["id"] for hit in result["hits"]])
    words = words_of(query or "")
    with run.screen.paged():
        for hit in result["hits"]:
            _print(run, hit, short[hit["info"]["id"]], words)
    if result["hits"]:
        run.tell_zone(said)
    elif not has_problems:
        await why_nothing(run, cwd, said)
        for suggestion in result.get("suggestions", ()):
            run.tell(_suggested(suggestion))
    if 0 < len(result["hits"]) < result["total"]:
        run.tell(f"{len(result['hits'])} of {result['total']} hits; -n shows more")
    return 0 if result["hits"] else FOUND_PROBLEMS


def _print(run: Run, hit: dict[str, Any], short: str, words: Sequence[str]) -> None:
    """Print one block for a hit: the session, the texts, and a command that shows the best."""
    info = hit["info"]
    at = moment(info["modified"])
    date = "?" if at is None else at.astimezone().strftime("%Y-%m-%d %H:%M")
    head = Text().append(date, style="dim")
    head.append("  ")
    head.append(shortened(title(info), _TITLE), style="bold")
    head.append(f"  {homely(one_line(info['cwd']))}", style="dim")
    if "agent" in info:
        head.append(f"  {info['agent']}", style="dim")
    run.screen.line(head)
    put(run, [TranscriptLine(_marked(snippet), 2) for snippet in hit["snippets"]])
    entry = best_snippet(hit, words).entry_id
    around = f" --around {short_entry_id(entry)}" if entry else ""
    command = f"    sessiond show {one_line(short + around)}"
    count, matches = len(hit["snippets"]), hit["matchCount"]
    if matches > count:
        more = "+" if hit.get("hasMoreMatches") else ""
        command += f"   # {count} of {matches}{more} matching messages"
    copies = len(hit.get("alsoIn", ()))
    if copies:
        command += f"   # also in {copies} other session{'s' if copies > 1 else ''}"
    run.screen.line(Text(command, style="dim"))


def _suggested(suggestion: dict[str, Any]) -> str:
    """Return a line with another search that finds something."""
    total, fields = suggestion["total"], suggestion.get("fields", ())
    many = "1 session has it" if total == 1 else f"{total} sessions have it"
    command = ["sessiond", "search", suggestion["query"]]
    command += [word for field in fields for word in ("--in", field)]
    where = f" in {' and '.join(fields)}" if fields else ""
    if suggestion.get("everywhere"):
        where = " in other directories"
    return f"{many}{where}: `{one_line(shlex.join(command))}`"


def _source(snippet: dict[str, Any]) -> str:
    """The speaker of a text, or what was done, to which file, and when."""
    if "field" not in snippet:
        return str(snippet["role"])
    part = {"calls": "", "results": " result"}.get(snippet["field"], f" {snippet['field']}")
    done = f"{snippet.get('tool', '')}{part}".strip() or str(snippet["role"])
    at = moment(snippet["time"]) if "time" in snippet else None
    date = "" if at is None else at.astimezone().strftime("%Y-%m-%d %H:%M")
    return clean(one_line(" ".join(filter(None, (date, done, snippet.get("file"))))))


def _place(snippet: dict[str, Any]) -> str:
    return " (another branch)" if snippet.get("onCurrentBranch") is False else ""


def _marked(snippet: dict[str, Any]) -> Text:
    # Ranges count UTF-16 units, Python counts characters.
    units: bytes = snippet["text"].encode("utf-16-le", errors="surrogatepass")

    def part(start: int, end: int | None) -> str:
        stop = None if end is None else 2 * end
        text = units[2 * start : stop].decode("utf-16-le", errors="replace")
        return clean(text.replace("\n", " ").replace("\t", " "))

    line, at = Text().append(f"{_source(snippet)}{_place(snippet)}: ", style="dim"), 0
    for start, end in snippet["ranges"]:
        line.append(part(at, start))
        line.append(part(start, end), style="bold red")
        at = end
    line.append(part(at, None))
    return line
