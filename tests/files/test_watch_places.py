"""A directory that is replaced while it is looked at is watched later, and ends no watching."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sessiond.files import disk
from sessiond.files.confinement import Outside
from sessiond.files.watch_places import find_places


@pytest.mark.parametrize("error", [Outside("/x"), FileNotFoundError(2, "gone")])
def test_a_directory_that_is_replaced_meanwhile_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
):
    good, replaced = tmp_path / "good", tmp_path / "replaced"
    good.mkdir()
    replaced.mkdir()
    real = disk.realpath

    def look(path: str) -> Any:
        if path == str(replaced):
            raise error
        return real(path)

    monkeypatch.setattr(disk, "realpath", look)
    found = find_places([(str(good), False), (str(replaced), False)])
    assert [place.name for place in found[str(good), False]] == [str(good)]
    assert found[str(replaced), False] == ()
