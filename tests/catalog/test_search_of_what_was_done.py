"""Searches of thinking, calls, results, commands and summaries give the results of a naive reader."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import RpcError
from support.effort import effort
from support.sessions_on_disk import settle

from sessiond.catalog.index import texts
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.listing import Listing
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.search.find import search
from sessiond.catalog.search.query import parse
from sessiond.catalog.search.snippets import snippets
from sessiond.catalog.wanted_texts import WantedTexts
from sessiond.format.line_texts import FIELDS
from sessiond.runtime.isolation import Faults

WORDS = ["parser", "lexer", "deadlock", "größe", "x", "漢字", "ENOENT", "a b", '"quoted"', "\ud83d"]
PATHS = ["src/api.ts", "/w/src/api.ts", "./src/../src/api.ts", "README.md", "/other/api.ts"]
TOOLS = ["read", "edit", "bash", "Write"]
QUERIES = ["", "parser", "lexer x", '"a b"', "größe", "enoent", "absent", "api.ts", "\ud83d", "字"]


def line(number: int, at: int, **message: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"e{number}",
        "parentId": None,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"timestamp": at, **message},
    }


def generated(chosen: random.Random) -> list[dict[str, Any]]:
    def text() -> str:
        return " ".join(chosen.choices(WORDS, k=chosen.randrange(1, 4)))

    lines: list[dict[str, Any]] = []
    for number in range(chosen.randrange(12)):
        at = chosen.randrange(1, 6) * 1000
        match chosen.randrange(7):
            case 0:
                lines.append(line(number, at, role="user", content=text()))
            case 1 | 2:
                content: list[Any] = [{"type": "thinking", "thinking": text()}]
                for _ in range(chosen.randrange(3)):
                    arguments = {"path": chosen.choice(PATHS), "new": text(), "deep": {"k": text()}}
                    if chosen.random() < 0.3:
                        arguments.pop("path")
                    called = {"type": "toolCall", "name": chosen.choice(TOOLS)}
                    content.append({**called, "arguments": arguments})
                content.append({"type": "text", "text": text()})
                model = chosen.choice([{"model": "Opus-5"}, {"model": "haiku-5"}, {}, {"model": 7}])
                lines.append(line(number, at, role="assistant", content=content, **model))
            case 3:
                block = {"type": "text", "text": text()}
                tool = chosen.choice(TOOLS)
                lines.append(line(number, at, role="toolResult", toolName=tool, content=[block]))
            case 4:
                ran = {"command": text(), "output": text()}
                lines.append(line(number, at, role="bashExecution", **ran))
            case 5:
                kind = chosen.choice(["compaction", "branch_summary"])
                time = "1970-01-01T00:00:03.000Z"
                lines.append(
                    {"type": kind, "id": f"e{number}", "timestamp": time, "summary": text()}
                )
            case _:
                lines.append({"type": "label", "id": f"e{number}", "label": text()})
        # Mostly below the last one, sometimes below another: a branch.
        below = (
            chosen.choice([number - 1, number - 1, chosen.randrange(number)]) if number else None
        )
        lines[-1]["parentId"] = None if below is None else f"e{below}"
    return lines


def filters(chosen: random.Random) -> WantedTexts:
    return WantedTexts(
        tuple(chosen.sample(FIELDS, chosen.randrange(1, len(FIELDS) + 1))),
        ("assistant", "toolResult") if chosen.random() < 0.3 else (),
        ("edit", "write") if chosen.random() < 0.3 else (),
        ("src/api.ts",) if chosen.random() < 0.3 else (),
        chosen.choice([None, None, 2000.0]),
        chosen.choice([None, None, 4000.0]),
        chosen.choice(["", "", "", "opus", "-5"]),
        chosen.random() < 0.3,
    )


def branch(lines: list[dict[str, Any]]) -> set[str]:
    """The ids from the last entry upwards."""
    parents = {each["id"]: each["parentId"] for each in lines}
    found, at = set(), lines[-1]["id"] if lines else None
    while at is not None:
        found.add(at)
        at = parents[at]
    return found


def naive(lines: list[dict[str, Any]]) -> list[Any]:
    """Field, role, text, tool, path, time, model and place of everything that can be searched."""
    current = branch(lines)
    return [
        (*text, each.get("message", {}).get("model"), each["id"] in current)
        for each in lines
        for text in _texts(each)
    ]


def _texts(each: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    if each["type"] == "label":
        found.append(("labels", "label", each["label"], None, None, None))
    elif each["type"] != "message":
        found.append(("summaries", each["type"], each["summary"], None, None, 3000.0))
    else:
        sent = each["message"]
        role, at, content = sent["role"], float(sent["timestamp"]), sent.get("content")
        if role == "bashExecution":
            found.append(("commands", role, sent["command"], "bash", None, at))
            found.append(("results", role, sent["output"], "bash", None, at))
        elif role == "toolResult":
            found.append(("results", role, content[0]["text"], sent["toolName"], None, at))
        elif role == "user":
            found.append(("said", role, content, None, None, at))
        else:
            for block in content:
                if block["type"] == "toolCall":
                    given = block["arguments"]
                    deep = json.dumps(given["deep"], ensure_ascii=False)
                    path = given.get("path")
                    head = [] if path is None else [f"path: {path}"]
                    told = "\n".join(
                        [block["name"], *head, f"new: {given['new']}", f"deep: {deep}"]
                    )
                    real = None if path is None else path.replace("./src/../", "")
                    found.append(("calls", role, told, block["name"], real, at))
                else:
                    field = "said" if block["type"] == "text" else "thinking"
                    found.append((field, role, block[block["type"]], None, None, at))
    return found


def is_wanted(text: Any, wanted: WantedTexts) -> bool:
    field, role, _, tool, path, at, model, is_current = text
    if wanted.of_current_branch and not is_current:
        return False
    if field not in wanted.fields or (wanted.roles and role not in wanted.roles):
        return False
    if wanted.tools and (tool is None or tool.lower() not in wanted.tools):
        return False
    if wanted.files and path not in {"src/api.ts", "/w/src/api.ts"}:
        return False
    if wanted.model and (not isinstance(model, str) or wanted.model not in model.lower()):
        return False
    if wanted.since is None and wanted.until is None:
        return True
    return at is not None and (wanted.since or 0) <= at < (wanted.until or 1e18)


def tokens(query: str) -> list[str]:
    return [query.strip('"')] if '"' in query else query.split()


@pytest.mark.parametrize("seed", range(effort(3, 12)))
def test_hits_with_any_filter_equal_those_of_a_naive_reading(
    tmp_path: Path, seed: int, monkeypatch
):
    monkeypatch.setattr(texts, "_TOGETHER", [30, 200, 1 << 20][seed % 3])
    chosen = random.Random(seed)
    folder = tmp_path / "s"
    folder.mkdir()
    contents: dict[str, list[dict[str, Any]]] = {}
    for number in range(25):
        path = folder / f"{number}.jsonl"
        header = {"type": "session", "version": 3, "id": f"parser{number}", "cwd": "/parser"}
        contents[str(path)] = generated(chosen)
        rows = [header, *contents[str(path)]]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settle(list(folder.iterdir()))
    sessions = Listing(SessionScope(str(folder))).read().newest_first()
    store = SearchCache(str(tmp_path / "c" / "c.db"))
    hits = 0
    for indexed in ([], sessions[::2], sessions):
        texts.fill(store, [item.path for item in indexed], lambda: None, Faults())
        for _ in range(40):
            wanted = filters(chosen)
            if wanted.is_all_that_was_said:
                continue
            query = chosen.choice(QUERIES)
            expected = set()
            for path, lines in contents.items():
                held = [text[2].lower() for text in naive(lines) if is_wanted(text, wanted)]
                if held and all(any(word in text for text in held) for word in tokens(query)):
                    expected.add(path)
            parsed = parse(query, "text")
            found = search(sessions, parsed, store, lambda: None, wanted=wanted).hits
            assert {hit.summary.path for hit in found} == expected, (query, wanted)
            hits += len(found)
            every = snippets(found, parsed, store, lambda: None, wanted=wanted)
            for hit, shown in zip(found, every, strict=True):
                assert shown
                assert {each.field for each in shown} <= set(wanted.fields)
                current = branch(contents[hit.summary.path])
                for each in shown:
                    assert each.on_current_branch is (each.entry_id in current)
                    assert each.on_current_branch or not wanted.of_current_branch
                words = tokens(query) or [""]
                held = [
                    text[2].lower()
                    for text in naive(contents[hit.summary.path])
                    if is_wanted(text, wanted)
                ]
                assert hit.matches == sum(any(word in text for word in words) for text in held)
    assert hits > 50
    store.close()


def session(*lines: dict[str, Any]) -> str:
    header = {"type": "session", "version": 3, "id": "id", "cwd": "/w"}
    return "".join(json.dumps(row) + "\n" for row in (header, *lines))


@pytest.mark.parametrize("kept", [True, False])
async def test_who_touched_a_file_is_answered_with_what_was_done(tmp_path: Path, kept: bool):
    folder = tmp_path / "s"
    folder.mkdir()
    call = {
        "type": "toolCall",
        "name": "edit",
        "arguments": {"path": "src/./api.ts", "new": "x = 1"},
    }
    edit = line(1, 1_764_000_000_000, role="assistant", content=[call])
    read = line(2, 1_764_086_400_000, role="assistant", content=[{**call, "name": "read"}])
    (folder / "a.jsonl").write_text(session(edit, read))
    (folder / "b.jsonl").write_text(session(line(1, 1, role="user", content="src/api.ts")))
    scope = {"sessionDir": str(folder), "timezone": "UTC", "query": ""}
    async with daemon(tmp_path, catalog_cache=kept) as client:
        for asked, entries in [
            ({"files": ["src/api.ts"]}, ["e1", "e2"]),
            ({"files": ["/w/src/api.ts"]}, ["e1", "e2"]),
            ({"files": ["api.ts"], "tools": ["Edit"]}, ["e1"]),
            ({"files": ["src/api.ts"], "since": "2025-11-25"}, ["e2"]),
            ({"files": ["src/api.ts"], "until": "2025-11-24"}, ["e1"]),
            ({"files": ["other/api.ts"]}, []),
            ({"files": ["src/api.ts"], "query": "x = 1", "tools": ["read"]}, ["e2"]),
        ]:
            answer = await client.request("catalog/search", {**scope, **asked})
            found = [piece for hit in answer["hits"] for piece in hit["snippets"]]
            assert [piece["entryId"] for piece in found] == entries, asked
            for piece in found:
                assert (piece["field"], piece["file"]) == ("calls", "src/api.ts")
                assert piece["tool"] in {"edit", "read"}
                assert piece["time"].startswith("2025-11-2")
        with pytest.raises(RpcError) as refused:
            await client.request("catalog/search", {**scope, "since": "tomorrow"})
        assert refused.value.data["pointer"] == "/since"


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ("/a/Capture d\u2019e\u0301cran.png", "/a/Capture d'écran.png"),
        ("/a/at 3.00.00\u202fPM.png", "at 3.00.00 PM.png"),
        ("/a/Übung.md", "U\u0308bung.md"),
    ],
)
async def test_a_file_is_found_by_its_name_as_people_type_it(
    tmp_path: Path, kept: bool, stored: str, typed: str
):
    folder = tmp_path / "s"
    folder.mkdir()
    call = {"type": "toolCall", "name": "read", "arguments": {"path": stored}}
    (folder / "a.jsonl").write_text(session(line(1, 1, role="assistant", content=[call])))
    scope = {"sessionDir": str(folder), "query": ""}
    async with daemon(tmp_path, catalog_cache=kept) as client:
        for _ in range(2):
            (hit,) = (await client.request("catalog/search", {**scope, "files": [typed]}))["hits"]
            assert hit["snippets"][0]["file"] == stored
        assert (await client.request("catalog/search", {**scope, "files": ["x.png"]}))["hits"] == []


def test_of_a_long_result_the_ends_are_searchable(tmp_path: Path):
    long = "beginning " + "-" * 40_000 + " middle " + "-" * 40_000 + " end"
    block = {"type": "text", "text": long}
    (tmp_path / "a.jsonl").write_text(session(line(1, 1, role="toolResult", content=[block])))
    sessions = Listing(SessionScope(str(tmp_path))).read().newest_first()
    wanted = WantedTexts(("results",))
    for word, count in [("beginning", 1), ("end", 1), ("middle", 0)]:
        found = search(sessions, parse(word, "text"), None, lambda: None, wanted=wanted).hits
        assert len(found) == count, word
