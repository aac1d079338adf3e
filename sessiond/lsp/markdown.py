"""Write what `session/getView` answers of an entry as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

Item = Mapping[str, Any]

_TICKS = re.compile("`+")


def hover(item: Item) -> str:
    """Return an entry: heading, facts, and its blocks."""
    return "\n\n".join([f"**{_plain(item['title'])}**", *_facts(item), *_blocks(item)])


def _facts(item: Item) -> Iterator[str]:
    facts = [item["time"], item.get("model", "")]
    if "tokens" in item:
        facts.append(f"{item['tokens']:,} tokens")
    if "cost" in item:
        facts.append(f"${item['cost']:.4f}")
    if "label" in item:
        facts.append(f"[{item['label']}]")
    facts += item.get("notes", ())
    if shown := " · ".join(_plain(fact) for fact in facts if fact):
        yield shown


def _blocks(item: Item) -> Iterator[str]:
    for block in item.get("blocks", ()):
        text = block.get("text", "")
        heading = " ".join(filter(None, (block.get("tool"), block.get("title"))))
        if block["kind"] in ("text", "summary"):
            yield text
        elif block["kind"] == "thinking":
            yield "\n".join(f"> {line}" for line in text.splitlines())
        elif block["kind"] == "call":
            yield _fenced(f"{heading}  {text}".strip(), "")
        else:
            failed = " (failed)" if block.get("failed") else ""
            yield f"*{_plain(block['kind'] + failed)}* {_plain(heading)}".rstrip()
            if text:
                yield _fenced(text, "diff" if block["kind"] == "diff" else "")
        if "omittedChars" in block:
            yield f"*… {block['omittedChars']:,} more characters*"


def _fenced(text: str, language: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", " ".join(text.split()))
