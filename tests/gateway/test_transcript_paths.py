"""Where transcripts lie: CoderClaw's tables, and that no path leads out on a detour."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.gateway.places import Directory, candidates, file_name, session_id_of
from sessiond.runtime.errors import GatewayRejected

BASE = "/srv/agents/main/sessions"
OUTSIDE = "Session file path must be within sessions directory"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        *((each, each) for each in ("abc", "a.b", "a..b", "A_b-1", "x" * 128)),
        (" ab ", "ab"),
        ("a\n", "a"),
        ("\ufeffa\u00a0", "a"),
    ],
)
def test_a_session_id_is_trimmed(given: str, found: str):
    assert session_id_of(given) == found


@pytest.mark.parametrize(
    "given",
    [
        "",
        "..",
        ".a",
        "-x",
        "a b",
        "a/b",
        "é",
        "x" * 129,
        "a\nb",
        "a\0",
        "\u212a",
        "\ud800",
        "a\x85",
        "../a",
    ],
)
def test_an_invalid_session_id_is_refused(given: str):
    with pytest.raises(GatewayRejected) as raised:
        session_id_of(given)
    assert raised.value.message == f"Invalid session ID: {given}"
    assert raised.value.data == {"rule": "sessionId"}


@pytest.mark.parametrize(
    ("topic", "suffix"),
    [
        (None, ""),
        (456, "-topic-456"),
        ("456", "-topic-456"),
        ("a/b +c", "-topic-a%2Fb%20%2Bc"),
        ("", "-topic-"),
        (0, "-topic-0"),
        (-1, "-topic--1"),
        (1.5, "-topic-1.5"),
        ("日", "-topic-%E6%97%A5"),
        (7.9, "-topic-7.9"),
        (45.0, "-topic-45"),
        (-0.0, "-topic-0"),
        (1e21, "-topic-1e+21"),
        (1e-7, "-topic-1e-7"),
        ("-_.!~*'()", "-topic--_.!~*'()"),
        ("../..", "-topic-..%2F.."),
        ("\0", "-topic-%00"),
    ],
)
def test_a_topic_is_a_suffix(topic: Any, suffix: str):
    assert file_name("id", topic) == f"id{suffix}.jsonl"


def test_a_topic_with_half_a_surrogate_pair_is_refused():
    with pytest.raises(GatewayRejected) as raised:
        file_name("id", "\ud83d")
    assert raised.value.data == {"rule": "topicId"}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("x.jsonl", f"{BASE}/x.jsonl"),
        ("./x.jsonl", f"{BASE}/x.jsonl"),
        ("  x.jsonl  ", f"{BASE}/x.jsonl"),
        ("sub/x.jsonl", f"{BASE}/sub/x.jsonl"),
        ("/srv/agents/ops/sessions/y.jsonl", "/srv/agents/ops/sessions/y.jsonl"),
        ("/srv/agents/ops/sessions/a/b/y.jsonl", "/srv/agents/ops/sessions/a/b/y.jsonl"),
        ("/other/agents/q/sessions/z.jsonl", "/other/agents/q/sessions/z.jsonl"),
        ("/other/agents/q/sessions", "/other/agents/q/sessions"),
        (r"C:\x.jsonl", rf"{BASE}/C:\x.jsonl"),
        (f"{BASE}/x.jsonl", f"{BASE}/x.jsonl"),
        (f"{BASE}/a/..//x.jsonl", f"{BASE}/x.jsonl"),
        ("//srv/agents/main/sessions/x.jsonl", f"{BASE}/x.jsonl"),
        ("~/x.jsonl", f"{BASE}/~/x.jsonl"),
    ],
)
def test_a_session_file_is_placed_in_a_sessions_directory(given: str, path: str):
    assert Directory(BASE).locate(given) == path


@pytest.mark.parametrize(
    "given",
    [
        "../x.jsonl",
        BASE,
        f"{BASE}/",
        "/other/agents/q/sessions/../../../../etc/passwd",
        "/srv/agents/ops/notsessions/y.jsonl",
        "/etc/passwd",
        "/a/sessions/agents/b/c.jsonl",
        f"{BASE}x/y.jsonl",
        "a\0b",
        "..",
        "../sessions/x.jsonl",
    ],
)
def test_a_session_file_elsewhere_is_refused(given: str):
    with pytest.raises(GatewayRejected) as raised:
        Directory(BASE).locate(given)
    assert raised.value.message == OUTSIDE
    assert raised.value.data == {"rule": "sessionFile"}


@pytest.mark.parametrize("given", ["a/../../x.jsonl", "./", "a/..", ".", "a/../.."])
def test_a_path_is_made_normal_before_it_is_judged(given: str):
    """Departure from CoderClaw, which lets these out or takes the directory itself."""
    with pytest.raises(GatewayRejected, match=OUTSIDE):
        Directory(BASE).locate(given)


@pytest.mark.parametrize("given", ["..x.jsonl", f"{BASE}/..x.jsonl"])
def test_a_name_may_begin_with_two_dots(given: str):
    """Departure from CoderClaw, which looks at the first two characters only."""
    assert Directory(BASE).locate(given) == f"{BASE}/..x.jsonl"


@pytest.mark.parametrize("given", ["", "  ", "\ufeff"])
def test_a_blank_session_file_is_refused(given: str):
    with pytest.raises(GatewayRejected, match="must not be empty"):
        Directory(BASE).locate(given)


@given(st.text(alphabet="a./ ~\\\ufeff\0\ud800:é", max_size=12))
def test_no_relative_path_leads_out(path: str):
    try:
        found = Directory(BASE).locate("x/" + path)
    except GatewayRejected:
        return
    assert found.startswith(f"{BASE}/")
    assert ".." not in found.split("/")


STORE, AGENT = Directory("/s"), Directory(BASE)


@pytest.mark.parametrize(
    ("session_id", "file", "found"),
    [
        ("i", "f.jsonl", ["/s/f.jsonl", "/s/i.jsonl", f"{BASE}/i.jsonl"]),
        ("i", "i.jsonl", ["/s/i.jsonl", f"{BASE}/i.jsonl"]),
        ("i", "/etc/passwd", ["/s/i.jsonl", f"{BASE}/i.jsonl"]),
        ("i", None, ["/s/i.jsonl", f"{BASE}/i.jsonl"]),
        ("../i", "f.jsonl", ["/s/f.jsonl"]),
        ("..", "..", []),
    ],
)
def test_the_directories_of_a_transcript_are_searched_in_order(
    session_id: str, file: str | None, found: list[str]
):
    assert candidates(session_id, file, [STORE, AGENT]) == found
