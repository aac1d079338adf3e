"""Exports for others: masked, with what was said alone, with an id of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run
from support.made_up_secrets import made_up_secrets
from support.session_lines import header, line

WORD = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3" * 2
SECRET = dict(made_up_secrets(WORD[:70], "0123456789abcdef"))["Anthropic key"]
CALL = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": f"use {SECRET}"}}
SAID = {"type": "text", "text": "It works."}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text(
        header("aaa111")
        + line("u1", None, f"My key is {SECRET}")
        + line("a1", "u1", message={"role": "assistant", "content": [SAID, CALL]})
        + line("r1", "a1", message={"role": "toolResult", "toolCallId": "c", "content": [SAID]})
        + line("x1", "u1", f"Another branch with {SECRET}")
        + line("u2", "r1", "Thanks")
    )
    return tmp_path


@pytest.mark.parametrize(("kind", "count"), [("markdown", 2), ("jsonl", 2), ("html", 3)])
def test_secrets_are_counted_and_masked(home: Path, kind: str, count: int):
    asked = ("export", "aaa", "--format", kind)
    plain = run(home, *asked, cwd=home)
    assert SECRET in plain.stdout
    assert plain.stderr == (
        f"sessiond: {count} entries have what looks like keys or passwords; --mask hides them\n"
    )
    masked = run(home, *asked, "--mask", cwd=home)
    assert masked.returncode == 0
    assert SECRET not in masked.stdout
    assert "[masked: Anthropic key]" in masked.stdout
    assert masked.stderr.startswith(f"masked keys or passwords in {count} entries")


@pytest.mark.parametrize("kind", ["markdown", "jsonl", "html"])
def test_the_home_directory_and_further_texts_are_masked(tmp_path: Path, kind: str):
    home = tmp_path / "home-of-ada"
    folder = home / f".pi/agent/sessions/-{str(home).replace('/', '-')}-shop--"
    folder.mkdir(parents=True)
    arguments = {
        "command": f"cd {home}/shop\nls {home}",
        "input": json.dumps({"path": f"{home}/a"}),
    }
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": arguments}
    file = folder / "a.jsonl"
    file.write_text(
        header("aaa111", f"{home}/shop")
        + line(
            "u1", None, f"Acme Corp asks for {home}/shop, not {home}er, and ACME CORP pays. {home}."
        )
        + line("a1", "u1", message={"role": "assistant", "content": [SAID, call]})
        + line("i1", "a1", type="session_info", name="For acme corp")
    )
    asked = ("export", str(file), "--format", kind, "--mask")
    plain = run(home, *asked, cwd=home).stdout
    assert "acme corp" in plain.casefold()
    masked = run(home, *asked, "--mask-also", "Acme Corp", "--mask-also", "a+b", cwd=home).stdout
    for text in (plain, masked):
        # Another directory, whose name only begins so, stays.
        assert text.count("home-of-ada") == text.count(f"{home}er")
        assert "~/shop, not" in text
    assert "acme corp" not in masked.casefold()
    assert "[masked] asks for" in masked


def test_further_texts_go_with_a_mask(home: Path):
    done = run(home, "export", "aaa", "--mask-also", "x", cwd=home)
    assert (done.returncode, done.stdout) == (2, "")


def test_nothing_is_said_where_no_secret_is(home: Path):
    for leaf in (["--leaf", "a1"], ["--leaf", "a1", "--conversation"]):
        done = run(home, "export", "aaa", *leaf, cwd=home)
        assert ("2 entries" in done.stderr, "1 entry has" in done.stderr) == (
            "--conversation" not in leaf,
            "--conversation" in leaf,
        )
    file = home / "b.jsonl"
    file.write_text(header("bbb") + line("u", None, "nothing"))
    assert run(home, "export", str(file), cwd=home).stderr == ""


@pytest.mark.parametrize("kind", ["markdown", "jsonl", "html"])
def test_a_conversation_has_no_tools(home: Path, kind: str):
    done = run(home, "export", "aaa", "--format", kind, "--conversation", cwd=home)
    assert "It works." in done.stdout
    assert "Thanks" in done.stdout
    assert f"use {SECRET}" not in done.stdout
    assert "toolResult" not in done.stdout or kind == "html"


def test_a_session_file_can_lie_beside_the_session(home: Path):
    source = home / ".pi/agent/sessions/--w--/a.jsonl"
    copy = source.with_name("copy.jsonl")
    assert run(home, "export", "aaa", "-o", str(copy), cwd=home).returncode == 0
    first = json.loads(copy.read_text().splitlines()[0])
    assert first["id"] != "aaa111"
    assert first["parentSession"] == str(source)
    listed = json.loads(run(home, "list", "--all", "--json", cwd=home).stdout)["sessions"]
    assert {each["id"] for each in listed} == {"aaa111", first["id"]}


def test_an_exact_export_is_that_of_pi(home: Path):
    done = run(home, "export", "aaa", "--format", "jsonl", "--exact", cwd=home)
    first, *rest = map(json.loads, done.stdout.splitlines())
    assert (first["id"], "parentSession" in first) == ("aaa111", False)
    assert [each["id"] for each in rest] == ["u1", "a1", "r1", "u2"]


def test_the_page_that_is_opened_is_masked_too(home: Path):
    shown = run(home, "open", "aaa", "--mask", cwd=home, env={"BROWSER": "true"})
    assert shown.returncode == 0, shown.stderr
    page = Path(shown.stdout.strip()).read_text()
    assert SECRET not in page
    assert "[masked: Anthropic key]" in page
    assert "3 entries" in shown.stderr
