"""Replay the file of a chat of Gemini CLI: lines since 0.39, one JSON document before.

A line is a message, or changes what came before: `$set` changes members of the chat, and with
`messages` all messages at once; `$rewindTo` takes a message back, with all after it; a message with
a known id replaces the earlier one. (gemini-cli: `chatRecordingService.ts`)
"""

from __future__ import annotations

import re

import attrs

from sessiond.agents.google_parts import text_of
from sessiond.agents.messages import Members, members_of
from sessiond.text.parts import elements, members_of_line, string_of
from sessiond.text.spans import is_json, minify
from sessiond.text.utf8 import readable

CONTEXT = "<session_context>"
"""The beginning of a message that tells the model about the machine."""

_HEAD = re.compile(rb'\s*\{\s*"sessionId"')


@attrs.define
class Message:
    """A message, and the one before it when it came."""

    id: str
    above: str | None
    members: Members
    replaced: bool = False
    """Whether it stands for messages that the program has replaced by a summary."""

    @property
    def kind(self) -> str:
        return string_of(self.members.get("type")) or ""

    @property
    def text(self) -> str:
        """The text that was typed, or that the model was sent."""
        shown = self.members.get("displayContent")
        return text_of(self.members.get("content") if shown is None else shown)


@attrs.define
class Chat:
    """The messages of a chat in the order in which they came, and its own members."""

    about: Members = attrs.field(factory=dict)
    messages: dict[str, Message] = attrs.field(factory=dict)
    present: dict[str, None] = attrs.field(factory=dict)
    """The ids of the messages that the program would send, in their order."""
    tip: str | None = None
    """The message below which the next one comes."""
    damaged: list[bytes] = attrs.field(factory=list)
    """Lines that cannot be understood."""

    @classmethod
    def read(cls, data: bytes) -> Chat | None:
        """Replay the bytes of a file; None if they are no chat."""
        chat = cls()
        if _HEAD.match(data) is None:
            return None
        whole = readable(data)
        first = whole.find(b"\n")
        if is_json(whole if first < 0 else whole[:first]):
            *lines, rest = whole.split(b"\n")
            # What follows the last line feed may be a line that is being written.
            for line in [*lines, *([rest] if is_json(rest) else [])]:
                if line.strip():
                    chat._apply(line)
        elif is_json(whole):
            chat._apply(minify(whole))
        return chat if "sessionId" in chat.about else None

    def _apply(self, line: bytes) -> None:
        members = members_of_line(line.strip())
        if members is None:
            self.damaged.append(line)
        elif "$set" in members:
            self._set(members_of(members["$set"]))
        elif "$rewindTo" in members:
            self._rewind(string_of(members["$rewindTo"]))
        elif "id" in members:
            self._add(members)
        elif "sessionId" in members:
            self._set(members)
        else:
            self.damaged.append(line)

    def _set(self, members: Members) -> None:
        messages = members.pop("messages", None)
        self.about |= members
        if messages is not None and messages.startswith(b"["):
            self._replace([members_of(each) for each in elements(messages)])

    def _rewind(self, message_id: str | None) -> None:
        if message_id in self.present:
            while self.present.popitem()[0] != message_id:
                pass
            self.tip = next(reversed(self.present), None)

    def _add(self, members: Members) -> None:
        name = string_of(members.get("id"))
        if name is None:
            return
        if name in self.messages:
            message = self.messages[name]
            message.members = {**message.members, **members}
        else:
            self.messages[name] = Message(name, self.tip, members)
            self.tip = name
        self.present.setdefault(name)

    def _replace(self, messages: list[Members]) -> None:
        """Take a whole list in place of the messages; a resumed chat writes its own again.

        What was recorded of a message is kept, because the list has neither tokens nor results. If
        messages are missing, the first new one is their summary.
        """
        names = {string_of(each.get("id")) for each in messages}
        lacks_some = any(name not in names and not self._is_context(name) for name in self.present)
        self.present = {}
        has_summary = False
        for members in messages:
            name = string_of(members.get("id")) or ""
            is_known = name in self.messages
            if not is_known:
                self._add(members)
            elif not lacks_some:
                self.tip = name
            if name in self.messages:
                self.present.setdefault(name)
                if lacks_some and not is_known and not has_summary:
                    has_summary = not self._is_context(name)
                    self.messages[name].replaced = has_summary
        if lacks_some and not has_summary:
            self.tip = next(reversed(self.present), None)

    @property
    def is_stub(self) -> bool:
        """Whether nothing was said: a resumed chat leaves such a file beside its own."""
        return all(map(self._is_context, self.messages))

    def _is_context(self, name: str) -> bool:
        return self.messages[name].text.startswith(CONTEXT)
