"""`import`, `copy` and `relink`: sessions come from files, other machines and old directories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from support.commands import run
from support.made_up_secrets import made_up_secrets
from support.session_lines import header, line

LINES = (
    line("u1", None, "Hello")
    + '{"torn\n'
    + line("a1", "u1", "number", more=1.5).replace("1.5", "1.50")
)
WORD = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3" * 2


def folder(home: Path, cwd: Path | str) -> Path:
    return home / f".pi/agent/sessions/--{str(cwd).lstrip('/').replace('/', '-')}--"


def put(home: Path, where: Path | str, name: str, **members: str) -> Path:
    directory = folder(home, where)
    directory.mkdir(parents=True, exist_ok=True)
    first = json.loads(header(name, str(where))) | members
    file = directory / f"2026_{name}.jsonl"
    file.write_text(json.dumps(first) + "\n" + LINES)
    return file


def ids(home: Path, cwd: Path) -> set[str]:
    listed = json.loads(run(home, "list", "--here", "--json", cwd=cwd).stdout)["sessions"]
    return {info["id"] for info in listed}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "shop").mkdir(parents=True)
    return home


def test_a_file_is_imported_byte_for_byte(home: Path, tmp_path: Path):
    file = tmp_path / "x.jsonl"
    content = header("aaa111", str(home / "shop")) + LINES
    file.write_text(content)
    done = run(home, "import", str(file), cwd=home)
    assert (done.returncode, done.stdout) == (0, "aaa111\n"), done.stderr
    (made,) = folder(home, home / "shop").iterdir()
    assert made.name == "2026-01-01T00-00-00-000Z_aaa111.jsonl"
    assert made.read_text() == content
    assert made.stat().st_mode & 0o077 == 0
    again = run(home, "import", str(file), cwd=home)
    assert again.returncode == 3
    assert "--new-id" in again.stderr
    assert run(home, "import", str(file), "--new-id", cwd=home).returncode == 0
    assert len(ids(home, home / "shop")) == 2


def test_an_imported_session_belongs_to_another_directory(home: Path, tmp_path: Path):
    file = tmp_path / "x.jsonl"
    file.write_text(header("aaa111", "/no/such/place") + LINES)
    told = run(home, "import", str(file), cwd=home)
    assert "/no/such/place does not exist here; --cwd" in told.stderr
    done = run(home, "import", str(file), "--cwd", "~/shop", "--new-id", "--json", cwd=home)
    made = json.loads(done.stdout)
    assert made["cwd"] == str(home / "shop")
    assert ids(home, home / "shop") == {made["id"]}
    first, rest = Path(made["path"]).read_text().split("\n", 1)
    assert json.loads(first)["cwd"] == str(home / "shop")
    assert rest == LINES


def test_what_is_no_session_stops_no_other(home: Path, tmp_path: Path):
    (tmp_path / "letter.txt").write_text("Dear")
    file = tmp_path / "x.jsonl"
    file.write_text(header("../../evil", str(home / "shop")) + LINES)
    done = run(home, "import", str(tmp_path / "letter.txt"), str(file), cwd=home)
    assert done.returncode == 3
    assert "letter.txt" in done.stderr
    (made,) = home.rglob("*.jsonl")
    assert made.parent == folder(home, home / "shop")
    assert run(home, "--read-only", "import", str(file), "--new-id", cwd=home).returncode == 3


@pytest.fixture
def other(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """The home on another machine, and variables with which `ssh` runs a command there."""
    there = tmp_path / "there"
    (there / "shop").mkdir(parents=True)
    programs = tmp_path / "bin"
    programs.mkdir()
    ssh = programs / "ssh"
    ssh.write_text(
        f'#!/bin/sh\n[ "$1 $2 $3" = "-T -- box" ] || exit 7\nHOME={there} exec sh -c "$4"\n'
    )
    sessiond = programs / "sessiond"
    sessiond.write_text(f'#!/bin/sh\nexec {sys.executable} -m sessiond "$@"\n')
    for program in (ssh, sessiond):
        program.chmod(0o755)
    return there, {"PATH": f"{programs}:{os.environ['PATH']}"}


def test_a_session_is_copied_over_ssh(home: Path, other: tuple[Path, dict[str, str]]):
    there, env = other
    source = put(home, home / "shop", "aaa111")
    done = run(home, "copy", "aaa", "box:", cwd=home, env=env)
    assert (done.returncode, done.stdout) == (0, "aaa111\n"), done.stderr
    (made,) = there.rglob("*.jsonl")
    # The directory is the same below the home there.
    assert made.parent == folder(there, there / "shop")
    assert made.read_text().split("\n", 1)[1] == source.read_text().split("\n", 1)[1]
    again = run(home, "copy", "aaa", "box:/else", cwd=home, env=env)
    assert again.returncode == 3
    assert "ended with code 3" in again.stderr
    elsewhere = run(home, "copy", "aaa", "box:/else", "--new-id", cwd=home, env=env)
    assert elsewhere.returncode == 0
    assert list(folder(there, "/else").iterdir())


def test_a_copy_can_be_masked(home: Path, other: tuple[Path, dict[str, str]]):
    there, env = other
    secret = dict(made_up_secrets(WORD[:70], "0123456789abcdef"))["Anthropic key"]
    file = put(home, home / "shop", "aaa111")
    file.write_text(file.read_text() + line("s", "a1", f"use {secret}"))
    assert run(home, "copy", "aaa", "box:", "--mask", cwd=home, env=env).returncode == 0
    (made,) = there.rglob("*.jsonl")
    assert secret not in made.read_text()
    assert made.read_text().splitlines()[1:-1] == file.read_text().splitlines()[1:-1]


@pytest.mark.parametrize("target", ["box", ":", "-oProxyCommand=x:"])
def test_a_target_names_a_host(home: Path, target: str):
    put(home, home / "shop", "aaa111")
    assert run(home, "copy", "aaa", "--", target, cwd=home).returncode == 2


def test_a_host_that_cannot_be_reached_is_reported(home: Path, other: tuple[Path, dict[str, str]]):
    put(home, home / "shop", "aaa111")
    done = run(home, "copy", "aaa", "nobody:", cwd=home, env=other[1])
    assert done.returncode == 3
    assert "nobody: `sessiond import` ended with code 7" in done.stderr


def test_sessions_follow_a_directory_that_was_renamed(home: Path):
    old, new = home / "shop", home / "store"
    parent = put(home, old, "aaa111")
    put(home, old, "aaa222", parentSession=str(parent))
    put(home, old / "web", "bbb111")
    stays = put(home, home / "shopping", "ccc111")
    contents = {name: file.read_text() for name, file in (("a", parent), ("c", stays))}
    assert run(home, "relink", str(old), str(new), "--yes", cwd=home).returncode == 3
    old.rename(new)
    (new / "web").mkdir()
    assert run(home, "relink", "shop", "store", cwd=home).returncode == 2
    done = run(home, "relink", "shop", "store", "--yes", cwd=home)
    assert done.returncode == 0, done.stderr
    assert ids(home, new) == {"aaa111", "aaa222"}
    assert ids(home, new / "web") == {"bbb111"}
    moved = folder(home, new) / parent.name
    assert moved.read_text() == contents["a"].replace(str(old), str(new))
    fork = json.loads((folder(home, new) / "2026_aaa222.jsonl").read_text().splitlines()[0])
    assert fork["parentSession"] == str(moved)
    assert stays.read_text() == contents["c"]
    assert list(folder(home, old).iterdir()) == []
    assert run(home, "relink", "shop", "store", "--yes", cwd=home).returncode == 1


def test_nothing_is_replaced_where_a_file_lies_already(home: Path):
    old, new = home / "shop", home / "store"
    new.mkdir()
    file, other = put(home, old, "aaa111"), put(home, new, "aaa111")
    before = file.read_bytes(), other.read_bytes()
    done = run(home, "relink", str(old), str(new), "--yes", cwd=home)
    assert done.returncode == 3
    assert (file.read_bytes(), other.read_bytes()) == before


def test_sessions_that_only_their_agent_writes_are_named(home: Path):
    place = home / ".claude/projects/-w"
    place.mkdir(parents=True)
    said = {"type": "user", "sessionId": "s", "uuid": "u", "parentUuid": None, "cwd": "/w"}
    said |= {"timestamp": "2026-01-01T00:00:00.000Z", "version": "2.0.0"}
    said |= {"message": {"role": "user", "content": "Hello"}}
    (place / "5a0d3d3e-0000-4000-8000-000000000000.jsonl").write_text(json.dumps(said) + "\n")
    done = run(home, "relink", "/w", str(home / "shop"), "--yes", cwd=home)
    assert done.returncode == 1
    assert "sessions of claude-code stay as they are" in done.stderr


def test_what_cannot_be_pulled_is_a_message(tmp_path: Path):
    done = run(tmp_path, "pull", str(tmp_path))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"sessiond: Cannot read {tmp_path}: Is a directory\n"


def test_a_session_that_cannot_be_moved_stays_as_it_is_and_stops_no_other(home: Path):
    old, new = home / "shop", home / "store"
    new.mkdir()
    first = put(home, old, "aaa")
    second = put(home, old / "deep", "bbb")
    blocked = folder(home, new)
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("in the way")
    before = first.read_bytes()
    done = run(home, "relink", str(old), str(new), "--yes", cwd=home)
    assert done.returncode == 3
    assert "Not a directory" in done.stderr
    assert first.read_bytes() == before
    assert not second.exists()
    assert list(folder(home, new / "deep").iterdir()) == [folder(home, new / "deep") / second.name]
    assert "`sessiond relink ~/store ~/shop` takes it back" in done.stderr


def test_a_name_that_no_file_can_have_changes_nothing(home: Path):
    old = home / "shop"
    new = home.joinpath(*["x" * 100] * 4)
    new.mkdir(parents=True)
    files = [put(home, old, name) for name in ("aaa", "bbb")]
    before = [file.read_bytes() for file in files]
    done = run(home, "relink", str(old), str(new), "--yes", cwd=home)
    assert done.returncode == 3
    assert done.stderr.count("File name too long") == 2
    assert "takes it back" not in done.stderr
    assert [file.read_bytes() for file in files] == before


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no second file system")
def test_sessions_move_to_another_file_system(home: Path):
    old, new = home / "shop", home / "store"
    new.mkdir()
    file = put(home, old, "aaa")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as volume:
        folder(home, new).symlink_to(volume)
        done = run(home, "relink", str(old), str(new), "--yes", cwd=home)
        assert done.returncode == 0, done.stderr
        (moved,) = Path(volume).iterdir()
        assert json.loads(moved.read_text().split("\n")[0])["cwd"] == str(new)
        assert moved.read_text().split("\n", 1)[1] == LINES
        assert not file.exists()


def test_a_directory_of_windows_is_named_as_it_is_written(home: Path):
    new = home / "store"
    new.mkdir()
    for name, directory in (("aaa", "shop"), ("bbb", r"shop\deep"), ("ccc", "shopping")):
        put(home, name, name, cwd=rf"C:\Users\me\{directory}")
    put(home, "ddd", "ddd", cwd="c:\\Users\\me\\shop\\")
    there = r"C:\Users\me\shop"
    done = run(home, "relink", there, str(new), "--yes", cwd=home)
    assert done.returncode == 0, done.stderr
    listed = json.loads(run(home, "list", "--all", "--json", cwd=home).stdout)["sessions"]
    cwds = {info["id"]: info["cwd"] for info in listed}
    assert cwds.pop("ddd") == str(new)
    assert cwds == {"aaa": str(new), "bbb": f"{new}/deep", "ccc": r"C:\Users\me\shopping"}
    assert rf"`sessiond relink ~/store '{there}'` takes it back" in done.stderr
    assert run(home, "relink", str(new), there, "--yes", cwd=home).returncode == 0
    listed = json.loads(run(home, "list", "--all", "--json", cwd=home).stdout)["sessions"]
    assert {info["cwd"] for info in listed} == {there, rf"{there}\deep", rf"{there}ping"}


def test_a_program_that_still_has_a_moved_file_open_is_named(home: Path):
    old, new = home / "shop", home / "store"
    new.mkdir()
    file = put(home, old, "aaa")
    with file.open("ab") as out:
        writer = subprocess.Popen(["sleep", "60"], stdout=out)
    try:
        done = run(home, "relink", str(old), str(new), "--yes", cwd=home)
    finally:
        writer.kill()
        writer.wait()
    assert done.returncode == 0
    assert f"process {writer.pid} still has the old file of {file} open" in done.stderr


def test_a_link_to_a_session_is_moved_and_its_file_stays(home: Path):
    old, new = home / "shop", home / "store"
    new.mkdir()
    file = put(home, old, "aaa")
    kept = file.rename(home / "kept.jsonl")
    file.symlink_to(os.path.relpath(kept, file.parent))
    done = run(home, "relink", str(old), str(new), "--yes", cwd=home)
    assert done.returncode == 0, done.stderr
    assert not file.is_symlink()
    moved = folder(home, new) / file.name
    assert moved.is_symlink()
    assert json.loads(moved.read_text().split("\n")[0])["cwd"] == str(new)
