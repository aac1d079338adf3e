"""Translate the arguments of Codex's tools into those that people and searches understand.

A patch becomes the edits that it makes (`apply_patch`, also as a custom tool, or in a command of
the shell), and a list of words the command that a person would type. The patch format is that of
openai/codex, `codex-rs/apply-patch/apply_patch_tool_instructions.md`.
"""

from __future__ import annotations

import posixpath
import re
import shlex

import attrs

from sessiond.agents.messages import content_of
from sessiond.text.parts import elements, join_members, object_members, string_of
from sessiond.text.spans import is_json, js_string

_SHELLS = frozenset({"bash", "dash", "sh", "zsh"})
_PATCHERS = frozenset({"apply_patch", "applypatch"})
_BEGIN = "*** Begin Patch"
_HERE = re.compile(r"(?:^|[\s;&|])apply_?patch\s+<<-?\s*(['\"]?)(\w{1,40})\1[^\n]*\n")
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = "*** Move to: "
_END_OF_FILE = "*** End of File"


@attrs.define
class _Edit:
    path: str
    before: list[str] = attrs.field(factory=list)
    after: list[str] = attrs.field(factory=list)

    def as_json(self) -> bytes:
        return join_members(
            ("path", js_string(self.path)),
            ("oldText", js_string(_text(self.before))),
            ("newText", js_string(_text(self.after))),
        )


def arguments_of(raw: bytes) -> bytes:
    """Return the arguments of a call as an object.

    `raw` is the JSON of an object, or a JSON string of a custom tool's input or of an object.
    """
    given = string_of(raw)
    if given is not None:
        patch = _edits(given)
        if patch is not None:
            return patch
        text = given.encode(errors="surrogatepass").strip()
        raw = text if text.startswith(b"{") and is_json(text) else b""
        if not raw:
            return join_members(("input", js_string(given)))
    return _understood(raw) if raw.startswith(b"{") else b"{}"


def _understood(raw: bytes) -> bytes:
    members = object_members(raw)
    for name in ("input", "patch"):
        edits = _edits(string_of(members.get(name)))
        if edits is not None:
            return edits
    for name in ("command", "cmd"):
        words = _words(members.get(name))
        command = string_of(members.get(name)) if words is None else _command(words)
        if command is None:
            continue
        edits = _edits(_patch_in(command, words))
        if edits is not None:
            return edits
        if words is not None:
            changed = (
                (each, js_string(command) if each == name else value)
                for each, value in members.items()
            )
            return join_members(*changed)
    return raw


def _words(raw: bytes | None) -> list[str] | None:
    """Return the words of a command; None if it is no list of strings."""
    if raw is None or not raw.startswith(b"["):
        return None
    words = [string_of(each) for each in elements(raw)]
    texts = [word for word in words if word is not None]
    return texts if texts and len(texts) == len(words) else None


def _command(words: list[str]) -> str:
    """Return words as a person types them; of `bash -lc …` what the shell runs."""
    is_shell = posixpath.basename(words[0]) in _SHELLS
    if is_shell and len(words) == 3 and re.fullmatch("-[a-z]*c", words[1]):
        return words[2]
    return shlex.join(words)


def _patch_in(command: str, words: list[str] | None) -> str | None:
    """Return the patch that a command applies, as its second word or as its input."""
    if words is not None and len(words) == 2 and words[0] in _PATCHERS:
        return words[1]
    if _BEGIN not in command:
        return None
    here = _HERE.search(command)
    if here is None:
        return None
    end = command.find(f"\n{here[2]}", here.end())
    return command[here.end() : end if end >= 0 else None]


def _edits(patch: str | None) -> bytes | None:
    """Return the edits of a patch as arguments; None if the text is no patch.

    One file stands in `path`, as in edits of other agents; each edit names its own.
    """
    if patch is None or not patch.lstrip().startswith(_BEGIN):
        return None
    edits: list[_Edit] = []
    path = ""
    for line in patch.split("\n"):
        heading = _FILE.fullmatch(line.rstrip())
        if heading is not None:
            path = heading[2].strip()
            edits.append(_Edit(path))
        elif line.startswith(_MOVE) and edits:
            path = line.removeprefix(_MOVE).strip()
            edits.append(_Edit(path))
        elif line.startswith("*** End Patch"):
            break
        elif not edits or line.startswith(_END_OF_FILE):
            continue
        elif line.startswith("@@"):
            if edits[-1].before or edits[-1].after:
                edits.append(_Edit(path))
        else:
            _add(edits[-1], line)
    if not edits:
        return None
    content = content_of([edit.as_json() for edit in edits])
    return join_members(("path", js_string(edits[0].path)), ("edits", content))


def _add(edit: _Edit, line: str) -> None:
    sign, text = line[:1], line[1:]
    if sign in {"-", " ", ""}:
        edit.before.append(text)
    if sign in {"+", " ", ""}:
        edit.after.append(text)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
