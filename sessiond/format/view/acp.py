"""A session as the `session/update` notifications of the Agent Client Protocol, version 1.

Schema: https://github.com/agentclientprotocol/agent-client-protocol/blob/main/schema/schema.json.
Everything is made of views, so that an update says what a person would see, for every agent.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import msgspec

from sessiond.format.entries import Entry
from sessiond.format.tree.tree import Tree
from sessiond.format.view import blocks as kinds
from sessiond.format.view.blocks import Block, Change, EntryView
from sessiond.format.view.branch import Views
from sessiond.text.parts import elements, object_members, string_of

Update = dict[str, Any]

_TOOLS = {
    "read": ("read", "readfile", "readmanyfiles", "view", "cat", "ls", "listdirectory", "list"),
    "edit": (
        *("edit", "write", "multiedit", "writefile", "replace", "applypatch", "create"),
        *("notebookedit", "streplace", "strreplace", "patch", "editfile"),
    ),
    "delete": ("delete", "deletefile", "remove"),
    "move": ("move", "rename"),
    "search": ("grep", "glob", "find", "search", "searchfilecontent", "toolsearch"),
    "execute": (
        *("bash", "shell", "execcommand", "localshell", "runshellcommand", "exec"),
        *("writestdin", "terminal", "powershell", "unifiedexec"),
    ),
    "think": ("think", "task", "agent", "todowrite", "updateplan", "skill"),
    "fetch": ("webfetch", "fetch", "websearch", "googlewebsearch"),
    "switch_mode": ("exitplanmode", "enterplanmode"),
}
"""The kind of a call, and names of tools of that kind in lower case, without `_` and `-`."""

_KIND_OF = {name: kind for kind, names in _TOOLS.items() for name in names}

_PLANS = {"todowrite": "todos", "writetodos": "todos", "updateplan": "plan"}
"""Tools that keep a plan, and their argument with its steps."""

_STATES = {"pending": "pending", "in_progress": "in_progress", "completed": "completed"}
_PRIORITIES = frozenset({"high", "medium", "low"})
_HIDDEN = "hidden"


def updates(
    tree: Tree, branch: Sequence[Entry], first: int, stop: int, cwd: str
) -> Iterator[Update]:
    """Yield the updates of the entries of a branch from position `first` up to `stop`.

    A call without a result has failed, unless it belongs to the last turn of the branch.
    """
    prompts = (at for at in range(len(branch) - 1, -1, -1) if branch[at].role == "user")
    last_turn = next(prompts, 0)
    views = Views(tree, branch).views(first, stop)
    for at, view in enumerate(views, first):
        if not view.is_setting and _HIDDEN not in view.notes:
            yield from _Updates(branch[at], view, cwd, is_current=at >= last_turn).each()


@attrs.frozen
class _Updates:
    """The updates of one entry."""

    entry: Entry
    view: EntryView
    cwd: str
    """The directory from which paths begin; the protocol wants absolute ones."""
    is_current: bool
    """Whether calls without a result may still run."""

    def each(self) -> Iterator[Update]:
        """Yield the updates in the order of the blocks."""
        images = iter(
            self._images() if any(b.kind == kinds.IMAGE for b in self.view.blocks) else ()
        )
        for number, block in enumerate(self.view.blocks):
            match block.kind:
                case kinds.CALL:
                    yield from self._call(block, number)
                case kinds.RESULT:
                    yield self._result(block, list(images))
                case kinds.COMMAND:
                    yield self._command(block)
                case kinds.IMAGE if self.view.role != "toolResult":
                    missing = _text(f"[image: {block.text}]")
                    yield self._said(next(images, missing))
                case kinds.THINKING:
                    yield self._chunk("agent_thought_chunk", _text(block.text))
                case kinds.TEXT | kinds.SUMMARY | kinds.ERROR if block.text:
                    yield self._said(_text(block.text))

    def _said(self, content: Update) -> Update:
        is_own = self.view.role == "user"
        return self._chunk("user_message_chunk" if is_own else "agent_message_chunk", content)

    def _chunk(self, kind: str, content: Update) -> Update:
        message_id = self.view.part_of or self.view.entry_id
        return {"sessionUpdate": kind, "content": content, "messageId": message_id}

    def _call(self, block: Block, number: int) -> Iterator[Update]:
        plan = self._plan(block)
        if plan:
            yield {"sessionUpdate": "plan", "entries": plan}
        tool = block.tool or ""
        title = f"{tool}: {block.text}" if block.text else tool
        has_ended = block.result_entry_id is None and not self.is_current
        own = [
            diff
            for each in self.view.blocks
            if each.kind == kinds.DIFF and each.call_id == block.call_id
            for diff in self._diffs(each, block.path)
        ]
        arguments = {each.name: each.text for each in block.arguments or ()}
        yield {
            "sessionUpdate": "tool_call",
            "toolCallId": block.call_id or f"{self.view.entry_id}-{number}",
            "title": title,
            "kind": _kind(tool),
            "status": "failed" if has_ended else "in_progress",
            **({"content": own} if own else {}),
            **self._locations(block.path),
            **({"rawInput": arguments} if arguments else {}),
        }

    def _result(self, block: Block, images: list[Update]) -> Update:
        diffs = [
            diff
            for each in self.view.blocks
            if each.kind == kinds.DIFF
            for diff in self._diffs(each, block.path)
        ]
        texts = [_text(block.text)] if block.text else []
        content = diffs + [{"type": "content", "content": each} for each in texts + images]
        update = {
            "toolCallId": block.call_id or self.view.entry_id,
            "status": "failed" if block.failed else "completed",
            **({"content": content} if content else {}),
            **self._locations(block.path),
        }
        if block.call_entry_id is not None:
            return {"sessionUpdate": "tool_call_update", **update}
        # Its call is not on the branch, so nobody knows the id.
        tool = block.tool or ""
        title = tool or self.view.title
        return {"sessionUpdate": "tool_call", "title": title, "kind": _kind(tool), **update}

    def _command(self, block: Block) -> Update:
        output = {"type": "content", "content": _text(block.text)}
        return {
            "sessionUpdate": "tool_call",
            "toolCallId": self.view.entry_id,
            "title": block.title or "",
            "kind": "execute",
            "status": "failed" if block.failed else "completed",
            **({"content": [output]} if block.text else {}),
        }

    def _locations(self, path: str | None) -> Update:
        return {"locations": [{"path": self._absolute(path)}]} if path else {}

    def _absolute(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self.cwd or "/", path))

    def _diffs(self, block: Block, path: str | None) -> Iterator[Update]:
        """Yield the parts of a diff between its gaps, each as the text before and after."""
        path, part = block.path or path, list[Change]()
        for change in [*(block.changes or ()), Change(kinds.GAP)]:
            if change.kind != kinds.GAP:
                part.append(change)
                continue
            if path and any(each.kind != kinds.SAME for each in part):
                yield {"type": "diff", "path": self._absolute(path), **_sides(part)}
            part = []

    def _plan(self, block: Block) -> list[Update]:
        name = _PLANS.get(_short(block.tool or ""))
        steps = (each.text for each in block.arguments or () if each.name == name)
        return [step for raw in steps for step in map(_step, elements(raw.encode())) if step]

    def _images(self) -> Iterator[Update]:
        """Yield the images of the entry whose content is there."""
        members = object_members(self.entry.raw)
        message = object_members(members["message"]) if "message" in members else members
        for raw in elements(message.get("content", b"null")):
            block = object_members(raw) if raw[:1] == b"{" else {}
            if string_of(block.get("type")) == "image":
                data, mime_type = string_of(block.get("data")), string_of(block.get("mimeType"))
                if data and mime_type:
                    yield {"type": "image", "data": data, "mimeType": mime_type}


def _text(text: str) -> Update:
    return {"type": "text", "text": text}


def _short(tool: str) -> str:
    return tool.lower().replace("_", "").replace("-", "")


def _kind(tool: str) -> str:
    return _KIND_OF.get(_short(tool), "other")


def _sides(changes: Sequence[Change]) -> Update:
    """Return the lines before and after; a text that was not there before is null."""
    before = [each.text for each in changes if each.kind != kinds.ADDED]
    after = [each.text for each in changes if each.kind != kinds.REMOVED]
    return {"oldText": "\n".join(before) if before else None, "newText": "\n".join(after)}


def _step(raw: bytes) -> Update | None:
    """Return a step of a plan; None if it says nothing."""
    step = object_members(raw) if raw[:1] == b"{" else {}
    text = string_of(step.get("content")) or string_of(step.get("step"))
    if not text:
        return None
    priority = string_of(step.get("priority"))
    return {
        "content": text,
        "priority": priority if priority in _PRIORITIES else "medium",
        "status": _STATES.get(string_of(step.get("status")) or "", "pending"),
    }


def as_json(session_id: str, update: Update) -> bytes:
    """Return the params of one notification as JSON."""
    params = {"sessionId": session_id, "update": update}
    try:
        return msgspec.json.encode(params)
    except UnicodeEncodeError:
        # Half of a surrogate pair, which only an escape can express.
        return json.dumps(params).encode()
