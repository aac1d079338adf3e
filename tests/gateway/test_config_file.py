"""CoderClaw's configuration file: read leniently, and read again when it has changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon

from sessiond.agents.registry import AGENTS
from sessiond.gateway.config import config_path, read_config


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "coderclaw.json"


def scope_of(path: Path) -> str | None:
    return read_config(str(path)).part("session").text("scope")


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, "/s/coderclaw.json"),
        ({"CODERCLAW_CONFIG_PATH": " "}, "/s/coderclaw.json"),
        ({"CODERCLAW_CONFIG_PATH": " /c/x.json "}, "/c/x.json"),
        ({"CODERCLAW_CONFIG_PATH": "~/x.json", "HOME": "/h"}, "/h/x.json"),
        ({"OPENCLAW_CONFIG_PATH": "/c/x.json"}, "/s/coderclaw.json"),
    ],
)
def test_the_file_is_in_the_state_directory_unless_a_variable_names_it(
    env: dict[str, str], expected: str
):
    assert config_path(AGENTS["coderclaw"], "/s", env) == expected


def test_each_gateway_has_its_own_name():
    openclaw = AGENTS["openclaw"]
    assert config_path(openclaw, "/s", {}) == "/s/openclaw.json"
    assert config_path(openclaw, "/s", {"OPENCLAW_CONFIG_PATH": "/x"}) == "/x"


@pytest.mark.parametrize(
    "text",
    [
        '{"session":{"scope":"global"}}',
        '\ufeff{"session":{"scope":"global"}}',
        "// a comment\n{session: {scope: 'global',},}",
        "\ufeff/* a comment */ {session: {scope: 'glo\\\nbal', x: +.5, y: Infinity, z: 0xf}}",
        '{"session":{"scope":"other","scope":"global"}}',
        '{"x":"\\ud800","session":{"scope":"global"}}',
    ],
)
def test_json_and_json5_are_read(path: Path, text: str):
    path.write_text(text)
    assert scope_of(path) == "global"


def test_a_missing_file_has_no_values_and_causes_no_problem(path: Path):
    config = read_config(str(path))
    assert (config.present, config.members, config.problems) == (True, {}, {})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"  \n",
        b"{",
        b"{'a': }",
        b"[]",
        b"null",
        b'"x"',
        b"\xff\xfe{}",
        b'{"a":"\xff"}',
        b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    ],
)
def test_a_file_that_holds_no_object_is_reported_and_ignored(path: Path, content: bytes):
    path.write_bytes(content)
    config = read_config(str(path))
    assert config.members == {}
    assert str(path) in config.problems[""]
    assert config.problems[""].endswith("ignored")


@pytest.mark.parametrize("kind", ["directory", "fifo", "loop"])
def test_a_path_that_is_not_a_file_is_reported_and_ignored(path: Path, kind: str):
    make = {
        "directory": path.mkdir,
        "fifo": lambda: os.mkfifo(path),
        "loop": lambda: path.symlink_to(path),
    }
    make[kind]()
    config = read_config(str(path))
    assert config.members == {}
    assert str(path) in config.problems[""]


def test_the_main_key_of_a_file_is_not_used(path: Path):
    path.write_text('{"session":{"mainKey":"work","scope":"global"}}')
    config = read_config(str(path))
    assert config.part("session").text("mainKey") is None
    assert config.part("session").text("scope") == "global"


def test_one_bad_value_is_reported_and_the_rest_applies(path: Path):
    path.write_text('{"session":{"scope":7,"store":"/x"},"more":1}')
    config = read_config(str(path))
    assert config.part("session").text("scope") is None
    assert config.part("session").text("store") == "/x"
    assert list(config.problems) == ["session.scope"]


@pytest.mark.parametrize("text", ['{"session":{"idleMinutes":%s}}', "{session:{idleMinutes:%s}}"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_beyond_all_bounds_is_a_problem_like_any_other(path: Path, text: str, sign: str):
    path.write_text(text % (sign + "9" * 400))
    config = read_config(str(path))
    assert config.part("session").count("idleMinutes") is None
    assert list(config.problems) == ["session.idleMinutes"]


def test_a_file_that_appears_disappears_and_is_repaired_is_followed(path: Path):
    found: list[Any] = []
    for text in (None, '{"session":{"scope":"a"}}', "{", '{"session":{"scope":"b"}}', None):
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)
        config = read_config(str(path))
        found.append((config.part("session").text("scope"), bool(config.problems)))
    assert found == [(None, False), ("a", False), (None, True), ("b", False), (None, False)]


async def test_a_daemon_reports_problems_of_the_file_and_continues(tmp_path: Path):
    state = tmp_path / "state"
    state.mkdir()
    (state / "coderclaw.json").write_text("{session: {store: 5, dmScope: 'per-peer'}}")
    async with daemon(tmp_path, profile="coderclaw", agent_dir=str(state)) as client:
        found = await client.request("gateway/get", {"sessionKey": "main"})
        assert [each["path"] for each in found["configProblems"]] == ["session.store"]
        (state / "coderclaw.json").write_text("{session: {store: '~/other.json'}}")
        found = await client.request("gateway/get", {"sessionKey": "main"})
        assert (found["storePath"], "configProblems" in found) == (f"{tmp_path}/other.json", False)
        given = {"sessionKey": "main", "config": {}}
        found = await client.request("gateway/get", given)
        assert found["storePath"] == f"{state}/agents/main/sessions/sessions.json"
