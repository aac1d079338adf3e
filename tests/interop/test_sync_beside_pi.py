"""npm's pi opens what a sync has written, goes on at the right branch, and writes meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reference.pi import Pi, missing

from sessiond.sync.exchange import Exchange, Options
from sessiond.sync.files_side import FilesSide

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif(missing() is not None, reason=str(missing())),
]


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Pi, Pi]]:
    home = tmp_path_factory.mktemp("machines")
    with Pi(home / "home/me") as laptop, Pi(home / "Users/me") as desktop:
        yield laptop, desktop


def home_of(pi: Pi) -> Path:
    return pi.agent_dir.parent.parent


def sync(one: Pi, other: Pi) -> None:
    sides = [FilesSide({"HOME": str(home_of(pi))}, 5) for pi in (one, other)]
    report = asyncio.run(Exchange(*sides, Options()).run())
    assert report.problems == []


def say(pi: Pi, handle: str, text: str) -> str:
    """Append a prompt and an answer; return the id of the answer."""
    pi.call(handle, "appendMessage", {"role": "user", "content": text, "timestamp": 1})
    message = {"role": "assistant", "content": [], "provider": "p", "model": "m", "timestamp": 2}
    answer: str = pi.call(handle, "appendMessage", message)
    return answer


def created(pi: Pi, name: str) -> tuple[str, Path]:
    cwd = home_of(pi) / name
    cwd.mkdir()
    handle = pi.do("create", cwd=str(cwd))
    say(pi, handle, "hello")
    return handle, Path(pi.call(handle, "getSessionFile"))


def copy_on(pi: Pi, name: str) -> Path:
    cwd = home_of(pi) / name
    (info,) = pi.do("list", cwd=str(cwd))
    assert info["cwd"] == str(cwd)
    return Path(info["path"])


def read(pi: Pi, path: Path) -> dict[str, Any]:
    """Open a file as another pi does; nothing in it changes."""
    before = path.read_bytes()
    handle = pi.do("open", path=str(path))
    snapshot: dict[str, Any] = pi.do("snapshot", handle=handle)
    pi.do("close", handle=handle)
    assert path.read_bytes() == before
    return snapshot


def test_both_go_on_at_their_own_branches(machines: tuple[Pi, Pi]):
    laptop, desktop = machines
    handle, path = created(laptop, "branches")
    sync(laptop, desktop)
    copy = copy_on(desktop, "branches")
    other = desktop.do("open", path=str(copy))
    leaf, other_leaf = say(laptop, handle, "on the laptop"), say(desktop, other, "on the desktop")
    sync(laptop, desktop)
    here, there = read(laptop, path), read(desktop, copy)
    assert (here["leafId"], there["leafId"]) == (leaf, other_leaf)
    assert {each["id"] for each in here["entries"]} == {each["id"] for each in there["entries"]}
    assert len(here["entries"]) == 6
    # Those that have the session open go on as if nothing had happened.
    for pi, own, file, parent in ((laptop, handle, path, leaf), (desktop, other, copy, other_leaf)):
        say(pi, own, "more")
        asked = read(pi, file)["branch"][-2]
        assert asked["parentId"] == parent
    sync(laptop, desktop)
    sync(laptop, desktop)
    here, there = read(laptop, path), read(desktop, copy)
    assert {each["id"] for each in here["entries"]} == {each["id"] for each in there["entries"]}
    assert len(here["tree"]["nodes"]) == 10


def test_a_conversation_that_goes_on_elsewhere_goes_on_here(machines: tuple[Pi, Pi]):
    laptop, desktop = machines
    handle, path = created(laptop, "turns")
    last = ""
    for number in range(4):
        pi, other = (desktop, laptop) if number % 2 == 0 else (laptop, desktop)
        sync(other, pi)
        file = copy_on(pi, "turns")
        handle = pi.do("open", path=str(file))
        assert pi.call(handle, "getLeafId") == (last or read(laptop, path)["leafId"])
        last = say(pi, handle, f"turn {number}")
        pi.do("close", handle=handle)
    sync(laptop, desktop)
    assert len(read(laptop, path)["branch"]) == 10
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()[1:]] == [
        json.loads(line)["id"] for line in copy_on(desktop, "turns").read_text().splitlines()[1:]
    ]


def test_labels_names_and_forks_travel(machines: tuple[Pi, Pi]):
    laptop, desktop = machines
    handle, path = created(laptop, "names")
    sync(laptop, desktop)
    leaf = laptop.call(handle, "getLeafId")
    laptop.call(handle, "appendLabelChange", leaf, "here")
    laptop.call(handle, "appendSessionInfo", "a name")
    sync(laptop, desktop)
    (info,) = desktop.do("list", cwd=str(home_of(desktop) / "names"))
    assert info["name"] == "a name"
    labels = {
        node["id"]: node.get("label") for node in read(desktop, Path(info["path"]))["tree"]["nodes"]
    }
    assert labels[leaf] == "here"
    fork = laptop.do("forkFrom", sourcePath=str(path), targetCwd=str(home_of(laptop) / "names"))
    say(laptop, fork, "in a fork")
    sync(laptop, desktop)
    forks = desktop.do("list", cwd=str(home_of(desktop) / "names"))
    assert {each.get("parentSessionPath") for each in forks} == {None, info["path"]}
