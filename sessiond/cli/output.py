"""How commands show things: tables and colours on a terminal, plain lines in a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")

_GAP = 2
_NARROWEST = 8

ROLE_STYLES = {
    "user": "bold cyan",
    "assistant": "green",
    "toolResult": "yellow",
    "bashExecution": "yellow",
}


def stdout() -> Console:
    """Standard output; what its encoding cannot show is replaced."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False, markup=False, soft_wrap=True)


def clean(text: str) -> str:
    """Text from a session without what would steer the terminal or turn text around."""
    return _CONTROL.sub("\ufffd", text)


def one_line(text: str) -> str:
    return clean(" ".join(text.split()))


def table(console: Console, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """A table that fits the terminal; in a pipe one line per row, cells separated by tabs.

    Cells that are Text keep their colours, and must be clean.
    """
    if not console.is_terminal:
        for row in rows:
            # Not through rich, which turns tabs into spaces.
            console.file.write("\t".join(one_line(str(cell)) for cell in row) + "\n")
        return
    cells = [[_cell(cell) for cell in row] for row in rows]
    shown = Table(box=None, pad_edge=False, header_style="bold", show_header=any(columns))
    widths = [
        max([len(name), *(row[at].cell_len for row in cells)]) for at, name in enumerate(columns)
    ]
    # Where it is tight the last column gives way, and not each a bit.
    left = console.width - sum(widths[:-1]) - _GAP * (len(columns) - 1)
    widths[-1] = min(widths[-1], max(left, _NARROWEST))
    for name, width in zip(columns, widths, strict=True):
        shown.add_column(name, no_wrap=True, overflow="ellipsis", width=width)
    for row in cells:
        shown.add_row(*row)
    console.print(shown, soft_wrap=False)


def _cell(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(one_line(cell))


def age(timestamp: str, now: datetime | None = None) -> str:
    """How long ago, as pi's session selector says it: now, m, h, d, w, mo, y."""
    try:
        then = datetime.fromisoformat(timestamp)
    except ValueError:
        return "?"
    minutes = int(((now or datetime.now(UTC)) - then).total_seconds() // 60)
    days = minutes // 1440
    steps = [
        (minutes < 1, "now"),
        (minutes < 60, f"{minutes}m"),
        (minutes < 1440, f"{minutes // 60}h"),
        (days < 7, f"{days}d"),
        (days < 30, f"{days // 7}w"),
        (days < 365, f"{days // 30}mo"),
    ]
    return next((text for holds, text in steps if holds), f"{days // 365}y")


def size(count: int) -> str:
    """Bytes in a readable unit."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def entry_lines(entry: dict[str, Any]) -> list[Text]:
    """An entry as a person reads it: who, and what was said."""
    kind = str(entry.get("type"))
    message = entry.get("message") if kind == "message" else None
    if not isinstance(message, dict):
        return [Text(f"· {kind} {one_line(_facts(entry))}", style="dim")]
    role = str(message.get("role"))
    style = ROLE_STYLES.get(role, "magenta")
    shown = [Text(f"{role}", style=style)]
    for text, how in _blocks(message):
        shown += [Text(f"  {line}", style=how) for line in clean(text).splitlines() or [""]]
    return shown


def _facts(entry: dict[str, Any]) -> str:
    known = (
        "name",
        "label",
        "thinkingLevel",
        "provider",
        "modelId",
        "customType",
        "summary",
        "reason",
    )
    return " ".join(str(entry[name]) for name in known if isinstance(entry.get(name), str))


def _blocks(message: dict[str, Any]) -> list[tuple[str, str]]:
    if isinstance(message.get("command"), str):
        return [(f"$ {message['command']}", "bold"), (str(message.get("output", "")), "")]
    content = message.get("content")
    if isinstance(content, str):
        return [(content, "")]
    found: list[tuple[str, str]] = []
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        match block.get("type"):
            case "text":
                found.append((str(block.get("text", "")), ""))
            case "thinking":
                found.append((str(block.get("thinking", "")), "dim italic"))
            case "toolCall":
                found.append((f"→ {block.get('name')} {block.get('arguments')}", "yellow"))
            case other:
                found.append((f"[{other}]", "dim"))
    return found
