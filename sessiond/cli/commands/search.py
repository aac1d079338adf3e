"""`sessiond search`."""

from __future__ import annotations

import json
from typing import Any

from rich.text import Text

from sessiond.cli.astext import clean, homely, moment, one_line, title
from sessiond.cli.running import FOUND_PROBLEMS, Run, refuse_both, why_nothing
from sessiond.cli.terminal import shortened

_TITLE = 50


async def search(
    run: Run, *, query: str, mode: str | None, cwd: str | None, everything: bool, limit: int
) -> int:
    refuse_both(cwd, everything)
    params = {"query": query, "mode": mode, "cwd": cwd, "limit": limit}
    if run.json:
        answer = await run.daemon.call_raw("catalog/search", **params)
        run.screen.raw(answer)
        return 0 if json.loads(answer)["hits"] else FOUND_PROBLEMS
    result = await run.daemon.call("catalog/search", **params)
    has_problems = run.tell_problems(result)
    for hit in result["hits"]:
        _print(run, hit)
    if not result["hits"] and not has_problems:
        await why_nothing(run, cwd)
    elif result["total"] > len(result["hits"]):
        run.tell(f"{len(result['hits'])} of {result['total']} hits; -n shows more")
    return 0 if result["hits"] else FOUND_PROBLEMS


def _print(run: Run, hit: dict[str, Any]) -> None:
    info = hit["info"]
    at = moment(info["modified"])
    date = "?" if at is None else at.astimezone().strftime("%Y-%m-%d %H:%M")
    head = Text().append(date, style="dim")
    head.append("  ")
    head.append(shortened(title(info), _TITLE), style="bold")
    head.append(f"  {homely(one_line(info['cwd']))}", style="dim")
    run.screen.line(head)
    for snippet in hit["snippets"]:
        run.screen.line(_marked(snippet))
        if snippet["entryId"]:
            _tell_command(run, info["id"], f" --leaf {snippet['entryId']}")
    if not any(snippet["entryId"] for snippet in hit["snippets"]):
        _tell_command(run, info["id"], "")


def _tell_command(run: Run, session: str, rest: str) -> None:
    """Print a command that can be pasted into the shell."""
    run.screen.line(Text(f"    sessiond show {one_line(session + rest)}", style="dim"))


def _marked(snippet: dict[str, Any]) -> Text:
    # Ranges count UTF-16 units, Python counts characters.
    units: bytes = snippet["text"].encode("utf-16-le", errors="surrogatepass")

    def part(start: int, end: int | None) -> str:
        stop = None if end is None else 2 * end
        text = units[2 * start : stop].decode("utf-16-le", errors="replace")
        return clean(text.replace("\n", " ").replace("\t", " "))

    line, at = Text().append(f"  {snippet['role']}: ", style="dim"), 0
    for start, end in snippet["ranges"]:
        line.append(part(at, start))
        line.append(part(start, end), style="bold red")
        at = end
    line.append(part(at, None))
    return line
