"""Annotations for members with JSON exactly as it was stored or sent.

In the daemon such a member is `msgspec.Raw`, so that no byte of it changes. The OpenRPC document
names the component, which clients build. The typed classes are not imported at run time, because
the daemon does not need them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessiond_protocol.wire import raw, raw_or_null

if TYPE_CHECKING:
    from typing import TypeAlias

    from msgspec import Raw

    from sessiond_protocol.content import Content, Usage
    from sessiond_protocol.entries import Entry, Header, Replacement
    from sessiond_protocol.messages import Message

    HeaderJson: TypeAlias = Header | Raw
    EntryJson: TypeAlias = Entry | Raw
    MessageJson: TypeAlias = Message | Raw
    MessageOrNullJson: TypeAlias = Message | Raw | None
    ContentJson: TypeAlias = Content | Raw
    UsageJson: TypeAlias = Usage | Raw
    ReplacementJson: TypeAlias = Replacement | Raw
    EntriesJson: TypeAlias = list[Entry] | list[Raw] | Raw
    MessagesJson: TypeAlias = list[Message] | list[Raw] | Raw
else:
    HeaderJson = raw("Header")
    EntryJson = raw("Entry")
    MessageJson = raw("Message")
    MessageOrNullJson = raw_or_null("Message")
    ContentJson = raw("Content")
    UsageJson = raw("Usage")
    ReplacementJson = raw("Replacement")
    EntriesJson = list[EntryJson]
    MessagesJson = list[MessageJson]
