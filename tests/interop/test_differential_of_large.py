"""The daemon and the reference as in `test_differential`, on sessions that count as large.

Their lines stay in the file, and they are opened by an index that was kept before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from reference.fixture import pi, roots
from reference.pi import Pi
from reference.sequence import Sequence
from support.effort import effort
from support.process import Daemon
from test_found_files import FOUND_FILES, compare_found_file

__all__ = ["pi", "roots"]
pytestmark = pytest.mark.node

SEQUENCES = range(1000, effort(1006, 1016))
OPERATIONS = 25
PROGRAM = """
import atexit, json, sys
from pathlib import Path
from sessiond import limits
limits.KEPT_FROM_BYTES = limits.STORED_FROM_BYTES = 0
from sessiond.__main__ import main
from sessiond.files import reading
opened = {"by index": 0, "in the file": 0}
reopen, read = reading.reopen, reading.read
def counting(*given):
    found = reopen(*given)
    opened["by index"] += found is not None
    return found
def looking(*given, **options):
    found = read(*given, **options)
    opened["in the file"] += found.contents is not None and found.contents.source is not None
    return found
reading.reopen, reading.read = counting, looking
atexit.register(lambda: Path.home().joinpath("opened.json").write_text(json.dumps(opened)))
sys.exit(main())
"""


@pytest.fixture(scope="module")
def daemon(roots: tuple[Path, Path]) -> Iterator[Daemon]:
    """A daemon that forgets every session without a handle, and so opens it again by its index."""
    options = "--cache-bytes", "0"
    with Daemon(roots[0], *options, program=("-c", PROGRAM), framing="header") as process:
        yield process
    opened = json.loads((roots[0] / "opened.json").read_text())
    assert opened["in the file"] > opened["by index"] > 0


class Reopened(Sequence):
    """Opens the session again before every comparison, after its last handle was closed."""

    def reopen(self) -> None:
        if (paths := self._written()) is None:
            return
        self.pair.log.append("close and open again")
        self.daemon.request("session/close", session=self.pair.ours)
        ours = self.daemon.request("session/open", path=paths[0])["session"]
        self.pair.stand_on(ours, self.pi.do("open", path=paths[1]))

    def compare(self) -> None:
        super().compare()
        self.reopen()
        super().compare()


@pytest.mark.parametrize("seed", SEQUENCES)
def test_random_operations_give_the_same_on_large_sessions(
    seed: int, daemon: Daemon, pi: Pi, roots: tuple[Path, Path]
) -> None:
    sequence = Reopened(seed, daemon, pi, roots)
    try:
        sequence.run(OPERATIONS)
    except Exception as error:
        steps = "\n".join(sequence.pair.log)
        raise AssertionError(f"sequence {seed}:\n{steps}\n→ {error}") from error


@pytest.mark.parametrize("kind", FOUND_FILES)
def test_a_large_found_file_reads_as_in_pi(
    kind: str, daemon: Daemon, pi: Pi, roots: tuple[Path, Path]
) -> None:
    path = roots[0] / "found" / f"{kind}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(FOUND_FILES[kind])
    looked = daemon.request("session/open", path=str(path), readOnly=True)
    daemon.request("session/close", session=looked["session"])
    compare_found_file(kind, FOUND_FILES[kind], daemon, pi, roots)
