"""Resume tokens: a client that was away is told what changed since, and nothing else."""

from __future__ import annotations

import base64
import os
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.app import daemon
from support.sessions_on_disk import write_session

from sessiond.catalog.resuming import compared, revision
from sessiond.catalog.summaries import Summary
from sessiond.files.identity import FileState
from sessiond.format.header import parse_header
from sessiond.runtime.isolation import Faults

NAMES = st.text(st.characters(codec=None), max_size=8)
SESSIONS = st.dictionaries(NAMES, st.tuples(st.integers(0, 3), st.none() | NAMES), max_size=6)


def summary(path: str, size: int = 0, name: str | None = None) -> Summary:
    header = parse_header(
        b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-01","cwd":"/w"}'
    )
    assert header is not None
    made = Summary(path, header, FileState(1, 2, size, 4, 5), name)
    made.date()
    return made


@given(SESSIONS, SESSIONS)
def test_a_client_that_applies_the_answer_knows_the_list(
    before: dict[str, tuple[int, str | None]], after: dict[str, tuple[int, str | None]]
):
    old = [summary(path, *facts) for path, facts in before.items()]
    new = [summary(path, *facts) for path, facts in after.items()]
    token, _ = compared(old, "list", None, Faults())
    _, since = compared(new, "list", token, Faults())
    assert since is not None
    known = {each.path: revision(each) for each in old}
    for path in since.removed:
        del known[path]
    told = {each.path: revision(each) for each in since.changed}
    assert all(known.get(path) != each for path, each in told.items())
    assert known | told == {each.path: revision(each) for each in new}


@pytest.mark.parametrize(
    "token",
    [
        "",
        "!",
        "é",
        "AAAA",
        base64.urlsafe_b64encode(zlib.compress(b"\xff")).decode(),
        base64.urlsafe_b64encode(zlib.compress(msgspec.msgpack.encode([b"list", [1]]))).decode(),
        base64.urlsafe_b64encode(
            zlib.compress(msgspec.msgpack.encode([b"list", [(b"\xff", b"")]]))
        ).decode(),
        base64.urlsafe_b64encode(zlib.compress(bytes(80 * 1024 * 1024), 1)).decode(),
        compared([summary("/a")], "another list", None, Faults())[0],
    ],
    ids=range(9),
)
def test_what_is_no_token_of_the_list_is_ignored(token: str):
    _, since = compared([summary("/a")], "list", token, Faults())
    assert since is None


@pytest.mark.parametrize("member", ["device", "inode", "size", "mtime_ns", "ctime_ns"])
def test_a_revision_differs_with_each_member_of_the_state(member: str):
    one, other = summary("/a"), summary("/a")
    other.state = msgspec.structs.replace(other.state, **{member: 9})
    assert revision(one) != revision(other)
    assert revision(one) != revision(summary("/a", name="n"))


async def test_a_token_is_good_for_another_daemon(tmp_path: Path):
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--w--"
    paths = [write_session(folder / f"s{n}.jsonl", "hello", session_id=f"s{n}") for n in range(3)]
    async with daemon(tmp_path) as client:
        first = await client.request("catalog/subscribe")
        assert "removed" not in first
    os.unlink(paths[0])
    with paths[1].open("a") as file:
        file.write('{"type":"session_info","id":"i","parentId":null,"name":"renamed"}\n')
    async with daemon(tmp_path) as client:
        since = await client.request("catalog/subscribe", {"resumeToken": first["resumeToken"]})
        assert [each["name"] for each in since["sessions"]] == ["renamed"]
        assert since["removed"] == [str(paths[0])]
        again = await client.request("catalog/subscribe", {"resumeToken": since["resumeToken"]})
        assert (again["sessions"], again["removed"]) == ([], [])
