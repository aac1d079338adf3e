"""`fork`, `resume --from`, `diff`, and entries that are named by labels and numbers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.commands import SESSIOND, run
from support.process import isolated_environment
from support.session_lines import header, line

ANSWER = {"role": "assistant", "content": [{"type": "text", "text": "Two."}]}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A session with three turns on the current branch, and another branch from the first."""
    work = tmp_path / "work"
    work.mkdir()
    folder = tmp_path / f".pi/agent/sessions/--{str(work).lstrip('/').replace('/', '-')}--"
    folder.mkdir(parents=True)
    label = {"type": "label", "id": "l1", "parentId": "u3", "targetId": "a1", "label": "good"}
    label["timestamp"] = "2026-01-01T00:00:05.000Z"
    (folder / "s.jsonl").write_text(
        header("aaa111", str(work))
        + line("u1", None, "One?")
        + line("a1", "u1", message=ANSWER)
        + line("x1", "a1", "Another way\nwith the same end")
        + line("u2", "a1", "A wrong turn\nwith the same end")
        + line("a2", "u2", message=ANSWER)
        + line("u3", "a2", "Worse")
        + json.dumps(label)
        + "\n"
    )
    return tmp_path


def file_of(home: Path) -> Path:
    (found,) = home.glob(".pi/agent/sessions/*/s.jsonl")
    return found


def entries(home: Path, session: str) -> list[str]:
    shown = run(home, "show", session, "--json", cwd=home)
    return [
        entry["id"] if entry["type"] == "message" else entry["type"]
        for entry in json.loads(shown.stdout)["entries"]
    ]


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ([], ["u1", "a1", "u2", "a2", "u3", "label"]),
        (["--at", "good"], ["u1", "a1", "label"]),
        (["--at", "u2"], ["u1", "a1", "u2", "label"]),
        (["--at", "1"], ["u1", "a1", "label"]),
        (["--at", "2"], ["u1", "a1", "u2", "a2", "label"]),
        (["--at", "-1"], ["u1", "a1", "u2", "a2", "label"]),
        (["--at", "-2"], ["u1", "a1", "label"]),
        (["--at", "x1"], ["u1", "a1", "x1", "label"]),
    ],
    ids=str,
)
def test_a_fork_ends_where_it_should_and_the_source_stays(
    home: Path, at: list[str], expected: list[str]
):
    before = file_of(home).read_bytes()
    done = run(home, "fork", "aaa", *at, "--name", "Again", cwd=home)
    assert done.returncode == 0, done.stderr
    made = done.stdout.strip()
    assert f"`sessiond resume {made}`" in done.stderr
    assert file_of(home).read_bytes() == before
    # With the label of the source, and the name, at the end.
    found = entries(home, made)
    if not at:
        # A whole copy keeps its entries as they are.
        expected = [*expected[:-1], "label"]
    assert found == [*expected, "session_info"]
    listed = json.loads(run(home, "list", "--json", cwd=home / "work").stdout)["sessions"]
    assert {each["id"]: each.get("name") for each in listed} == {"aaa111": None, made: "Again"}
    assert next(each for each in listed if each["id"] == made)["parentSessionPath"] == str(
        file_of(home)
    )


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("none", "Entry none not found"),
        ("9", "the branch has 3 messages of the user"),
        ("-3", "nothing is before the first message"),
        ("0", "no turn 0"),
    ],
)
def test_an_entry_that_does_not_exist_is_reported_and_nothing_written(
    home: Path, at: str, message: str
):
    done = run(home, "fork", "aaa", "--at", at, cwd=home)
    assert (done.returncode, done.stdout) == (3, "")
    assert message in done.stderr
    assert len(list(file_of(home).parent.iterdir())) == 1


def test_json_names_the_file(home: Path):
    made = json.loads(run(home, "fork", "aaa", "--at", "good", "--json", cwd=home).stdout)
    assert Path(made["sessionFile"]).parent == file_of(home).parent


def test_labels_name_entries_everywhere(home: Path):
    shown = run(home, "show", "aaa", "--leaf", "good", cwd=home).stdout
    assert "Two." in shown
    assert "wrong turn" not in shown
    exported = run(home, "export", "aaa", "--leaf", "good", cwd=home).stdout
    assert "Two." in exported
    assert "wrong turn" not in exported


def test_a_label_of_two_entries_names_none(home: Path):
    label = {"type": "label", "id": "l2", "parentId": "l1", "targetId": "u1", "label": "good"}
    with file_of(home).open("a") as file:
        file.write(json.dumps(label | {"timestamp": "2026-01-01T00:00:06.000Z"}) + "\n")
    done = run(home, "show", "aaa", "--leaf", "good", cwd=home)
    assert done.returncode == 3
    assert "2 entries have the label good: u1, a1" in done.stderr


def resumed(home: Path, *options: str, cwd: Path) -> tuple[Path, Path]:
    """Run `resume` with an agent that tells its directory and its session."""
    done = run(home, "resume", "aaa", "--agent", "sh -c 'pwd; echo {file}'", *options, cwd=cwd)
    assert done.returncode == 0, done.stderr
    directory, file = done.stdout.splitlines()
    return Path(directory), Path(file)


def test_resume_goes_on_with_a_copy_from_an_entry(home: Path):
    before = file_of(home).read_bytes()
    directory, file = resumed(home, "--from", "-1", cwd=home / "work")
    assert directory == home / "work"
    assert file != file_of(home)
    assert file.parent == file_of(home).parent
    assert entries(home, str(file)) == ["u1", "a1", "u2", "a2", "label"]
    assert file_of(home).read_bytes() == before


def test_a_fork_from_an_entry_belongs_to_the_current_directory(home: Path):
    (home / "other").mkdir()
    directory, file = resumed(home, "--fork", "--from", "good", cwd=home / "other")
    assert directory == home / "other"
    assert json.loads(file.read_text().splitlines()[0])["cwd"] == str(home / "other")
    assert entries(home, str(file)) == ["u1", "a1", "label"]


def test_a_diff_shows_the_common_part_once(home: Path):
    done = run(home, "diff", "aaa", "u2", "x1", cwd=home)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "  User",
        "    One?",
        "  Assistant",
        "    Two.",
        "  User",
        "-   A wrong turn",
        "+   Another way",
        "    with the same end",
    ]
    # Without a second entry it is the current branch.
    assert "+   Worse" in run(home, "diff", "aaa", "good", cwd=home).stdout


def test_a_diff_hides_what_is_long_ago(home: Path):
    shown = run(home, "diff", "aaa", "u3", "2", cwd=home).stdout.splitlines()
    assert shown[0] == "· 2 earlier entries are the same (--full)"
    assert shown[-1] == "-   Worse"
    full = run(home, "diff", "aaa", "u3", "2", "--full", cwd=home).stdout
    assert "    One?" in full.splitlines()


def test_a_diff_as_json_names_the_entries(home: Path):
    done = run(home, "diff", "aaa", "a2", "x1", "--json", cwd=home)
    told = json.loads(done.stdout)
    assert told == {"common": ["u1", "a1"], "first": ["u2", "a2"], "second": ["x1"]}
    same = run(home, "diff", "aaa", "a1", "good", cwd=home)
    assert same.returncode == 1
    assert "the same branch" in same.stderr


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", {"good": "Two.", "u1": "One?", "x1": "Another way", "u2": "A wrong", "u3": "Worse"}),
        ("a", {"a1": "Two.", "a2": "Two."}),
    ],
)
def test_labels_and_entries_are_completed(home: Path, typed: str, expected: dict[str, str]):
    env = isolated_environment(
        home,
        _SESSIOND_COMPLETE="bash_complete",
        COMP_WORDS=f"sessiond fork aaa --at {typed}",
        COMP_CWORD="4",
    )
    done = subprocess.run(
        SESSIOND, env=env, capture_output=True, text=True, check=False, timeout=60, cwd=home
    )
    offered = {line.split("\t")[1]: line.split("\t")[2] for line in done.stdout.splitlines()}
    assert offered.keys() == expected.keys()
    assert all(offered[name].startswith(text) for name, text in expected.items())
