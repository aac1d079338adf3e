"""Sessions of Claude Code, as its own files have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.app import daemon, user
from support.claude_lines import (
    CWD,
    SESSION,
    TURN,
    answer,
    call,
    lay,
    line,
    result,
    said,
    text,
    uuid,
)
from support.claude_lines import user as asked
from support.client import Client, RpcError
from support.commands import run
from support.mcp import mcp

from sessiond.agents.claude.lines import ClaudeTranslator

Entries = list[dict[str, Any]]


def translated(content: str) -> Entries:
    made = ClaudeTranslator(SESSION)
    return [
        json.loads(each) for one in content.encode().split(b"\n") for each in made.translate(one)
    ]


def branch(entries: Entries) -> list[str]:
    """Return the ids from the root to the last entry."""
    by_id = {each["id"]: each for each in entries[1:]}
    ids: list[str] = []
    at = entries[-1]["id"]
    while at is not None:
        ids.insert(0, at)
        at = by_id[at]["parentId"]
    return ids


async def opened(client: Client, file: Path) -> str:
    state = await client.request("session/open", {"path": str(file), "readOnly": True})
    assert (state["sessionId"], state["cwd"], state["diagnostics"]) == (SESSION, CWD, [])
    handle: str = state["session"]
    return handle


async def test_a_turn_is_read_as_the_messages_it_consists_of(tmp_path: Path):
    file = lay(tmp_path)
    async with daemon(tmp_path, profile="claude-code") as client:
        handle = await opened(client, file)
        context = await client.request("session/buildSessionContext", {"session": handle})
        roles = [each["role"] for each in context["messages"]]
        assert roles == ["user", "assistant", "assistant", "assistant", "toolResult", "assistant"]
        _, thought, _, called, looked, told = context["messages"]
        assert thought["content"] == [
            {"type": "thinking", "thinking": "Look around.", "thinkingSignature": "AAAA"}
        ]
        assert called["content"] == [
            {"type": "toolCall", "id": "c1", "name": "Bash", "arguments": {"command": "ls sofa"}}
        ]
        assert called["stopReason"] == "toolUse"
        assert (looked["toolCallId"], looked["toolName"], looked["isError"]) == (
            "c1",
            "Bash",
            False,
        )
        assert looked["content"] == [text("teddy")]
        assert told["content"] == [text("Under the sofa.")]
        assert (told["provider"], told["model"]) == ("anthropic", "claude-opus-5-5")


async def test_lists_searches_usage_and_exports(tmp_path: Path):
    file = lay(tmp_path)
    async with daemon(tmp_path, profile="claude-code") as client:
        for method, params in (("session/list", {"cwd": CWD}), ("session/listAll", {})):
            (info,) = (await client.request(method, params))["sessions"]
            assert (info["path"], info["id"], info["cwd"]) == (str(file), SESSION, CWD)
            assert (info["firstMessage"], info["messageCount"]) == ("Where is the teddy bear?", 4)
        (hit,) = (await client.request("catalog/search", {"query": "under the SOFA"}))["hits"]
        assert hit["info"]["id"] == SESSION
        # The blocks of an answer have its usage each; it counts once.
        usage = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        assert usage["input"], usage["output"] == (200, 40)
        assert usage["cacheRead"], usage["cacheWrite"] == (80, 20)
        made = tmp_path / "out.md"
        asked_for = {"path": str(file), "format": "markdown", "outputPath": str(made)}
        await client.request("catalog/export", asked_for)
        assert "Under the sofa." in made.read_text()


async def test_what_claude_code_appends_is_told(tmp_path: Path):
    file = lay(tmp_path)
    async with daemon(tmp_path, profile="claude-code") as client:
        await client.request("catalog/subscribe", {})
        handle = await opened(client, file)
        half = asked(9, 7, "Thank you.")
        with file.open("a") as out:
            out.write(line("mode", mode="normal") + half[:40])
        with file.open("a") as out:
            out.write(half[40:])
        told, changed = await client.notifications("session/didChange", "catalog/didChange")
        assert (told["session"], told["kind"]) == (handle, "appended")
        assert [each["id"] for each in told["entries"]] == [uuid(9)]
        # The first write may have been told alone.
        while changed["changes"][0]["info"]["messageCount"] != 5:
            changed = await client.notification("catalog/didChange")


def test_the_name_of_a_user_counts_more_than_that_of_the_model():
    named = line("ai-title", aiTitle="Toys") + TURN
    titled = named + line("custom-title", customTitle="Bears") + line("ai-title", aiTitle="Toys")
    old = TURN + line("summary", summary="A search", leafUuid=uuid(7))
    for content, names in (
        (named, ["Toys"]),
        (titled, ["Toys", "Bears"]),
        (old, ["A search"]),
        (TURN + line("summary", summary="Of another", leafUuid=uuid(99)), []),
    ):
        found = [each["name"] for each in translated(content) if each["type"] == "session_info"]
        assert found == names


async def test_what_nobody_typed_is_no_first_message(tmp_path: Path):
    lay(
        tmp_path,
        asked(1, None, "Caveat: not for you", isMeta=True)
        + asked(2, 1, "<command-name>/model</command-name>")
        + asked(3, 2, "<local-command-stdout>Set model</local-command-stdout>")
        + asked(
            4,
            3,
            [
                text("Hello bear"),
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"},
                },
            ],
        ),
    )
    async with daemon(tmp_path, profile="claude-code") as client:
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert info["firstMessage"].startswith("Hello bear")
    shown = [
        (each["type"], each.get("display"))
        for each in translated(
            asked(1, None, "x", isMeta=True) + asked(2, 1, "<command-name>/model</command-name>")
        )[1:]
    ]
    assert shown == [("custom_message", False), ("custom_message", True)]


def test_several_results_in_a_line_are_entries_of_their_own():
    content = (
        asked(1, None, "go")
        + answer(2, 1, "m1", call("a", "Read", file_path="/x"))
        + answer(3, 2, "m1", call("b", "Bash", command="y"))
        + asked(4, 3, [result("a", "one"), result("b", [text("two")], is_error=True)])
        + answer(5, 4, "m2", text("done"))
    )
    entries = translated(content)
    first, second, last = entries[-3:]
    assert [each["message"]["toolName"] for each in (first, second)] == ["Read", "Bash"]
    assert [each["message"]["isError"] for each in (first, second)] == [False, True]
    assert branch(entries)[-3:] == [first["id"], uuid(4), last["id"]]


def test_what_is_said_with_a_result_is_a_message_of_its_own():
    content = (
        asked(1, None, "go")
        + answer(2, 1, "m1", call("a", "Read", file_path="/x"))
        + asked(3, 2, [result("a", "one"), text("Stop, that is enough.")])
        + asked(4, 3, "Next.")
    )
    entries = translated(content)
    roles = [each["message"]["role"] for each in entries[1:]]
    assert roles == ["user", "assistant", "toolResult", "user", "user"]
    assert entries[-2]["message"]["content"] == [text("Stop, that is enough.")]
    assert branch(entries)[-2:] == [uuid(3), uuid(4)]


def test_a_compaction_keeps_what_claude_code_kept():
    boundary = said(
        "system",
        8,
        None,
        subtype="compact_boundary",
        logicalParentUuid=uuid(7),
        compactMetadata={
            "trigger": "auto",
            "preTokens": 170,
            "preservedSegment": {"headUuid": uuid(6), "tailUuid": uuid(7)},
        },
    )
    entries = translated(
        TURN
        + boundary
        + asked(9, 8, "We looked for a bear.", isCompactSummary=True)
        + asked(10, 9, "And now?")
    )
    (made,) = [each for each in entries if each["type"] == "compaction"]
    assert made["summary"] == "We looked for a bear."
    # The result is kept with the answer that called.
    assert (made["firstKeptEntryId"], made["tokensBefore"]) == (uuid(3), 170)
    assert branch(entries)[-3:] == [uuid(8), uuid(9), uuid(10)]


def test_a_fork_has_what_was_kept_behind_the_summary():
    # As `--fork-session` writes it: the kept answer names the summary as its parent.
    entries = translated(
        said(
            "system",
            8,
            None,
            subtype="compact_boundary",
            logicalParentUuid=uuid(7),
            compactMetadata={"preTokens": 170, "preservedSegment": {"headUuid": uuid(7)}},
        )
        + asked(9, 8, "We looked for a bear.", isCompactSummary=True)
        + answer(7, 9, "m2", text("Under the sofa."))
        + asked(10, 7, "And now?")
    )
    assert branch(entries) == [uuid(8), uuid(9), uuid(7), uuid(10)]
    (made,) = [each for each in entries if each["type"] == "compaction"]
    assert made["firstKeptEntryId"] == made["id"]


def test_after_a_rewind_the_leaf_is_where_the_user_went():
    told = TURN + asked(8, 7, "Look behind it.") + answer(9, 8, "m3", text("Nothing."))
    rewound = told + line("last-prompt", leafUuid=uuid(7))
    assert branch(translated(rewound))[-3:-1] == [uuid(7), "line-12"]
    entries = translated(rewound + asked(10, 7, "Look again."))
    assert uuid(8) not in branch(entries)
    assert branch(entries)[0] == uuid(1)
    assert branch(entries)[-1] == uuid(10)


def test_lines_that_nobody_knows_are_entries_that_say_so():
    entries = translated(TURN + line("hologram", shape="bear") + said("dream", 9, 7, of="sheep"))
    assert [(each["type"], each["customType"]) for each in entries[-2:]] == [
        ("custom", "claude-code/unknown/hologram"),
        ("custom", "claude-code/unknown/dream"),
    ]
    assert entries[-1]["data"]["of"] == "sheep"


@pytest.mark.parametrize(
    ("bad", "kind"),
    [("{damaged", "malformedLine"), ("[1]", "notAnEntry"), ('"\\ud800"', "notAnEntry")],
)
async def test_a_damaged_line_is_a_diagnostic_of_its_session_alone(
    tmp_path: Path, bad: str, kind: str
):
    file = lay(tmp_path, TURN + bad + "\n" + asked(9, 7, "Still there?"))
    other = lay(tmp_path, TURN, SESSION.replace("0b", "1b"))
    async with daemon(tmp_path, profile="claude-code") as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        assert [each["kind"] for each in state["diagnostics"]] == [kind]
        assert state["leafId"] == uuid(9)
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert {each["path"] for each in listed} == {str(file), str(other)}


def test_texts_that_no_strict_decoder_takes_are_passed_on():
    (_, entry) = translated(asked(1, None, "half \\ud83d deep").replace("\\\\ud83d", "\\ud83d"))
    assert entry["message"]["content"] == "half \ud83d deep"
    deep = "[" * 5000 + "]" * 5000
    content = answer(2, 1, "m", call("c", "Bash", x=1)).replace('{"x": 1}', deep)
    made = ClaudeTranslator(SESSION)
    made.begun = True
    (passed,) = made.translate(content.encode().strip())
    assert deep.encode() in passed


@given(cuts=st.sets(st.integers(0, TURN.count("\n") + 8), max_size=6))
def test_lines_are_translated_alike_whenever_they_come(cuts: set[int]):
    content = (
        TURN
        + line("custom-title", customTitle="Bears")
        + asked(8, 7, "More.")
        + line("last-prompt", leafUuid=uuid(4))
        + asked(9, 4, "Look again.")
    )
    made = ClaudeTranslator(SESSION)
    entries = []
    for number, one in enumerate(content.encode().split(b"\n")):
        if number in cuts:
            # What goes on is a copy; the place before it stays as it is.
            before, made = made, made.copy()
            list(before.translate(one))
            made = made.copy()
        entries += [json.loads(each) for each in made.translate(one)]
    assert entries == translated(content)


async def test_nothing_is_written_and_a_copy_goes_on_in_pi(tmp_path: Path):
    file = lay(tmp_path)
    async with daemon(tmp_path, profile="claude-code") as client:
        handle = await opened(client, file)
        with pytest.raises(RpcError, match="reading only") as error:
            await client.request("session/appendMessage", {"session": handle, "message": user("x")})
        assert error.value.kind == "ReadOnly"
        with pytest.raises(RpcError, match="Claude Code alone writes") as error:
            await client.request("catalog/rename", {"path": str(file), "name": "n"})
        assert error.value.kind == "Unsupported"
        target = {"sourcePath": str(file), "targetCwd": "/w", "sessionDir": str(tmp_path / "pi")}
        fork = await client.request("session/forkFrom", target)
        made = await client.request(
            "session/appendMessage", {"session": fork["session"], "message": user("go on")}
        )
        # The cost of the run stands below the last answer.
        assert made["parentId"] == "line-12"
    assert file.read_text() == TURN


async def test_a_subagent_names_the_session_that_started_it(tmp_path: Path):
    file = lay(tmp_path)
    sub = file.with_suffix("") / "subagents" / "agent-a1b2.jsonl"
    sub.parent.mkdir(parents=True)
    sub.write_text(asked(1, None, "Look under the sofa.", isSidechain=True, agentId="a1b2"))
    async with daemon(tmp_path, profile="claude-code") as client:
        state = await client.request("session/open", {"path": str(sub), "readOnly": True})
        assert state["sessionId"] == "agent-a1b2"
        assert state["header"]["parentSession"] == str(file)


async def test_agents_recall_it_over_mcp(tmp_path: Path):
    lay(tmp_path)
    async with mcp(tmp_path, Path(CWD), profile="claude-code") as client:
        (found,) = (await client.call("search_sessions", query="sofa"))["sessions"]
        assert found["session"] == SESSION
        assert "Under the sofa." in await client.text("open_session", session=SESSION)


def test_resume_starts_claude_code_on_the_session(tmp_path: Path):
    lay(tmp_path, TURN.replace(json.dumps(CWD), json.dumps(str(tmp_path))))
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@" in "$PWD"\n')
    program.chmod(0o755)
    done = run(
        tmp_path,
        "resume",
        "last",
        "--all",
        "--profile",
        "claude-code",
        cwd=tmp_path,
        env={"PATH": f"{program.parent}:/usr/bin:/bin"},
    )
    assert done.stdout.splitlines()[-1] == f"--resume {SESSION} in {tmp_path}"


def test_check_counts_what_a_newer_version_has_written(tmp_path: Path):
    newer = line("hologram") + said("dream", 8, 7) + said("dream", 9, 8)
    lay(tmp_path, TURN + newer + said("system", 10, 9, subtype="rain"))
    done = run(tmp_path, "check", "--all")
    assert done.returncode == 0
    unknown = "of a type that this sessiond does not know"
    assert done.stderr.splitlines()[1:] == [
        f"2 {unknown}: dream",
        f"1 {unknown}: hologram",
        f"1 {unknown}: system/rain",
    ]
    (checked,) = json.loads(run(tmp_path, "check", "--all", "--json").stdout)["files"]
    assert checked["ok"]
    assert {each["type"]: each["count"] for each in checked["unknown"]} == {
        "dream": 2,
        "hologram": 1,
        "system/rain": 1,
    }
