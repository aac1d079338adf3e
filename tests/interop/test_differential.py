"""The daemon and the reference: same operations, same answers, same files.

What may differ, and why, is in `reference.differences`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from reference.differences import escape_separators
from reference.fixture import daemon, pi, roots
from reference.normal import difference, listed, normal
from reference.pi import Pi
from reference.sequence import Sequence
from support.effort import effort
from support.process import Daemon

__all__ = ["daemon", "pi", "roots"]
pytestmark = pytest.mark.node

SEQUENCES = effort(80, 240)
OPERATIONS = 25
GROUPS = 8


@pytest.fixture(scope="module")
def finished(request: pytest.FixtureRequest) -> Iterator[list[int]]:
    """The seeds of the sequences that agreed; their number is said at the end."""
    seeds: list[int] = []
    yield seeds
    with request.config.pluginmanager.get_plugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{len(seeds)} sequences of {OPERATIONS} operations agree with pi")


@pytest.mark.parametrize("group", range(GROUPS))
def test_random_operations_give_the_same_entries_trees_contexts_lists_and_files(
    group: int, daemon: Daemon, pi: Pi, roots: tuple[Path, Path], finished: list[int]
) -> None:
    for seed in range(group, SEQUENCES, GROUPS):
        sequence = Sequence(seed, daemon, pi, roots)
        try:
            sequence.run(OPERATIONS)
            compare_lists(daemon, pi, sequence)
        except Exception as error:
            steps = "\n".join(sequence.pair.log)
            raise AssertionError(f"sequence {seed}:\n{steps}\n→ {error}") from error
        finished.append(seed)


def compare_lists(daemon: Daemon, pi: Pi, sequence: Sequence) -> None:
    """Every session pi has written is listed by the daemon with the same facts."""
    ours = daemon.request("session/list", cwd=sequence.cwd, includeText=True)["sessions"]
    names = sequence.pair.names
    moments = [info["modified"] for info in ours]
    assert moments == sorted(moments, reverse=True)
    by_name = {names.text(info["id"]): normal(listed(info), names) for info in ours}
    escape_separators(pi.agent_dir / "sessions" / f"--{sequence.cwd[1:].replace('/', '-')}--")
    for info in pi.do("list", cwd=sequence.cwd):
        mine = by_name.get(names.text(info["id"]))
        assert mine is not None, f"{info['path']} is not listed"
        found = difference(mine, normal(listed(info), names))
        assert found is None, f"{info['path']}: {found}"
