"""Answers of Claude Code: calls made at once, damaged and repeated lines, tokens and dollars."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.claude_lines import SESSION, answer, call, lay, line, result, said, text, user, uuid

from sessiond.agents.claude.lines import ClaudeTranslator

Entries = list[dict[str, Any]]
THREE = ("c1", "c2", "c3")


def translated(*content: str | bytes) -> Entries:
    made = ClaudeTranslator(SESSION)
    raw = b"".join(each if isinstance(each, bytes) else each.encode() for each in content)
    return [json.loads(each) for one in raw.split(b"\n") for each in made.translate(one)]


def branch(entries: Entries, leaf: str | None = None) -> list[str]:
    """Return the ids from the root to an entry, by default the last one."""
    parents = {each["id"]: each["parentId"] for each in entries[1:]}
    ids: list[str] = []
    at: str | None = leaf or entries[-1]["id"]
    while at is not None:
        ids.insert(0, at)
        at = parents[at]
    return ids


def at_once(arrival: tuple[int, ...]) -> str:
    """Three calls in one answer, as 2.1 writes them: each result below the line of its call."""
    lines = user(1, None, "Run three.") + answer(2, 1, "m1", text("At once."))
    for number, name in enumerate(THREE):
        lines += answer(3 + number, 2 + number, "m1", call(name, "Bash", command=name))
    for place, number in enumerate(arrival):
        lines += user(6 + place, 3 + number, [result(THREE[number], f"did {number}")])
    return lines + answer(9, 8, "m2", text("All done."))


@pytest.mark.parametrize("arrival", list(itertools.permutations(range(3))))
def test_calls_at_once_and_their_results_are_one_branch(arrival: tuple[int, ...]):
    # Claude Code itself sends all three results when it resumes (anthropics/claude-code #31330).
    entries = translated(at_once(arrival))
    assert branch(entries) == [uuid(number) for number in range(1, 10)]


def test_the_lines_of_an_answer_that_stand_between_results_belong_to_it():
    entries = translated(
        user(1, None, "Run two."),
        answer(2, 1, "m1", call("c1", "Bash", command="one")),
        user(3, 2, [result("c1", "did one")]),
        said("attachment", 4, 3, attachment={"type": "hook_success"}),
        user(5, 4, "Context of the program.", isMeta=True),
        answer(6, 2, "m1", call("c2", "Bash", command="two")),
        user(7, 6, [result("c2", "did two")]),
        answer(8, 4, "m2", text("Both done.")),
    )
    assert branch(entries) == [uuid(number) for number in (1, 2, 3, 5, 6, 7, 8)]


def test_a_prompt_that_was_taken_back_is_a_branch_below_the_whole_answer():
    entries = translated(at_once((2, 1, 0)), user(10, 4, "Taken back."), user(11, 4, "Instead."))
    below = {each["id"]: each["parentId"] for each in entries[1:]}
    assert below[uuid(10)] == below[uuid(11)] == uuid(8)


def test_a_damaged_line_cuts_nothing_off():
    made = ClaudeTranslator(SESSION)
    content = b"".join(
        [
            user(1, None, "One.").encode(),
            answer(2, 1, "m1", text("First.")).encode(),
            b"\0" * 70 + b"\n",
            answer(4, 3, "m3", text("Second.")).encode(),
            user(5, 4, "Two.").encode()[:-1] + b"\0" * 9 + b"\n",
            b'{"type":"pr-link","sessionId":"x","prNu'
            + answer(6, 5, "m4", text("Third.")).encode(),
        ]
    )
    lines = [each for one in content.split(b"\n") for each in made.translate(one)]
    entries = [json.loads(each) for each in lines if each.startswith(b'{"type":"message"')]
    assert [each["id"] for each in entries] == [uuid(number) for number in (1, 2, 4, 5, 6)]
    assert [each["parentId"] for each in entries] == [
        None,
        *(uuid(number) for number in (1, 2, 4, 5)),
    ]
    # What was damaged is passed on, so that `check` names it.
    torn = b'{"type":"pr-link","sessionId":"x","prNu'
    assert [each for each in lines if not json_object(each)] == [b"\0", b"\0", torn]


def json_object(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


def test_lines_that_are_written_again_are_read_once():
    # Version 2.1.257 does so after a second compaction (anthropics/claude-code #92089).
    turn = user(1, None, "One.") + answer(2, 1, "m1", text("First."))
    assert translated(turn, turn, turn) == translated(turn)


def figures(entries: Entries) -> list[tuple[int, int]]:
    usages = [each["message"]["usage"] for each in entries if each.get("message", {}).get("usage")]
    return [(usage["input"], usage["output"]) for usage in usages]


def streamed(number: int, parent: int, answer_id: str, output: int, **members: Any) -> str:
    raw = json.loads(answer(number, parent, answer_id, text("x"), **members))
    raw["message"]["usage"] = {"input_tokens": 3, "output_tokens": output}
    return json.dumps(raw) + "\n"


def test_an_answer_counts_its_last_figure():
    # Versions before 2.1 and subagents write lines while the model still answers (ccusage #901).
    first = user(1, None, "Count.")
    entries = translated(
        first,
        streamed(2, 1, "m1", 1),
        streamed(3, 2, "m1", 1),
        streamed(4, 3, "m1", 260),
    )
    assert figures(entries) == [(3, 1), (0, 0), (0, 259)]
    assert [each.get("partOf") for each in entries[2:]] == [None, uuid(2), uuid(2)]


def test_answers_whose_lines_alternate_count_once_each():
    entries = translated(
        user(1, None, "Main."),
        user(2, None, "Side.", isSidechain=True),
        streamed(3, 1, "m1", 10),
        streamed(4, 2, "m2", 10, isSidechain=True),
        streamed(5, 3, "m1", 10),
        streamed(6, 4, "m2", 10, isSidechain=True),
    )
    assert figures(entries) == [(3, 10), (3, 10), (0, 0), (0, 0)]
    assert branch(entries, uuid(5)) == [uuid(1), uuid(3), uuid(5)]
    assert branch(entries, uuid(6)) == [uuid(2), uuid(4), uuid(6)]


def cost_state(dollars: float, **models: dict[str, Any]) -> str:
    return line("cost-state", totalCostUSD=dollars, modelUsage=models, hasUnknownModelCost=False)


def test_recorded_dollars_count_by_model_and_with_what_only_they_have():
    one = {"inputTokens": 100, "outputTokens": 20, "costUSD": 0.5}
    two = {"inputTokens": 190, "outputTokens": 20, "costUSD": 0.75}
    small = {"inputTokens": 5, "outputTokens": 1, "costUSD": 0.25}
    entries = translated(
        user(1, None, "Hi."),
        answer(2, 1, "m1", text("Hi.")),
        cost_state(0.5, **{"claude-opus-5-5": one}),
        cost_state(1.0, **{"claude-opus-5-5": two, "small": small}),
    )
    costs = [each for each in entries if each["type"] == "usage"]
    assert [
        (each["model"], each["usage"]["cost"]["total"], each["usage"]["input"]) for each in costs
    ] == [("claude-opus-5-5", 0.5, 0), ("claude-opus-5-5", 0.25, 90), ("small", 0.25, 5)]
    assert [each.get("pricedAnswers", 0) for each in costs] == [1, 0, 0]


async def test_a_sum_that_has_all_recorded_costs_lacks_none(tmp_path: Path):
    one = {"inputTokens": 100, "outputTokens": 20, "costUSD": 0.5}
    turn = user(1, None, "Hi.") + answer(2, 1, "m1", text("Hi."))
    lay(tmp_path, turn + cost_state(0.5, **{"claude-opus-5-5": one}) + user(3, 2, "Bye."))
    async with daemon(tmp_path, profile="claude-code") as client:
        sums = (await client.request("catalog/usage", {}))["sums"]
    assert (sums["cost"]["total"], sums["withoutCost"]) == (0.5, 0)


def test_what_the_program_says_itself_is_of_no_model():
    failed = json.loads(answer(4, 3, "e1", text("API Error: 529"), isApiErrorMessage=True))
    failed["message"]["model"] = "<synthetic>"
    entries = translated(
        user(1, None, "Hi."),
        answer(2, 1, "m1", text("Hi.")),
        user(3, 2, "Again."),
        json.dumps(failed),
    )
    message = entries[-1]["message"]
    assert (message["model"], message["content"]) == ("claude-opus-5-5", [])
    assert (message["stopReason"], message["errorMessage"]) == ("error", "API Error: 529")


@pytest.mark.parametrize(
    ("content", "prompt"),
    [
        (
            (
                "<command-message>look</command-message>\n<command-name>/look</command-name>\n"
                "<command-args>into it</command-args>"
            ),
            "/look into it",
        ),
        ("<command-name>/init</command-name>", "/init"),
        ("<ide_opened_file>x.py</ide_opened_file>\nexplain this", [text("explain this")]),
        (
            [text("<ide_selection>x</ide_selection>"), text("explain"), text("<b> too")],
            [text("explain"), text("<b> too")],
        ),
        ("<div> is not centered", "<div> is not centered"),
        ("<system-reminder> stays open?", "<system-reminder> stays open?"),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", None),
        ("<local-command-stdout>done</local-command-stdout>", None),
        ("<task-notification>b1</task-notification>", None),
    ],
)
def test_a_prompt_is_what_a_person_typed(content: Any, prompt: Any):
    entries = translated(user(1, None, content))
    prompts = [each["message"]["content"] for each in entries if each["type"] == "message"]
    assert prompts == ([] if prompt is None else [prompt])
    # Nothing is lost: what was put before the prompt is an entry of its own.
    assert len(entries) == 2 + (prompt is not None and isinstance(prompt, list))


def test_a_line_that_the_program_wrote_is_no_prompt():
    for members in ({"origin": {"kind": "task-notification"}}, {"promptSource": "system"}):
        entries = translated(user(1, None, "A task has ended.", **members))
        assert [each["type"] for each in entries] == ["session", "custom_message"]


async def test_a_large_output_is_searched_in_the_file_that_has_it(tmp_path: Path):
    # The line has a preview alone (anthropics/claude-code #31914).
    preview = "<persisted-output>\nOutput too large (5KB). Full output saved to: {}\n\nPreview: a"
    file = lay(tmp_path, "")
    outputs = file.with_suffix("") / "tool-results"
    outputs.mkdir(parents=True)
    (outputs / "b1.txt").write_text("line\n" * 100_000 + "the numbat\n")
    (tmp_path / "secret.txt").write_text("the quokka\n")
    turn = user(1, None, "Print it.")
    for number, name in ((2, "b1.txt"), (4, "../../../../secret.txt"), (6, "gone.txt")):
        called = call(f"c{number}", "Bash", command="print")
        kept = preview.format(outputs / name)
        turn += answer(number, number - 1, f"m{number}", called)
        turn += user(number + 1, number, [result(f"c{number}", kept)])
    file.write_text(turn)
    async with daemon(tmp_path, profile="claude-code") as client:
        asked = {"query": "numbat", "fields": ["results"]}
        (hit,) = (await client.request("catalog/search", asked))["hits"]
        assert hit["snippets"][0]["entryId"] == uuid(3)
        assert not (await client.request("catalog/search", {**asked, "query": "quokka"}))["hits"]
        # The model was sent the preview, and so is an agent that goes on with a copy.
        handle = (await client.request("session/open", {"path": str(file), "readOnly": True}))[
            "session"
        ]
        context = await client.request("session/buildSessionContext", {"session": handle})
        assert "numbat" not in json.dumps([each["content"] for each in context["messages"]])


def test_a_session_that_moves_says_where_it_works():
    def at(number: int, cwd: str) -> str:
        raw = json.loads(user(number, number - 1 or None, "Go."))
        return json.dumps(raw | {"cwd": cwd}) + "\n"

    lines = at(1, "/repo") + at(2, "/repo/w") + at(3, "/repo") + at(4, "/repo-w")
    made = ClaudeTranslator(SESSION, directory_name="-repo-w")
    entries = [
        json.loads(each) for one in lines.encode().split(b"\n") for each in made.translate(one)
    ]
    moves = [(each["worksIn"], each.get("movedTo")) for each in entries if "worksIn" in each]
    # `/repo/w` and `/repo-w` have one encoded name: the file belongs to the first of them.
    assert moves == [("/repo/w", "/repo/w"), ("/repo-w", None)]
    assert branch(entries)[-1] == entries[-1]["id"]


async def test_a_session_is_listed_where_it_worked(tmp_path: Path):
    turn = user(1, None, "Begin above.")
    below = json.loads(user(2, 1, "Go down.")) | {"cwd": "/work/ro.bots x/part"}
    lay(tmp_path, turn + json.dumps(below) + "\n")
    async with daemon(tmp_path, profile="claude-code") as client:
        for cwd in ("/work/ro.bots x", "/work/ro.bots x/part"):
            found = await client.request("session/list", {"cwd": cwd, "exactCwd": True})
            assert [(each["id"], each["cwd"]) for each in found["sessions"]] == [(SESSION, cwd)]
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert info["cwd"] == "/work/ro.bots x"
