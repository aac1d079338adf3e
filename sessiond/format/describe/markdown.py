"""Draw the view of an entry as Markdown, for people.

The rules:

- An entry with content has a heading `## ` with its title, a line of facts in italics, joined by
  ` · ` and omitted if empty, and its content. Settings and similar entries are one line in italics
  that ends with their time.
- A later entry of an answer (`partOf`) has only its content.
- Facts: the entry's timestamp as written; provider/model of an assistant; the notes of the view,
  such as `aborted` or `hidden`; `label: ` and the label in force.
- Texts are not escaped, because most are Markdown: a program that renders the file must treat HTML
  in it as untrusted. A code fence that a text leaves open is closed after it. Blank texts are
  omitted, and newlines around a text are removed.
- Thinking is a quotation that begins `**Thinking**`. A tool call is `**Tool call:**` and the name,
  then a list of its arguments: those of one line as code spans, longer ones as fences. The text of
  tool results is in fences, as are diffs and commands, `$ ` before them, with their output. A fence
  is longer than any run of backticks in it.
- An image is one line in italics: its type and size. Other blocks are JSON in a fence.
- An error of an assistant is one line in italics after its content.
"""

from __future__ import annotations

import re
from collections.abc import Container

from sessiond.format.view import blocks as kinds
from sessiond.format.view.blocks import Argument, Block, EntryView
from sessiond.text.safe import clean
from sessiond.text.spans import js_trim

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~&!]")
_TICKS = re.compile("`+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def markdown_of(view: EntryView, without: Container[str] = ()) -> tuple[list[str], list[str]]:
    """Return the parts of one entry as Markdown: of its heading, and of its content.

    Blocks of the kinds in `without` are left out.
    """
    facts = [view.time, view.model or "", *view.notes]
    if view.label is not None:
        facts.append(f"label: {view.label}")
    if view.is_setting:
        facts.insert(0, view.title)
    line = " · ".join(inline(fact) for fact in facts if fact)
    blocks = [f"*{line}*"] if line else []
    if view.is_setting:
        return blocks, []
    body = [part for block in view.blocks if block.kind not in without for part in _drawn(block)]
    head = [] if view.part_of is not None else [f"## {inline(view.title)}", *blocks]
    return head, body


_LANGUAGES = {kinds.DIFF: "diff", kinds.DATA: "json"}


def _drawn(block: Block) -> list[str]:
    text = block.text
    match block.kind:
        case kinds.TEXT | kinds.SUMMARY:
            return _text(text)
        case kinds.THINKING:
            return _thinking(text)
        case kinds.CALL:
            return _call(block)
        case kinds.IMAGE | kinds.ERROR:
            return [f"*{block.kind.capitalize()}: {inline(text)}*"] if text else []
        case kinds.COMMAND:
            text = f"$ {block.title}\n{text}"
    return [_fence(text, _LANGUAGES.get(block.kind, ""))] if js_trim(text) else []


def _thinking(text: str) -> list[str]:
    lines = "\n".join(_text(text)).split("\n")
    quoted = "\n".join(f"> {line}" if line else ">" for line in lines)
    return [f"> **Thinking**\n>\n{quoted}"]


def _call(block: Block) -> list[str]:
    heading = f"**Tool call:** {code_span(block.tool or '')}"
    arguments = "\n".join(map(_argument, block.arguments or ())).rstrip("\n")
    return [heading, arguments] if arguments else [heading]


def _argument(argument: Argument) -> str:
    name, text = inline(argument.name), argument.text
    if "\n" not in text:
        return f"- {name}: {code_span(text)}"
    fence = "\n".join(f"  {line}" if line else "" for line in _fence(text).split("\n"))
    return f"- {name}:\n\n{fence}\n"


def _text(text: str) -> list[str]:
    """Return a text unchanged, except that an open fence is closed."""
    text = text.strip("\n")
    if not js_trim(text):
        return []
    if "```" not in text and "~~~" not in text:
        return [text]
    still_open = ""
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        ticks, rest = fence[1], fence[2]
        if not still_open:
            still_open = ticks if ticks[0] == "~" or "`" not in rest else ""
        elif ticks[0] == still_open[0] and len(ticks) >= len(still_open) and not rest.strip():
            still_open = ""
    return [f"{text}\n{still_open}" if still_open else text]


def _fence(text: str, language: str = "") -> str:
    ticks = "`" * max(3, _longest_run(text) + 1)
    body = text.strip("\n")
    return f"{ticks}{language}\n{body}\n{ticks}"


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max(map(len, _TICKS.findall(text)), default=0) if "`" in text else 0


def code_span(text: str) -> str:
    """A code span on one line."""
    text = clean(text).replace("\n", " ")
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if not text or text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def inline(text: str) -> str:
    """A text on one line with all Markdown characters escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(clean(text).split()))
