"""Directories of sessions, listed by the daemon and by the reference."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from reference.differences import escape_separators
from reference.fixture import daemon, pi, roots
from reference.normal import Names, difference, listed, normal
from reference.pi import Pi
from support.process import Daemon

__all__ = ["daemon", "pi", "roots"]
pytestmark = pytest.mark.node


def listed_file(number: int) -> bytes:
    """One of a directory of sessions, each with another special case."""
    at = f"2026-02-{number % 27 + 1:02}T10:00:00.000Z"
    header: dict[str, Any] = {"type": "session", "version": 3, "id": f"id{number}", "timestamp": at}
    header["cwd"] = "/home/someone/listed"
    if number % 9 == 7:
        header["parentSession"] = "/home/someone/parent.jsonl"
    entries: list[dict[str, Any]] = []
    for i in range(number % 5):
        sent: dict[str, Any] = {"role": ["user", "assistant", "toolResult"][i % 3]}
        sent["content"] = [
            f"text {number} {i} \u2028 😀",
            [{"type": "text", "text": "first"}, {"type": "image"}, {"type": "text", "text": "2nd"}],
            "",
        ][(number + i) % 3]
        if number % 2:
            sent["timestamp"] = 1_770_000_000_000 + number * 1000 + i
        entries.append(
            {"type": "message", "timestamp": f"2026-03-01T10:00:{number % 60:02}.{i:03}Z"}
        )
        entries[-1]["message"] = sent
    names = [None, "A name", "  padded\u00a0", "", "two\nlines"]
    if (name := names[number % 5]) is not None:
        entries.append({"type": "session_info", "timestamp": at, "name": "older"})
        entries.append({"type": "session_info", "timestamp": at, "name": name})
    for i, entry in enumerate(entries):
        entry |= {"id": f"{i:08x}", "parentId": f"{i - 1:08x}" if i else None}
    text = "".join(
        json.dumps(line, ensure_ascii=number % 3 == 0) + "\n" for line in [header, *entries]
    )
    match number % 11:
        case 3:
            return b"\n{broken\n" + text.encode()
        case 5:
            return text.encode()[:-1]
        case 8:
            return text.replace("\n", "\r\n").encode()
        case _:
            return text.encode()


UNLISTED = {
    "empty.jsonl": b"",
    "blank.jsonl": b"\n\n",
    "other.jsonl": b'{"type":"message","id":"x"}\n',
    "broken.jsonl": b"{not json\n",
    "notes.txt": b'{"type":"session","id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n',
}


def fill(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number in range(60):
        (folder / f"{number:02}.jsonl").write_bytes(listed_file(number))
    for name, data in UNLISTED.items():
        (folder / name).write_bytes(data)


def test_a_directory_of_sessions_is_listed_as_by_pi(daemon: Daemon, pi: Pi, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    fill(folder)
    asked = {"cwd": "/home/someone/listed", "sessionDir": str(folder)}
    answer = daemon.request("session/list", **asked, includeText=True)
    escape_separators(folder)
    theirs = pi.do("list", **asked)
    assert answer["total"] == len(theirs) == 60
    compare_listing(answer["sessions"], theirs)


def test_all_sessions_of_the_agent_are_listed_as_by_pi(
    daemon: Daemon, pi: Pi, roots: tuple[Path, Path]
) -> None:
    stores = [root / ".pi" / "agent" / "sessions" for root in roots]
    before = [
        {info["path"] for info in daemon.request("session/listAll")["sessions"]},
        {info["path"] for info in pi.do("listAll")},
    ]
    for store in stores:
        fill(store / "--home-someone-listed--")
    escape_separators(stores[1] / "--home-someone-listed--")
    ours = daemon.request("session/listAll", includeText=True)["sessions"]
    theirs = pi.do("listAll")
    for side, known, store in zip((ours, theirs), before, stores, strict=True):
        side[:] = [info for info in side if info["path"] not in known]
        for info in side:
            info["path"] = info["path"].removeprefix(str(store))
    compare_listing(ours, theirs)


def test_pi_loses_entries_with_a_raw_line_separator_and_the_daemon_does_not(
    daemon: Daemon, pi: Pi, tmp_path: Path
) -> None:
    """Fails when pi changes, so that the difference "line separators in lists" can be removed."""
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-02-01T10:00:00.000Z"}
    header["cwd"] = "/home/someone/listed"
    at = {"timestamp": "2026-02-01T10:00:01.000Z", "parentId": None}
    entries = [
        {"type": "message", "id": f"m{i}", **at, "message": {"role": "user", "content": text}}
        for i, text in enumerate(["lost \u2028 there", "lost \u2029 too", "plain"])
    ]
    file = tmp_path / "s.jsonl"
    file.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in [header, *entries]))
    asked = {"cwd": "/home/someone/listed", "sessionDir": str(tmp_path)}
    (ours,) = daemon.request("session/list", **asked)["sessions"]
    (theirs,) = pi.do("list", **asked)
    assert (theirs["messageCount"], theirs["firstMessage"]) == (1, "plain")
    assert (ours["messageCount"], ours["firstMessage"]) == (3, "lost \u2028 there")
    escape_separators(tmp_path)
    (theirs,) = pi.do("list", **asked)
    assert (theirs["messageCount"], theirs["firstMessage"]) == (3, "lost \u2028 there")


def compare_listing(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    """Both list the newest first; files with equal times may be in any order."""
    names = Names([])
    sides = [
        [normal(listed(info), names) for info in sorted(side, key=_newest_then_path)]
        for side in (ours, theirs)
    ]
    found = difference(*sides)
    assert found is None, found
    for side in (ours, theirs):
        moments = [info["modified"] for info in side]
        assert moments == sorted(moments, reverse=True)


def _newest_then_path(info: dict[str, Any]) -> tuple[str, str]:
    return info["modified"], info["path"]


def test_the_most_recent_session_is_the_one_pi_continues(
    daemon: Daemon, pi: Pi, tmp_path: Path
) -> None:
    folder = tmp_path / "sessions"
    fill(folder)
    for place, number in enumerate([5, 41, 17]):
        os.utime(folder / f"{number:02}.jsonl", (1_900_000_000 + place,) * 2)
    asked = {"cwd": "/home/someone/listed", "sessionDir": str(folder)}
    theirs = pi.call(pi.do("continueRecent", **asked), "getSessionFile")
    assert daemon.request("session/continueRecent", **asked)["sessionFile"] == theirs
    assert Path(theirs).name == "17.jsonl"
