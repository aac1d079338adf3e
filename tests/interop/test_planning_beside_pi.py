"""Plans equal those of npm's pi, on random sessions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from reference.pi import missing
from reference.planner import Planner
from reference.values import Values
from support.jsonwire import JsonText, dumps

from sessiond.format.context.branch_summary import abandoned_entries, plan_branch_summary
from sessiond.format.context.build import build_context
from sessiond.format.context.compaction import Preparation, prepare_compaction
from sessiond.format.context.cut_point import find_cut_point
from sessiond.format.context.file_operations import FileOperations
from sessiond.format.context.llm_text import serialize, to_llm
from sessiond.format.context.repaired import repaired
from sessiond.format.context.tokens import (
    CompactionPolicy,
    estimate_context,
    estimate_messages,
    estimate_tokens,
)
from sessiond.format.load import load
from sessiond.format.tree.tree import Tree
from sessiond.text.javascript import entries_of, stringify

pytestmark = pytest.mark.node

Message = dict[str, Any]
Entry = dict[str, Any]

SESSIONS = 300
HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": "2025-01-01T00:00:00.000Z"}
TOOLS = ["read", "write", "edit", "Read", "grep"]
PATHS = ["a.py", "b/c.ts", "ключ", "😀", "\ue000", "", "src/x y"]
NUMBERS = [JsonText(text) for text in ("1.0", "1e21", "-0", "0.10", "1e-7", "12345678901234567890")]
METADATA = ["label", "model_change", "thinking_level_change", "session_info", "custom"]


@pytest.fixture(scope="module")
def planner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planner]:
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    with Planner(tmp_path_factory.mktemp("planner")) as process:
        yield process


class Sessions:
    """Random sessions: turns of tools, metadata, edits, compactions within compactions."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.values = Values(self.random, odd=False)

    def text(self) -> str:
        drawn = self.values.text()
        return str(drawn) * self.random.choice([1, 1, 2, 40])

    def blocks(self, *, images: bool = True) -> list[Any]:
        made: list[Any] = [
            {"type": "text", "text": self.text()} for _ in range(self.random.randrange(3))
        ]
        if images and self.random.random() < 0.2:
            made.append({"type": "image", "data": "aGk=", "mimeType": "image/png"})
        if self.random.random() < 0.1:
            made.append({"type": "somethingNew", "payload": [1]})
        return made

    def content(self) -> Any:
        return self.text() if self.random.random() < 0.5 else self.blocks()

    def call(self) -> Message:
        arguments: dict[str, Any] = {"path": self.random.choice(PATHS), "v": self.values.value()}
        if self.random.random() < 0.3:
            arguments[str(self.random.randrange(20))] = self.random.choice(NUMBERS)
        if self.random.random() < 0.1:
            arguments["path"] = self.random.choice([None, 5, ["a"]])
        name = self.random.choice(TOOLS)
        return {"type": "toolCall", "id": "t", "name": name, "arguments": arguments}

    def message(self, role: str) -> Message:
        message: Message = {"role": role, "timestamp": 1}
        if role == "assistant":
            content = [*self.blocks(images=False)]
            if self.random.random() < 0.3:
                content.insert(0, {"type": "thinking", "thinking": self.text()})
            content += [self.call() for _ in range(self.random.randrange(3))]
            message |= {"content": content, "stopReason": self.random.choice(REASONS)}
            if self.random.random() < 0.4:
                message["usage"] = self.usage()
        elif role == "toolResult":
            huge = self.random.random() < 0.2
            text = "é😀x" * 900 if huge else self.text()
            message["content"] = [{"type": "text", "text": text}, *self.blocks()]
        elif role == "bashExecution":
            message |= {"command": self.text(), "output": self.text()}
            message |= {"exitCode": self.random.choice([0, 1, None]), "cancelled": False}
            message |= {"truncated": True, "fullOutputPath": "/o"}
            message["excludeFromContext"] = self.random.random() < 0.3
        elif role in {"branchSummary", "compactionSummary"}:
            message["summary"] = self.text()
        elif role == "system":
            message |= self.values.message(role) | {"timestamp": 1}
        else:
            message["content"] = self.content()
        return message

    def usage(self) -> Message:
        parts = {name: self.random.randrange(1, 50_000) for name in PARTS}
        total = self.random.choice([0, sum(parts.values()), 77])
        return parts if self.random.random() < 0.2 else {**parts, "totalTokens": total}

    def messages(self) -> list[Message]:
        return [self.message(self.random.choice(ROLES)) for _ in range(self.random.randrange(1, 9))]

    def path(self, roles: list[str], length: int = 24) -> list[Entry]:
        """One branch, with compactions and edits of earlier entries."""
        entries: list[Entry] = []
        for _ in range(self.random.randrange(1, length)):
            draw = self.random.random()
            if draw < 0.08 and entries:
                self._append(entries, self.compaction(entries))
            elif draw < 0.12 and entries:
                self._append(entries, self.edit(entries))
            elif draw < 0.2:
                self._append(entries, {"type": self.random.choice(METADATA), "targetId": "e0"})
            elif draw < 0.25:
                made = {"type": "custom_message", "customType": "c", "display": True}
                self._append(entries, {**made, "content": self.content()})
            elif draw < 0.28:
                made = {"type": "branch_summary", "fromId": "x", "summary": self.text()}
                self._append(entries, made)
            else:
                message = self.message(self.random.choice(roles))
                self._append(entries, {"type": "message", "message": message})
        return entries

    def _append(self, entries: list[Entry], made: Entry) -> None:
        parent = entries[-1]["id"] if entries else None
        base = {"id": f"e{len(entries)}", "parentId": parent}
        entries.append({**made, **base, "timestamp": "2025-01-01T00:00:00.000Z"})

    def compaction(self, entries: list[Entry]) -> Entry:
        kept = self.random.choice(entries)["id"]
        details = {"readFiles": [self.random.choice(PATHS)], "modifiedFiles": ["m"]}
        made: Entry = {"type": "compaction", "summary": self.text() or "s", "tokensBefore": 1}
        made |= {"firstKeptEntryId": kept, "fromHook": self.random.random() < 0.3}
        return made if self.random.random() < 0.3 else {**made, "details": details}

    def edit(self, entries: list[Entry]) -> Entry:
        target = self.random.choice(entries)["id"]
        replacement = self.random.choice([None, {"content": self.content()}])
        return {"type": "context_edit", "targetId": target, "replacement": replacement}

    def branch(self) -> list[Entry]:
        """An abandoned branch, with branch summaries and messages of extensions."""
        entries: list[Entry] = []
        for _ in range(self.random.randrange(1, 16)):
            draw = self.random.random()
            if draw < 0.1:
                details = {"readFiles": ["r"], "modifiedFiles": [self.random.choice(PATHS)]}
                made = {"type": "branch_summary", "fromId": "x", "summary": self.text()}
                self._append(entries, {**made, "details": details, "fromHook": draw < 0.03})
            elif draw < 0.2 and entries:
                self._append(entries, self.compaction(entries))
            elif draw < 0.3:
                made = {"type": "custom_message", "customType": "c", "display": True}
                self._append(entries, {**made, "content": self.content()})
            elif draw < 0.4:
                self._append(entries, {"type": self.random.choice(METADATA), "targetId": "e0"})
            elif draw < 0.5 and entries:
                self._append(entries, self.edit(entries))
            else:
                message = self.message(self.random.choice(ROLES[:-2]))
                self._append(entries, {"type": "message", "message": message})
        return entries


REASONS = ["stop", "toolUse", "error", "aborted"]
PARTS = ["input", "output", "cacheRead", "cacheWrite"]
TALK = ["user"] * 3 + ["assistant"] * 5 + ["toolResult"] * 3
ROLES = [
    *TALK,
    "system",
    "bashExecution",
    "custom",
    "newRole",
    "branchSummary",
    "compactionSummary",
]


def loaded(entries: list[Entry]) -> Tree:
    lines = [dumps(each).encode() for each in ({**HEADER, "cwd": "/"}, *entries)]
    found = load(b"\n".join(lines) + b"\n")
    return Tree(found.entries)


def parsed(raw: list[bytes]) -> list[Any]:
    """Values as in JavaScript, which has only doubles."""
    return [json.loads(stringify(each)) for each in raw]


def raw(messages: list[Message]) -> list[bytes]:
    return [dumps(message).encode() for message in messages]


@pytest.mark.parametrize("group", range(4))
def test_messages_weigh_and_read_the_same(group: int, planner: Planner):
    for seed in range(group, SESSIONS, 4):
        messages = Sessions(seed).messages()
        sent = raw(messages)
        assert [estimate_tokens(each) for each in sent] == planner.do("tokens", messages=messages)
        ours, theirs = estimate_messages(sent), planner.do("context", messages=messages)
        assert {
            "tokens": ours.tokens,
            "usageTokens": ours.usage,
            "trailingTokens": ours.trailing,
            "lastUsageIndex": ours.last_usage,
        } == theirs, seed
        assert parsed(to_llm(sent)) == planner.do("toLlm", messages=messages), seed
        assert serialize(sent) == planner.do("serialize", messages=messages), seed


class Interrupted(Sessions):
    """Random turns of one model, whose calls and results come apart."""

    def messages(self) -> list[Message]:
        return [self.part() for _ in range(self.random.randrange(1, 14))]

    def part(self) -> Message:
        role = self.random.choice([*ROLES, "assistant", "toolResult", "toolResult"])
        message = self.message(role)
        if self.random.random() < 0.1:
            message["content"] = None
        if role == "toolResult":
            message |= {"toolCallId": self.random.choice("abc"), "toolName": "read"}
        if role != "assistant":
            return message
        message |= {"provider": "p", "api": "a", "model": "m"}
        if self.random.random() < 0.5:
            message["stopReason"] = "toolUse"
        blocks = message["content"] or []
        if self.random.random() < 0.2:
            thought = {"type": "thinking", "thinking": self.random.choice(["", " ", "\ufeff"])}
            more = self.random.choice([{}, {"redacted": True}, {"thinkingSignature": "s"}])
            blocks.append({**thought, **more})
        for id_, call in zip("abc", [e for e in blocks if e["type"] == "toolCall"], strict=False):
            call["id"] = id_
        return message


def with_calls(messages: list[Message]) -> list[Message]:
    """Leave out the results whose call is not in the latest answer, which pi passes on."""
    kept, calls = [], set[str]()
    for message in messages:
        if message["role"] in {"user", "assistant"}:
            is_sent = message.get("stopReason") not in {"error", "aborted"}
            is_answer = message["role"] == "assistant" and is_sent
            blocks = message["content"] or [] if is_answer else []
            calls = {block["id"] for block in blocks if block["type"] == "toolCall"}
        if message["role"] != "toolResult" or message["toolCallId"] in calls:
            kept.append(message)
    return kept


def untimed(messages: list[Message]) -> list[Message]:
    """Leave out the time of the results that were made up."""
    made_up = [{"type": "text", "text": "No result provided"}]
    return [
        {**each, "timestamp": 0} if each.get("content") == made_up else each for each in messages
    ]


def test_messages_are_repaired_the_same(planner: Planner):
    changed = same_as_pi = 0
    for seed in range(2 * SESSIONS):
        messages = Interrupted(seed).messages()
        ours = untimed(parsed(list(repaired(to_llm(raw(messages))))))
        sent = planner.do("toLlm", messages=messages)
        assert ours == untimed(planner.do("repair", messages=with_calls(sent))), seed
        changed += ours != untimed(sent)
        same_as_pi += ours == untimed(planner.do("repair", messages=messages))
    assert min(changed, same_as_pi) > SESSIONS / 2


def test_files_are_the_same(planner: Planner):
    for seed in range(SESSIONS):
        messages = Sessions(seed).messages()
        files = FileOperations()
        for each in raw(messages):
            files.add_message(each)
        assert {
            "readFiles": files.only_read,
            "modifiedFiles": files.modified,
            "ops": json.loads(files.as_json()),
            "text": files.text(),
        } == planner.do("files", messages=messages), seed


def test_thresholds_are_the_same(planner: Planner):
    random = Random(1)
    for _ in range(SESSIONS):
        window, reserve = random.randrange(300), random.randrange(300)
        tokens, enabled = random.randrange(300), random.random() < 0.8
        ours = CompactionPolicy(enabled=enabled, reserve=reserve).should_compact(tokens, window)
        settings = {"enabled": enabled, "reserveTokens": reserve}
        theirs = planner.do("shouldCompact", tokens=tokens, window=window, settings=settings)
        assert ours is theirs


@pytest.mark.parametrize("group", range(4))
@pytest.mark.parametrize("roles", [TALK, ROLES], ids=["talk", "all roles"])
def test_compactions_are_prepared_the_same(roles: list[str], group: int, planner: Planner):
    compared = 0
    for seed in range(group, 2 * SESSIONS, 4):
        sessions = Sessions(seed)
        path = sessions.path(roles)
        keep = sessions.random.choice([1, 50, 300, 1000, 5000])
        tree = loaded(path)
        ours = prepare_compaction(build_context(tree, tree.tip_id), keep)
        settings = {"enabled": True, "reserveTokens": 1, "keepRecentTokens": keep}
        theirs = planner.do("prepare", path=path, settings=settings)
        if theirs is None:
            assert isinstance(ours, str), seed
            continue
        assert isinstance(ours, Preparation), seed
        compared += 1
        assert ours.first_kept == theirs["firstKeptEntryId"], seed
        assert ours.is_split == theirs["isSplitTurn"], seed
        assert parsed(ours.history) == theirs["messagesToSummarize"], seed
        assert parsed(ours.prefix) == theirs["turnPrefixMessages"], seed
        assert ours.previous_summary == theirs.get("previousSummary"), seed
        assert json.loads(ours.files.as_json()) == theirs["fileOps"], seed
        assert ours.tokens_before == theirs["tokensBefore"], seed
    assert compared > 40


def test_branches_are_left_and_prepared_the_same(planner: Planner):
    for seed in range(SESSIONS):
        sessions = Sessions(seed)
        entries = sessions.branch()
        tree = loaded(entries)
        budget = sessions.random.choice([0, 1, 100, 1000, 4000])
        found = plan_branch_summary(list(tree.entries), budget)
        theirs = planner.do("branch", entries=entries, budget=budget)
        assert parsed(found.messages) == theirs["messages"], seed
        assert found.tokens == theirs["totalTokens"], seed
        assert json.loads(found.files.as_json()) == theirs["fileOps"], seed


def test_the_abandoned_branch_equals_that_of_pi(planner: Planner):
    random = Random(7)
    for _ in range(SESSIONS):
        entries: list[Entry] = []
        for number in range(random.randrange(1, 12)):
            parent = random.choice([None, *(each["id"] for each in entries)])
            made = {"type": "custom", "id": f"e{number}", "parentId": parent, "timestamp": ""}
            entries.append(made)
        tree = loaded(entries)
        places = [*(each["id"] for each in entries), "unknown"]
        old, target = random.choice([None, *places]), random.choice(places)
        ours = abandoned_entries(tree, old, target)
        theirs = planner.do("leave", entries=entries, **{"from": old, "to": target})
        found = {"ids": [each.id for each in ours.entries], "ancestor": ours.ancestor}
        assert found == theirs, (entries, old, target)


def test_json_is_written_the_same(planner: Planner):
    values = Values(Random(3), odd=True)
    texts = [dumps(values.value()) for _ in range(400)]
    numbers = Random(4)
    texts += [repr(numbers.uniform(-1, 1) * 10 ** numbers.randrange(-25, 25)) for _ in range(400)]
    texts += [str(numbers.randrange(10 ** numbers.randrange(1, 30))) for _ in range(200)]
    assert [stringify(text.encode()) for text in texts] == planner.do("json", texts=texts)


def test_members_come_in_the_same_order(planner: Planner):
    random = Random(5)
    names = ["0", "1", "10", "9", "01", "-1", "a", "4294967294", "4294967295", "1.5", "é"]
    objects = [dict.fromkeys(random.sample(names, 6), 1) for _ in range(100)]
    texts = [dumps(each) for each in objects]
    ours = [[name for name, _ in entries_of(text.encode())] for text in texts]
    assert ours == planner.do("entries", texts=texts)


def test_a_cut_is_after_the_compaction_and_a_split_turn_starts_before_the_cut():
    for seed in range(SESSIONS):
        sessions = Sessions(seed)
        tree = loaded(sessions.path(ROLES))
        context = build_context(tree, tree.tip_id)
        start = 1 if context.entries[0].type == "compaction" else 0
        cut = find_cut_point(context, start, 300)
        assert start <= cut.first_kept <= max(start, len(context.entries) - 1)
        assert cut.turn_start is None or start <= cut.turn_start < cut.first_kept
        assert estimate_context(context).tokens >= 0
