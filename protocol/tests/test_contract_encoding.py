"""Results are encoded as the wire wants them."""

from __future__ import annotations

import msgspec
from msgspec import Raw
from sessiond_protocol.messages import SystemMessage, UserMessage
from sessiond_protocol.session.append import AppendResult
from sessiond_protocol.session.read import EntriesResult, EntryResult
from sessiond_protocol.session.state import SessionInfo

INFO = {
    "path": "/s.jsonl",
    "id": "i",
    "cwd": "",
    "created": "c",
    "modified": "m",
    "messageCount": 1,
    "firstMessage": "hi",
    "sizeBytes": 9,
}


def test_values_are_equal_by_class_and_members_and_show_what_is_set():
    one = UserMessage(content="x", timestamp=1)
    assert one == UserMessage(content="x", timestamp=1)
    assert one != UserMessage(content="y", timestamp=1)
    assert one != SystemMessage(content="x", timestamp=1)
    assert repr(one) == "UserMessage(role='user', content='x', timestamp=1)"


def test_an_encoded_result_omits_what_is_unset_and_keeps_order_and_null():
    info = msgspec.json.decode(msgspec.json.encode(SessionInfo(**INFO)))
    assert list(info) == [*INFO]
    appended = AppendResult(id="a", parentId=None, leafId="a", timestamp="t", written=False)
    assert msgspec.json.encode(appended) == (
        b'{"id":"a","parentId":null,"leafId":"a","timestamp":"t","written":false}'
    )


def test_an_encoded_result_has_the_very_bytes_of_its_raw_members():
    entry = rb'{"type":"x", "n":1e400,"s":"\ud83d","type":"y"}'
    assert msgspec.json.encode(EntryResult(entry=Raw(entry))) == b'{"entry":%s}' % entry
    several = EntriesResult(entries=Raw(b"[%s,%s]" % (entry, entry)))
    assert msgspec.json.encode(several) == b'{"entries":[%s,%s]}' % (entry, entry)
