"""npm's pi reads repaired files: every entry, each in the tree; and continues them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from format.test_repair import DAMAGE, damaged, repaired
from hypothesis import given, settings
from reference.pi import Pi
from support.effort import effort

pytestmark = pytest.mark.node


@pytest.mark.parametrize("name", DAMAGE)
def test_pi_reads_every_entry_of_a_repaired_file(pi: Pi, tmp_path: Path, name: str) -> None:
    file = tmp_path / "s.jsonl"
    data = repaired(DAMAGE[name][0])
    file.write_bytes(data)
    header, *entries = [json.loads(line) for line in data.splitlines() if line.strip()]
    handle = pi.do("open", path=str(file))
    found = pi.do("snapshot", handle=handle)
    assert file.read_bytes() == data
    assert found["header"] == header
    assert found["entries"] == entries
    ids = [entry["id"] for entry in entries]
    assert sorted(node["id"] for node in found["tree"]["nodes"]) == sorted(ids)
    assert found["leafId"] == ids[-1]
    # pi would not return from a branch that is a cycle.
    assert found["branch"][-1] == entries[-1]
    # Its append adds a separate line.
    pi.call(
        handle,
        "appendMessage",
        {"role": "assistant", "content": [], "provider": "p", "model": "m", "timestamp": 0},
    )
    assert file.read_bytes().startswith(data)
    assert len(file.read_bytes().splitlines()) == len(data.splitlines()) + 1


def test_pi_could_not_read_some_of_them_before(pi: Pi, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    lost = {}
    for name in ("two entries on one line", "a torn tail with lines after it"):
        data, *_, after = DAMAGE[name]
        file.write_bytes(data)
        entries = pi.do("snapshot", handle=pi.do("open", path=str(file)))["entries"]
        lost[name] = len(after.splitlines()) - 1 - len(entries)
    assert lost == {"two entries on one line": 2, "a torn tail with lines after it": 1}


@settings(max_examples=effort(40, 100))
@given(data=damaged())
def test_pi_reads_every_entry_after_a_repair_of_any_damage(
    pi: Pi, roots: tuple[Path, Path], data: tuple[bytes, list[bytes]]
) -> None:
    file = roots[1] / "damaged.jsonl"
    file.write_bytes(repaired(data[0]))
    entries = [json.loads(line) for line in file.read_bytes().split(b"\n")[1:] if line.strip()]
    handle = pi.do("open", path=str(file))
    found = pi.do("snapshot", handle=handle)
    assert found["entries"] == entries
    assert len(found["tree"]["nodes"]) == len(entries)
    pi.do("close", handle=handle)
