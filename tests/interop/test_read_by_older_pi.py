"""pi 0.73.1, the last version under the former package name, reads sessiond's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reference.differences import as_the_newest_reads
from reference.normal import Names, difference, normal
from reference.pi import Pi
from reference.sequence import Sequence
from support.app import assistant
from support.process import Daemon

pytestmark = pytest.mark.node

SEQUENCES = 48
NEWER = {"context_edit", "usage"}


@pytest.mark.parametrize("group", range(4))
def test_the_older_pi_reads_the_same_entries_tree_and_context(
    group: int, daemon: Daemon, pi: Pi, older_pi: Pi, roots: tuple[Path, Path]
) -> None:
    """The files of random sequences; `OLDER_READERS` says what is compared."""
    contexts = files = 0
    for seed in range(1000 + group, 1000 + SEQUENCES, 4):
        sequence = Sequence(seed, daemon, pi, roots)
        sequence.run(15)
        ours = sequence.pair.ours
        state = daemon.request("session/getState", session=ours)
        if not state["persisted"] or not sequence.pair.has("user", "assistant"):
            continue
        before = Path(state["sessionFile"]).read_bytes()
        # Opening puts the leaf at the last entry.
        opened = daemon.request("session/open", path=state["sessionFile"])["session"]
        handle = older_pi.do("open", path=state["sessionFile"])
        theirs = older_pi.do("snapshot", handle=handle)
        mine = reading(daemon, opened)
        files += 1
        if has_newer_members(mine["entries"]):
            mine.pop("context")
        else:
            contexts += 1
            messages = theirs["context"]["messages"]
            theirs["context"]["messages"] = [as_the_newest_reads(each) for each in messages]
        places = {entry["id"]: i for i, entry in enumerate(mine["entries"])}
        for side in (mine, theirs):
            side["tree"]["nodes"].sort(key=lambda node: places[node["id"]])
        names = Names([])
        compared = {name: theirs[name] for name in mine}
        found = difference(normal(mine, names), normal(compared, names))
        assert found is None, f"sequence {seed}: {found}"
        assert Path(state["sessionFile"]).read_bytes() == before
    assert files > 3
    assert contexts > 1


def reading(daemon: Daemon, session: str) -> dict[str, Any]:
    def ask(method: str) -> Any:
        return daemon.request(f"session/{method}", session=session)

    tree = ask("getTree")
    return {
        "header": ask("getHeader")["header"],
        "entries": ask("getEntries")["entries"],
        "branch": ask("getBranch")["entries"],
        "tree": {"roots": tree["roots"], "nodes": tree["nodes"]},
        "context": ask("buildSessionContext"),
        "leafId": ask("getLeafId")["leafId"],
    }


def has_newer_members(entries: list[dict[str, Any]]) -> bool:
    return any(
        entry["type"] in NEWER
        or "systemMessage" in entry
        or (entry["type"] == "message" and entry["message"].get("role") == "system")
        for entry in entries
    )


def test_the_older_pi_continues_with_a_session_of_the_daemon(
    daemon: Daemon, older_pi: Pi, tmp_path: Path
) -> None:
    state = daemon.request("session/create", cwd="/c", sessionDir=str(tmp_path))
    session = {"session": state["session"]}
    said = [{"role": "user", "content": "one"}, assistant("", content=[])]
    for message in said:
        daemon.request("session/appendMessage", **session, message=message)
    handle = older_pi.do("open", path=state["sessionFile"])
    added = older_pi.call(handle, "appendMessage", {"role": "user", "content": "two"})
    told = {"session": None}
    while told["session"] != state["session"]:
        told = daemon.notification("session/didChange")
    assert [entry["id"] for entry in told["entries"]] == [added]
    lines = [json.loads(line) for line in Path(state["sessionFile"]).read_bytes().splitlines()]
    assert daemon.request("session/getEntries", **session)["entries"] == lines[1:]
    assert [entry["message"]["content"] for entry in lines[1:]] == ["one", [], "two"]
