"""Session files neither program has made in this run: read, migrated and continued as pi does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from reference.fixture import daemon, pi, roots
from reference.normal import Names, difference, normal
from reference.pi import Pi, PiError
from support.app import assistant, user
from support.process import Daemon

__all__ = ["daemon", "pi", "roots"]
pytestmark = pytest.mark.node

HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-02T03:04:05.006Z"}
HEADER["cwd"] = "/home/someone/old"
BOM = b"\xef\xbb\xbf"


def message(entry_id: str, parent: str | None, role: str, text: str) -> str:
    entry = {"type": "message", "id": entry_id, "parentId": parent}
    entry["timestamp"] = f"2026-01-02T03:04:0{len(text) % 10}.000Z"
    return json.dumps({**entry, "message": {"role": role, "content": text, "model": "m"}})


CHAIN = [
    json.dumps(HEADER),
    message("a", None, "user", "one"),
    message("b", "a", "assistant", "two"),
    message("c", "b", "user", "three"),
]


def lines(*more: str, end: str = "\n") -> bytes:
    return (end.join([*CHAIN, *more]) + end).encode()


def old(version: int | None, *entries: dict[str, Any]) -> bytes:
    header = {name: value for name, value in HEADER.items() if name != "version"}
    header |= {"provider": "p", "modelId": "m", "thinkingLevel": "high"} if version is None else {}
    header |= {} if version is None else {"version": version}
    at = "2026-01-02T03:04:05.006Z"
    timed = [{**entry, "timestamp": at} for entry in entries]
    return b"".join(json.dumps(line).encode() + b"\n" for line in [header, *timed])


def said(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": text, "provider": "p"}}


FOUND_FILES = {
    "whole": lines(),
    "CRLF": lines(end="\r\n"),
    "blank lines": lines("", "  ", message("d", "c", "assistant", "four"), "\t"),
    "malformed lines": lines("{", "nonsense", '{"type":"message"', message("d", "c", "user", "x")),
    "byte order mark": BOM + lines(),
    "no newline at the end": lines()[:-1],
    "orphan": lines(message("d", "gone", "user", "orphan"), message("e", "d", "user", "below")),
    "self-parent": lines(message("d", "d", "user", "alone"), message("e", "c", "user", "on")),
    "two headers": lines(json.dumps({**HEADER, "id": "s2", "cwd": "/other"})),
    "unparsable timestamps": lines(
        *(message(i, "b", "user", i).replace("2026-01-02T", "no time ") for i in "xyz"),
        message("w", "b", "user", "w"),
    ),
    "children out of time order": lines(
        message("x", "a", "user", "nine long"),
        message("y", "a", "user", "f"),
        message("z", "a", "user", "five5"),
    ),
    "unknown types and members": lines(
        '{"type":"hologram","id":"d","parentId":"c","timestamp":"2026","x":{"y":[1e21]}}'
    ),
    "future version": lines().replace(b'"version": 3', b'"version": 9'),
    "labels set and cleared": lines(
        *(
            json.dumps({"type": "label", "id": i, "parentId": "c", "timestamp": t, **label})
            for i, t, label in [
                ("l1", "2026-01-02T04:00:00.000Z", {"targetId": "a", "label": "first"}),
                ("l2", "2026-01-02T04:00:01.000Z", {"targetId": "b", "label": "second"}),
                ("l3", "2026-01-02T04:00:02.000Z", {"targetId": "a"}),
                ("l4", "2026-01-02T04:00:03.000Z", {"targetId": "gone", "label": "nowhere"}),
            ]
        )
    ),
    "version 1": old(
        None,
        said("user", "one"),
        said("assistant", "two"),
        {"type": "compaction", "summary": "s", "firstKeptEntryIndex": 2, "tokensBefore": 7},
        {"type": "model_change", "provider": "q", "modelId": "n"},
        said("hookMessage", "three"),
        {"type": "thinking_level_change", "thinkingLevel": "low"},
    ),
    "version 1, kept index of the header": old(
        None,
        said("user", "one"),
        {"type": "compaction", "summary": "s", "firstKeptEntryIndex": 0, "tokensBefore": 7},
        said("assistant", "two"),
    ),
    "version 2": old(
        2,
        {**said("user", "one"), "id": "a", "parentId": None},
        {**said("hookMessage", "two"), "id": "b", "parentId": "a"},
        {**said("assistant", "three"), "id": "c", "parentId": "b"},
    ),
}


@pytest.mark.parametrize("kind", FOUND_FILES)
def test_a_found_file_reads_as_in_pi(
    kind: str, daemon: Daemon, pi: Pi, roots: tuple[Path, Path]
) -> None:
    compare_found_file(kind, FOUND_FILES[kind], daemon, pi, roots)


def samples() -> list[Path]:
    folder = os.environ.get("SESSIOND_SAMPLES")
    return sorted(Path(folder).glob("**/*.jsonl")) if folder else []


@pytest.mark.skipif(not samples(), reason="SESSIOND_SAMPLES names no folder of session files")
@pytest.mark.parametrize("sample", samples(), ids=lambda path: path.name)
def test_a_real_session_reads_as_in_pi(
    sample: Path, daemon: Daemon, pi: Pi, roots: tuple[Path, Path]
) -> None:
    compare_found_file(sample.name, sample.read_bytes(), daemon, pi, roots)


def compare_found_file(
    name: str, data: bytes, daemon: Daemon, pi: Pi, roots: tuple[Path, Path]
) -> None:
    """Read without writing, then opened (which migrates), then gone on with: always as in pi."""
    paths = [root / "found" / f"{name}.jsonl" for root in roots]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    paths[1].write_bytes(data.removeprefix(BOM))  # "byte order mark"
    theirs = pi.do("open", path=str(paths[1]))
    looked = daemon.request("session/open", path=str(paths[0]), readOnly=True)["session"]
    found = differences_found(daemon, pi, looked, theirs)
    assert found is None, f"only read: {found}"
    assert paths[0].read_bytes() == data
    ours = daemon.request("session/open", path=str(paths[0]))["session"]
    found = differences_found(daemon, pi, ours, theirs)
    assert found is None, f"opened: {found}"
    for message in (user(""), assistant("")):
        daemon.request("session/appendMessage", session=ours, message=message)
        pi.call(theirs, "appendMessage", message)
    found = differences_found(daemon, pi, ours, theirs)
    assert found is None, f"gone on with: {found}"
    if data.startswith(BOM):
        with pytest.raises(PiError, match="not a valid pi session"):
            pi.do("open", path=str(paths[0]))
        return
    again = pi.do("open", path=str(paths[0]))
    found = differences_found(daemon, pi, ours, again)
    assert found is None, f"pi on the daemon's file: {found}"


def differences_found(daemon: Daemon, pi: Pi, ours: str, theirs: str) -> str | None:
    def ask(method: str) -> Any:
        return daemon.request(f"session/{method}", session=ours)

    snapshot = pi.do("snapshot", handle=theirs)
    entries, names = ask("getEntries")["entries"], Names([])
    for number, (mine, other) in enumerate(zip(entries, snapshot["entries"], strict=False)):
        names.ids[mine["id"]] = names.ids[other["id"]] = f"#{number}"
    context, their_context = ask("buildSessionContext"), snapshot["context"]
    initial = {"thinkingLevel": "off", "model": None}
    for setting, value in initial.items():
        if their_context[setting] == value:  # "settings in version 1 headers"
            context.pop(setting), their_context.pop(setting)
    tree = ask("getTree")
    for nodes in (tree["nodes"], snapshot["tree"]["nodes"]):
        nodes.sort(key=lambda node: int(names.ids[node["id"]][1:]))
    mine = {
        "header": ask("getHeader")["header"],
        "entries": entries,
        "branch": ask("getBranch")["entries"],
        "tree": {"roots": tree["roots"], "nodes": tree["nodes"]},
        "context": context,
    }
    return difference(normal(mine, names), normal({name: snapshot[name] for name in mine}, names))
