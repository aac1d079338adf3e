"""Generate the tables of methods and notifications in `docs/methods.md`, between two markers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from targets.unwritable import Unwritable

PAGE = "docs/methods.md"
FILE = Path(__file__).resolve().parents[2] / PAGE
BEGIN, END = "<!-- methods -->", "<!-- /methods -->"


def outputs(document: dict[str, Any]) -> dict[str, str]:
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    return {PAGE: filled_in(text, tables(document))}


def filled_in(text: str, content: str) -> str:
    """Return the page with the content between its markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise Unwritable(
            f"{PAGE}: the markers {BEGIN} and {END} are missing; add them where the table of"
            " methods belongs"
        )
    return f"{before}{BEGIN}\n{content}{END}{after}"


def tables(document: dict[str, Any]) -> str:
    """Return the tables of methods and notifications in Markdown."""
    told = [each for each in document["methods"] if "x-sender" in each]
    called = [each for each in document["methods"] if "x-sender" not in each]
    return f"\n{_table('method', called)}\n{_table('notification', told)}\n"


def _table(title: str, methods: Iterable[dict[str, Any]]) -> str:
    lines = [f"| {title} | params | |", "|---|---|---|"]
    lines += [
        f"| `{method['name']}` | {_params(method['params'])} | {method['summary']} |"
        for method in methods
    ]
    return "\n".join(lines) + "\n"


def _params(descriptors: list[dict[str, Any]]) -> str:
    names = (each["name"] + ("" if each["required"] else "?") for each in descriptors)
    joined = ", ".join(names)
    return f"`{joined}`" if joined else ""
