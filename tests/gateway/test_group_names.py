"""Names of groups for people: CoderClaw's examples."""

from __future__ import annotations

import pytest

from sessiond.gateway.message_key import Group, group_name, parse_group_key

KEY = "agent:main:x"


@pytest.mark.parametrize(
    ("channel", "known", "expected"),
    [
        ("discord", {"group_channel": "general", "space": "Friends of X"}, "friends-of-x#general"),
        ("discord", {"group_channel": "#general", "space": "Friends of X"}, "friends-of-x#general"),
        ("discord", {"group_channel": "#general"}, "#general"),
        ("discord", {"group_channel": "general", "subject": "Other"}, "g-general"),
        ("whatsapp", {"subject": "Family Chat"}, "g-family-chat"),
        ("whatsapp", {"subject": "Family", "space": "S", "id_": "i"}, "g-family"),
        ("whatsapp", {"space": "My Space", "id_": "i"}, "g-my-space"),
        ("slack", {"subject": "#foo"}, "g-foo"),
        ("slack", {"subject": "##foo"}, "g-foo"),
        ("slack", {"subject": "a#b"}, "a#b"),
        ("slack", {"subject": "@team"}, "@team"),
        ("slack", {"subject": "G-known"}, "g-known"),
        ("whatsapp", {"id_": "120363406150318674@g.us"}, "g-120363406150318674@g.us"),
        ("slack", {"subject": "a \u00a0 b"}, "g-a-b"),
        ("slack", {"subject": "a&&b -- c"}, "g-a-b-c"),
        ("slack", {"subject": "..-a.b_c+d-.-"}, "g-a.b_c+d"),
        ("slack", {"subject": "  ", "id_": " C1 "}, "g-c1"),
    ],
)
def test_a_group_is_named_by_its_known_members(channel: str, known: dict[str, str], expected: str):
    assert group_name(KEY, channel, **known) == f"{channel}:{expected}"


@pytest.mark.parametrize(
    ("channel", "subject", "expected"),
    [
        (None, None, "group:g-agent-main-x"),
        (" ", None, "group:g-agent-main-x"),
        (" Slack ", "日本", "slack"),
        ("slack", "#", "slack"),
        ("slack", "\ud800", "slack"),
        ("slack", "日本 a", "slack:g-a"),
    ],
)
def test_where_nothing_is_left_of_a_name_the_channel_has_to_do(
    channel: str | None, subject: str | None, expected: str
):
    assert group_name(KEY, channel, subject=subject) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("discord:group:1", Group("discord", "group", "1")),
        ("agent:main:slack:channel:c1", Group("slack", "channel", "c1")),
        ("agent:m:telegram:group:-100:topic:5", Group("telegram", "group", "-100:topic:5")),
        ("agent:m:discord::group::1", Group("discord", "group", "1")),
        ("agent:m:discord:acct:group:1", None),
        ("agent:m:discord:room:1", None),
        ("agent:m:discord:Group:1", None),
        ("discord:group", None),
        ("group:1", None),
        ("agent:m:main", None),
        ("", None),
    ],
)
def test_the_key_of_a_group_names_channel_kind_and_id(key: str, expected: Group | None):
    assert parse_group_key(key) == expected
