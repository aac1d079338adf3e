"""Wrappers and serialized conversations, byte for byte as pi 1.6.0."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessiond.format.context.file_operations import FileOperations
from sessiond.format.context.llm_text import serialize, to_llm

from .builders import dumps


def llm(value: Any) -> Any:
    found = list(to_llm([value if isinstance(value, bytes) else dumps(value)]))
    return json.loads(found[0]) if found else None


def wrapped(value: Any) -> str:
    (block,) = llm(value)["content"]
    assert block.keys() == {"type", "text"}
    return str(block["text"])


def shell(command: Any = "ls", output: Any = "x", code: Any = 0, **more: Any) -> dict[str, Any]:
    return {"role": "bashExecution", "command": command, "output": output, "exitCode": code, **more}


SHELL = [
    (shell(), "Ran `ls`\n```\nx\n```"),
    (
        shell("ls", "", 2, truncated=True, fullOutputPath="/o"),
        (
            "Ran `ls`\n(no output)\n\nCommand exited with code 2"
            "\n\n[Output truncated. Full output: /o]"
        ),
    ),
    (
        shell("ls", "", 2, cancelled=True, truncated=True),
        "Ran `ls`\n(no output)\n\n(command cancelled)",
    ),
    (
        shell("ls", "x", None, truncated=True, fullOutputPath="/o"),
        "Ran `ls`\n```\nx\n```\n\n[Output truncated. Full output: /o]",
    ),
    (shell(output="a```b"), "Ran `ls`\n```\na```b\n```"),
    (shell(code=-0.0), "Ran `ls`\n```\nx\n```"),
    (shell(code=127.0), "Ran `ls`\n```\nx\n```\n\nCommand exited with code 127"),
    (shell(truncated=False, fullOutputPath="/o"), "Ran `ls`\n```\nx\n```"),
    (shell(excludeFromContext=False), "Ran `ls`\n```\nx\n```"),
    (shell("é😀", "漢"), "Ran `é😀`\n```\n漢\n```"),
    ({"role": "bashExecution"}, "Ran ``\n(no output)"),
    (shell(None, None, "odd"), "Ran ``\n(no output)\n\nCommand exited with code odd"),
]


@pytest.mark.parametrize(("message", "text"), SHELL)
def test_a_shell_command_becomes_a_user_message(message: dict[str, Any], text: str):
    assert wrapped(message) == text


@pytest.mark.parametrize("flag", [True, 1, "yes"])
def test_a_shell_command_kept_out_of_the_context_is_dropped(flag: Any):
    assert llm(shell(excludeFromContext=flag)) is None


def test_a_compaction_is_wrapped():
    assert wrapped({"role": "compactionSummary", "summary": "S\n"}) == (
        "The conversation history before this point was compacted into the following summary:\n\n"
        "<summary>\nS\n\n</summary>"
    )


def test_a_branch_summary_is_wrapped_without_a_newline_at_the_end():
    assert wrapped({"role": "branchSummary", "summary": "S"}) == (
        "The following is a summary of a branch that this conversation came back from:\n\n"
        "<summary>\nS</summary>"
    )


@pytest.mark.parametrize("role", ["compactionSummary", "branchSummary"])
@pytest.mark.parametrize("summary", [None, 5, []])
def test_a_summary_that_is_not_a_string_is_empty(role: str, summary: Any):
    assert "<summary>\n" in wrapped({"role": role, "summary": summary})


def test_summaries_keep_their_spelling():
    raw = rb'{"role":"branchSummary","summary":"\u0041\ud83d\/","timestamp":1.50}'
    (found,) = to_llm([raw])
    assert rb"<summary>\n\u0041\ud83d\/</summary>" in found
    assert found.endswith(b',"timestamp":1.50}')


def test_a_custom_message_becomes_the_users():
    assert llm({"role": "custom", "customType": "c", "content": "n", "timestamp": 3}) == {
        "role": "user",
        "content": [{"type": "text", "text": "n"}],
        "timestamp": 3,
    }
    blocks = [{"type": "image", "data": "", "mimeType": ""}]
    assert llm({"role": "custom", "content": blocks}) == {"role": "user", "content": blocks}


@pytest.mark.parametrize("role", ["system", "user", "assistant", "toolResult"])
def test_other_messages_stay_the_bytes_they_are(role: str):
    raw = b'{ "role" : "%b", "content":null,"n":1e21,"n":2}' % role.encode()
    assert list(to_llm([raw])) == [raw]


@pytest.mark.parametrize("role", ["new", "", None, 7, [], "User"])
def test_unknown_roles_are_dropped(role: Any):
    assert llm({"role": role, "content": "x"}) is None


def text_of(*messages: Any) -> str:
    return serialize([each if isinstance(each, bytes) else dumps(each) for each in messages])


def block(text: Any) -> dict[str, Any]:
    return {"type": "text", "text": text}


def call(name: Any, arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": "c", "name": name, "arguments": arguments}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


THINKING = {"type": "thinking", "thinking": "hm"}
CONVERSATIONS: list[tuple[list[Any], str]] = [
    ([], ""),
    ([{"role": "user", "content": "hi"}], "[User]: hi"),
    ([{"role": "user", "content": [block("a"), {"type": "image"}, block("b")]}], "[User]: ab"),
    ([{"role": "user", "content": ""}, {"role": "user", "content": []}], ""),
    ([assistant(block("a"), THINKING, block("b"))], "[Assistant]: a\nb"),
    ([assistant(THINKING)], ""),
    ([assistant(block(""))], "[Assistant]: "),
    (
        [assistant(call("read", {"path": "a", "n": 1, "o": {"k": "é"}}), call("ls", {}))],
        '[Assistant tool calls]: read(path="a", n=1, o={"k":"é"}); ls()',
    ),
    (
        [assistant(call("x", {"b": 1, "2": [1.0], "1": None}), block("t"))],
        "[Assistant]: t\n\n[Assistant tool calls]: x(1=null, 2=[1], b=1)",
    ),
    (
        [assistant(call("x", None), call("y", "ab"), call("z", [True]))],
        "[Assistant tool calls]: x(); y(); z(0=true)",
    ),
    ([{"role": "toolResult", "content": [block("a"), block("b")]}], "[Tool result]: ab"),
    ([{"role": "toolResult", "content": ""}], ""),
    ([{"role": "toolResult", "content": None}], ""),
    ([{"role": "system", "content": "s"}, {"role": "new"}], ""),
    ([shell(excludeFromContext=True), shell()], "[User]: Ran `ls`\n```\nx\n```"),
    (
        [{"role": "user", "content": "a"}, assistant(block("b")), {"role": "user", "content": "c"}],
        "[User]: a\n\n[Assistant]: b\n\n[User]: c",
    ),
]


@pytest.mark.parametrize(("messages", "text"), CONVERSATIONS)
def test_a_conversation_as_text(messages: list[Any], text: str):
    assert text_of(*messages) == text


@pytest.mark.parametrize(
    ("text", "kept", "more"),
    [
        ("x" * 2000, "x" * 2000, 0),
        ("x" * 2001, "x" * 2000, 1),
        ("x" * 1999 + "😀", "x" * 1999, 1),
        ("x" * 1998 + "😀", "x" * 1998 + "😀", 0),
        ("😀" * 1001, "😀" * 1000, 2),
        ("x" + "😀" * 1000, "x" + "😀" * 999, 1),
        ("é" * 2500, "é" * 2000, 500),
    ],
)
def test_a_long_tool_result_is_cut_by_code_units_but_not_within_a_character(
    text: str, kept: str, more: int
):
    note = f"\n\n[... {more} more characters truncated]" if more else ""
    expected = f"[Tool result]: {kept}{note}"
    assert text_of({"role": "toolResult", "content": text}) == expected
    assert (
        text_of({"role": "toolResult", "content": [block(text[:3]), block(text[3:])]}) == expected
    )


def test_halves_of_characters_survive():
    raw = rb'{"role":"toolResult","content":[{"type":"text","text":"a\ud83d"}]}'
    assert text_of(raw) == "[Tool result]: a\ud83d"


def files(*messages: Any) -> FileOperations:
    found = FileOperations()
    for each in messages:
        found.add_message(each if isinstance(each, bytes) else dumps(each))
    return found


def named(name: Any, path: Any) -> dict[str, Any]:
    return call(name, {"path": path})


def test_files_are_those_of_the_three_tools():
    found = files(
        assistant(named("read", "b"), named("read", "a"), named("edit", "c")),
        assistant(named("write", "d"), named("read", "c"), named("Read", "Z"), named("grep", "g")),
    )
    assert (found.only_read, found.modified) == (["a", "b"], ["c", "d"])


def test_calls_that_a_tool_made_count_and_a_users_do_not():
    nested = {"calls": [{"name": "read", "arguments": {"path": "n"}}, {"name": "write"}], "x": 1}
    found = files(
        {"role": "toolResult", "content": "", "nestedCalls": nested},
        {"role": "user", "content": [named("read", "u")]},
        {"role": "toolResult", "content": [named("read", "r")]},
        {**assistant(), "nestedCalls": nested},
    )
    assert (found.only_read, found.modified) == (["n"], [])


@pytest.mark.parametrize(
    "message",
    [
        assistant(named("read", "")),
        assistant(named("read", 5)),
        assistant(named("read", None)),
        assistant(call("read", None), call("read", "a"), call("read", ["a"]), {"type": "toolCall"}),
        assistant(None, 5, "toolCall", [], {"type": 3, "name": "read"}, named(5, "a")),
        {"role": "assistant", "content": "toolCall"},
        {"role": "assistant", "content": None, "x": "toolCall"},
        {"role": "toolResult", "nestedCalls": None},
        {"role": "toolResult", "nestedCalls": {"calls": None}},
        {"role": "toolResult", "nestedCalls": {"calls": [None, 5, {"name": "read"}]}},
        {"role": "toolResult", "nestedCalls": [1]},
        {"role": 5, "content": [named("read", "a")]},
    ],
)
def test_calls_of_other_shapes_touch_nothing(message: Any):
    assert files(message) == FileOperations()


def test_lists_are_sorted_by_code_unit():
    found = files(assistant(*(named("read", path) for path in ("\ue000", "😀", "b", "B"))))
    assert found.only_read == ["B", "b", "😀", "\ue000"]


def test_paths_with_half_a_character_keep_it():
    raw = rb'{"role":"assistant","content":[{"type":"toolCall","name":"read","arguments":{"path":"a\ud83d"}}]}'
    found = files(raw)
    assert found.only_read == ["a\ud83d"]
    assert found.details() == rb'{"readFiles":["a\ud83d"],"modifiedFiles":[]}'


def test_no_files_give_no_text():
    assert FileOperations().text() == ""
    assert FileOperations.of(["a", "b"], [], []).text() == ("\n\n<read-files>\na\nb\n</read-files>")
    assert FileOperations.of([], ["a"], []).text() == ("\n\n<modified-files>\na\n</modified-files>")
