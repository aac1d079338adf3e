"""`catalog/export`: pi's own form, Markdown to read, and a page that nothing in a session can run.

What the page does in a browser is tested in `tests/page`.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.pi import PI, missing, node
from support.app import daemon, user
from support.client import RpcError

from sessiond.catalog.discover import read_header
from sessiond.catalog.export.html import escaped
from sessiond.catalog.export.target import MARK, place
from sessiond.runtime.errors import AlreadyExists, WriteFailed

AT = "2025-06-01T10:00:00.000Z"
HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": AT, "cwd": "/w"}

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>alert(1)</script>-->",
    "]]> <![CDATA[ --> <img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) [b](data:text/html,<script>alert(1)</script>)",
    "{{data}} {{script}} {{style}} {{policy}} {{title}} \\1 \\g<0>",
    "\u2028\u2029&amp;&lt;/script&gt;\u0000\ud83d",
]


def write(path: Path, *entries: dict[str, Any], **header: Any) -> str:
    lines = [{**HEADER, **header}, *entries]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def entry(entry_id: str, parent_id: str | None, kind: str = "message", **more: Any) -> dict:
    return {"type": kind, "id": entry_id, "parentId": parent_id, "timestamp": AT, **more}


def chain(*bodies: dict[str, Any]) -> list[dict[str, Any]]:
    """Entries one under the other; a body with a role is a message."""
    found = []
    for number, body in enumerate(bodies):
        wrapped = {"type": "message", "message": body} if "role" in body else body
        parent = f"e{number - 1}" if number else None
        found.append({**wrapped, "id": f"e{number}", "parentId": parent, "timestamp": AT})
    return found


async def export(home: Path, path: str, kind: str, **more: Any) -> str:
    async with daemon(home) as client:
        return (await client.request("catalog/export", {"path": path, "format": kind, **more}))[
            "content"
        ]


@pytest.mark.parametrize("kind", ["html", "markdown", "jsonl"])
@pytest.mark.parametrize("how", ["file", "handle"])
async def test_nothing_after_the_requested_leaf_is_exported(tmp_path: Path, kind: str, how: str):
    path = write(
        tmp_path / "s.jsonl",
        entry("a", None, message=user("first")),
        entry("b", "a", message=user("wanted")),
        entry("c", "b", message=user("HIDDEN after it")),
        entry("d", "a", message=user("HIDDEN on another branch")),
        entry("e", "c", "session_info", name="HIDDEN name"),
        entry("f", "e", "label", targetId="a", label="HIDDEN label"),
    )
    async with daemon(tmp_path) as client:
        where = {"path": path}
        if how == "handle":
            opened = await client.request("session/open", {**where, "readOnly": True})
            where = {"session": opened["session"]}
        params = {**where, "format": kind, "leafId": "b"}
        content = (await client.request("catalog/export", params))["content"]
        params.pop("leafId")
        whole = (await client.request("catalog/export", params))["content"]
    assert "HIDDEN" not in content
    assert "wanted" in content
    assert "first" in content
    assert "HIDDEN after it" in whole


@pytest.mark.parametrize("kind", ["html", "markdown", "jsonl"])
async def test_a_branch_that_openclaw_moved_is_exported_whole(tmp_path: Path, kind: str):
    path = write(
        tmp_path / "s.jsonl",
        entry("a", None, message=user("first")),
        entry("b", "a", message=user("HIDDEN left branch")),
        entry("l", "b", "leaf", targetId="a"),
        entry("c", "l", message=user("wanted")),
        version=4,
    )
    content = await export(tmp_path, path, kind, leafId="c")
    assert "HIDDEN" not in content
    assert "first" in content
    assert "wanted" in content


# jsonl


def odd_session(path: Path) -> str:
    """Branches, labels, metadata, a missing parentId, numbers and names that JavaScript keeps."""
    return write(
        path,
        entry("a", None, message=user("é😀 \u2028 </script>", timestamp=1)),
        entry("b", "a", message={"role": "assistant", "content": [], "usage": {"input": 1}}),
        entry("l1", "b", "label", targetId="a", label="first"),
        entry("c", "l1", "compaction", summary="s", firstKeptEntryId="l1", tokensBefore=5),
        entry("d", "b", message=user("another branch")),
        entry("e", "c", "custom", customType="x", data={"z": 1, "a": [None, True, -0.5]}),
        {"parentId": "e", "x": 1, "id": "f", "type": "future", "timestamp": AT},
        entry("g", "f", "session_info", name="n"),
        entry("h", "g", "branch_summary", fromId="d", summary="s"),
        cwd="/tmp",
        parentSession="/elsewhere.jsonl",
    )


@pytest.mark.node
async def test_jsonl_export_equals_that_of_pi(tmp_path: Path):
    path = odd_session(tmp_path / "s.jsonl")
    leaves = ["h", "d", "l1", "a"]
    theirs = exported_by_pi(shutil.copy(path, tmp_path / "copy.jsonl"), leaves, tmp_path / "made")
    for leaf_id, expected in zip(leaves, theirs, strict=True):
        ours = (await export(tmp_path, path, "jsonl", leafId=leaf_id)).split("\n")
        assert len(ours) == len(expected)
        assert ours[-1] == expected[-1] == ""
        for mine, other in zip(ours[:-1], expected[:-1], strict=True):
            # Values and order of members; spelling is the file's here, JSON.stringify's there.
            assert members(mine) == members(other)


def exported_by_pi(path: str, leaves: list[str], output: Path) -> list[list[str]]:
    """The lines of the reference's export for each leaf."""
    if reason := missing():
        pytest.skip(reason)
    script = Path(__file__).parents[1] / "reference" / "export.mjs"
    command = [node() or "node", script, PI.directory, path, output, *leaves]
    subprocess.run(command, check=True, timeout=50)
    return [(output / f"{leaf_id}.jsonl").read_text().split("\n") for leaf_id in leaves]


def members(line: str) -> list[tuple[str, Any]]:
    found = json.loads(line, object_pairs_hook=list)
    times = ("timestamp",) if ("type", "session") in found else ()
    return [pair for pair in found if pair[0] not in times]


async def test_jsonl_keeps_every_byte_but_the_parent(tmp_path: Path):
    line = b'{ "id":"a","parentId" : "gone" ,"type":"message","n":1e400,"m":1.50,"n":"\\ud83d" }'
    path = tmp_path / "s.jsonl"
    path.write_bytes(json.dumps(HEADER).encode() + b"\n" + line + b"\r\n")
    content = await export(tmp_path, str(path), "jsonl")
    header, exported, rest = content.split("\n")
    assert exported.encode() == line.replace(b'"gone"', b"null")
    assert rest == ""
    assert list(json.loads(header)) == ["type", "version", "id", "timestamp", "cwd"]


async def test_an_older_file_is_exported_in_version_3_and_does_not_change(tmp_path: Path):
    path = tmp_path / "old.jsonl"
    lines = [
        {"type": "session", "id": "old", "timestamp": AT, "cwd": "/w"},
        {"type": "message", "timestamp": AT, "message": user("x")},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(text)
    header, line, _ = (await export(tmp_path, str(path), "jsonl")).split("\n")
    assert json.loads(header)["version"] == 3
    assert json.loads(line)["parentId"] is None
    assert path.read_text() == text


async def test_an_export_can_be_opened_as_the_session_it_was(tmp_path: Path):
    path = odd_session(tmp_path / "s.jsonl")
    output = str(tmp_path / "out.jsonl")
    async with daemon(tmp_path) as client:
        params = {"path": path, "format": "jsonl", "outputPath": output}
        assert await client.request("catalog/export", params) == {"path": output}
        state = await client.request("session/open", {"path": output})
        assert state["sessionId"] == "s"
        assert state["name"] == "n"
        assert not [item for item in state["diagnostics"] if item["kind"] != "missingTarget"]
        session = {"session": state["session"]}
        found = await client.request("session/getBranch", session)
        ids = [item["id"] for item in found["entries"]]
        assert ids == ["a", "b", "l1", "c", "e", "f", "g", "h"]


# Markdown


async def test_markdown_follows_its_rules(tmp_path: Path):
    path = write(
        tmp_path / "s.jsonl",
        *chain(
            {"role": "system", "content": "Be *brief*."},
            user(
                [
                    {"type": "text", "text": "\n\n# Look\r\n```py\nx"},
                    {"type": "image", "mimeType": "image/png", "data": "aGk="},
                ]
            ),
            {
                "role": "assistant",
                "provider": "p",
                "model": "m_1",
                "stopReason": "aborted",
                "errorMessage": "no\n*more*",
                "content": [
                    {"type": "thinking", "thinking": "one\n\ntwo"},
                    {"type": "text", "text": "  \n"},
                    {
                        "type": "toolCall",
                        "name": "wr`ite",
                        "arguments": {"path": "a", "text": "l1\n```\nl2", "o": {"k": 1.0}},
                    },
                    {"type": "toolCall", "name": "ls", "arguments": {}},
                    {"type": "odd", "x": 1},
                ],
            },
            {
                "role": "toolResult",
                "toolName": "ls",
                "isError": True,
                "content": "\x1b[31mred\x1b[0m\x00 ````",
            },
            {
                "role": "bashExecution",
                "command": "ls",
                "output": "x\n",
                "exitCode": 2,
                "excludeFromContext": True,
            },
            {"role": "bashExecution", "command": "ls", "output": "", "cancelled": True},
            {"type": "custom_message", "customType": "<note>", "content": "said", "display": False},
            {
                "type": "compaction",
                "summary": "# Goal",
                "firstKeptEntryId": "e1",
                "tokensBefore": 1,
            },
            {"type": "branch_summary", "summary": "went there", "fromId": "e1"},
            {"type": "thinking_level_change", "thinkingLevel": "high"},
            {"type": "usage", "kind": "k", "provider": "p", "model": "m", "usage": {}},
            {"type": "context_edit", "targetId": "e1", "replacement": None},
            {"type": "custom", "customType": "c"},
            {"type": "label", "targetId": "e1", "label": "the [start]"},
            {"type": "label", "targetId": "e2"},
            {"type": "future"},
            {"role": "stranger", "content": 5},
        ),
        parentSession="/p.jsonl",
    )
    golden = Path(__file__).parents[1] / "golden" / "export.md"
    assert await export(tmp_path, path, "markdown") == golden.read_text()


async def test_markdown_holds_no_half_characters(tmp_path: Path):
    path = write(
        tmp_path / "s.jsonl", *chain(user("a\ud83d"), user([{"type": "text", "text": "\udc00"}]))
    )
    content = await export(tmp_path, path, "markdown")
    assert "\na\ufffd\n" in content
    assert content.encode().decode() == content


# The page


def data_of(page: str) -> Any:
    found = re.search(
        r'<script type="application/json" id="session">(.*?)</script>', page, re.DOTALL
    )
    assert found
    return json.loads(found[1])


async def test_the_page_holds_exactly_the_entries(tmp_path: Path):
    path = odd_session(tmp_path / "s.jsonl")
    data = data_of(await export(tmp_path, path, "html"))
    header, *entries = (json.loads(line) for line in Path(path).read_text().splitlines())
    assert data["entries"] == entries
    assert data["header"] == header
    assert (data["leafId"], data["name"], data["cwd"]) == ("h", "n", "/tmp")
    assert data["labels"] == [["a", "first"]]
    assert data["roots"] == [0]
    assert dict(data["children"])[1] == [2, 4]


@pytest.mark.parametrize("only_branch", [False, True])
async def test_the_page_says_what_is_seen_of_each_entry(only_branch: bool, tmp_path: Path):
    call = {
        "type": "toolCall",
        "id": "c",
        "name": "edit",
        "arguments": {"path": "a", "oldText": "x"},
    }
    answer = {"role": "assistant", "content": [call]}
    result = {"role": "toolResult", "toolCallId": "c", "content": "ok", "details": {"diff": "-1 x"}}
    path = write(tmp_path / "s.jsonl", *chain(user("hi"), answer, result))
    wanted = {"leafId": "e2"}
    data = data_of(await export(tmp_path, path, "html", **(wanted if only_branch else {})))
    asked, answered, resulted = data["views"]
    assert [view["entryId"] for view in data["views"]] == [each["id"] for each in data["entries"]]
    assert asked["blocks"] == [{"kind": "text", "text": "hi"}]
    shown = answered["blocks"][0]
    assert (shown["kind"], shown["tool"], shown["path"]) == ("call", "edit", "a")
    assert resulted["blocks"][0]["callEntryId"] == answered["entryId"]
    assert resulted["blocks"][1]["changes"] == [{"kind": "removed", "text": "x", "line": 1}]


async def test_the_page_tree_contains_every_entry_once_for_any_parents(tmp_path: Path):
    path = write(
        tmp_path / "s.jsonl",
        entry("a", "b", message=user("cycle")),
        entry("b", "a", message=user("cycle")),
        entry("self", "self", message=user("x")),
        entry("orphan", "gone", message=user("x")),
        entry("twice", None, message=user("first")),
        entry("twice", "a", message=user("second")),
    )
    data = data_of(await export(tmp_path, path, "html"))
    below = [child for _, children in data["children"] for child in children]
    assert sorted([*data["roots"], *below]) == [0, 1, 2, 3, 5]


def policy_of(page: str) -> dict[str, list[str]]:
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert found
    directives = (part.split() for part in found[1].split(";"))
    return {name: values for name, *values in directives}


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


async def test_the_policy_allows_only_the_script_and_style_of_the_page(tmp_path: Path):
    page = await export(tmp_path, odd_session(tmp_path / "s.jsonl"), "html")
    policy = policy_of(page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert policy == {
        "default-src": ["'none'"],
        "script-src": [digest(script) for script in scripts],
        "style-src": [digest(style) for style in styles],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    assert len(scripts) == len(styles) == 1
    # It counts for what follows it only.
    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<script")


async def test_a_page_is_no_session_and_is_replaced(tmp_path: Path):
    path = odd_session(tmp_path / "s.jsonl")
    page = tmp_path / "page.html"
    for _ in range(2):
        async with daemon(tmp_path) as client:
            asked = {"path": path, "format": "html", "outputPath": str(page)}
            await client.request("catalog/export", asked)
        assert read_header(str(page)) is None


async def test_hostile_texts_change_nothing_but_the_data(tmp_path: Path):
    plain = write(tmp_path / "plain.jsonl", *chain(user("x")))
    frame = without_data(await export(tmp_path, plain, "html"))
    for text in HOSTILE:
        hostile = write(
            tmp_path / "hostile.jsonl",
            *chain(
                user(text),
                {
                    "role": "assistant",
                    "content": [{"type": "toolCall", "name": text, "arguments": {text: text}}],
                },
                {"type": "label", "targetId": "e0", "label": text},
                {"type": text, text: [text]},
            ),
            parentSession=text,
        )
        page = await export(tmp_path, hostile, "html")
        assert without_data(page) == frame
        data = data_of(page)
        assert data["entries"][0]["message"]["content"] == text
        assert data["entries"][3][text] == [text]
        assert data["labels"] == [["e0", text]]


def without_data(page: str) -> str:
    data = r'(<script type="application/json" id="session">).*?(</script>)'
    title = r'(<title>|<h1 id="title">)[^<>]*(</title>|</h1>)'
    return re.sub(title, r"\1\2", re.sub(data, r"\1\2", page, flags=re.DOTALL))


def titles_of(page: str) -> list[str]:
    found = re.findall(r"<title>(.*?)</title>.*?<h1 id=\"title\">(.*?)</h1>", page, re.DOTALL)
    assert len(found) == 1
    return [unescape(title) for title in found[0]]


async def test_the_title_is_the_name_else_the_first_message(tmp_path: Path):
    first = {
        "role": "user",
        "content": [{"type": "text", "text": "\n Why <b>\x1b[31m\n so? \ud83d"}],
    }
    empty = {"role": "user", "content": " "}
    named = {"type": "session_info", "name": "The name"}
    for bodies, expected in [
        ([], "(no messages)"),
        ([empty], "(no messages)"),
        (
            [{"role": "assistant", "content": "x"}, empty, first, user("later")],
            "Why <b> so? \ufffd",
        ),
        ([first, named], "The name"),
        ([user("long " * 100)], "long " * 15 + "long…"),
    ]:
        page = await export(tmp_path, write(tmp_path / "s.jsonl", *chain(*bodies)), "html")
        assert titles_of(page) == [expected, expected]


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_hostile_name_stays_text_in_the_title(text: str, tmp_path: Path):
    path = write(tmp_path / "s.jsonl", *chain({"type": "session_info", "name": text}))
    page = await export(tmp_path, path, "html")
    titles = re.findall(r"<title>(.*?)</title>", page, re.DOTALL)
    assert len(titles) == 1
    assert "<" not in titles[0]
    assert page.count("<script") == 2


def test_the_page_s_own_parts_fit_where_they_stand():
    folder = Path(__file__).parents[2] / "sessiond" / "catalog" / "export" / "page"
    script = "".join(path.read_text() for path in folder.glob("*.js"))
    assert not re.search(
        r"</script|<!--|innerHTML|outerHTML|insertAdjacent|document\.write", script
    )
    assert not re.search(r"\beval\(|new Function|srcdoc|setAttribute\(\"on", script)
    style = "".join(path.read_text() for path in folder.glob("*.css"))
    assert not re.search(r"</style|@import|url\(", style)
    assert "\r" not in script


@given(st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_escaped_json_is_the_same_value_without_a_character_of_html(value: Any):
    for ascii_only in (True, False):
        raw = json.dumps(value, ensure_ascii=ascii_only).encode(errors="surrogatepass")
        found = escaped(raw)
        assert json.loads(found.decode(errors="surrogatepass")) == value
        assert not set(found.decode(errors="surrogatepass")) & set("<>&\u2028\u2029")


# Files


async def test_a_file_is_private_and_its_directories_too(tmp_path: Path):
    path = odd_session(tmp_path / "s.jsonl")
    output = tmp_path / "a" / "b" / "s.html"
    async with daemon(tmp_path) as client:
        params = {"path": path, "format": "html", "outputPath": str(output)}
        await client.request("catalog/export", params)
    assert output.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    assert os.listdir(output.parent) == ["s.html"]


def test_an_existing_file_is_replaced_atomically_and_keeps_its_mode(tmp_path: Path):
    target = tmp_path / "notes.md"
    target.write_bytes(b"# old " + MARK + b"\n")
    target.chmod(0o644)
    (tmp_path / "link.md").symlink_to(target)
    before = target.stat().st_ino
    place(str(tmp_path / "link.md"), [b"new", b"!"])
    assert target.read_text() == "new!"
    assert target.stat().st_mode & 0o777 == 0o644
    assert target.stat().st_ino != before
    assert (tmp_path / "link.md").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link.md", "notes.md"]


def test_a_failed_write_leaves_only_the_old_file(tmp_path: Path):
    target = tmp_path / "notes.md"
    target.write_bytes(b"# old " + MARK + b"\n")

    def parts():
        yield b"new"
        raise OSError(28, "No space left on device")

    with pytest.raises(WriteFailed) as raised:
        place(str(target), parts())
    assert raised.value.data["path"] == str(target)
    assert target.read_bytes().startswith(b"# old")
    assert os.listdir(tmp_path) == ["notes.md"]


SESSION = json.dumps(HEADER).encode() + b"\n"


@pytest.mark.parametrize(
    "data",
    [
        *(SESSION, b"\n{broken\n" + SESSION, b"\xef\xbb\xbf" + SESSION),
        # Sessions with damaged headers, which no program recognizes, and any other file.
        *(SESSION[3:], bytes(len(SESSION)) + b"\n{}", b'{"type":"message"}\n', b"my notes\n"),
    ],
)
def test_an_export_replaces_only_what_an_export_has_written(data: bytes, tmp_path: Path):
    target = tmp_path / "anything.md"
    target.write_bytes(data)
    (tmp_path / "link").symlink_to(target)
    for name in (target, tmp_path / "link"):
        with pytest.raises(AlreadyExists):
            place(str(name), [b"new"])
        assert target.read_bytes() == data
    place(str(target), [b"new"], force=True)
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(
    "name",
    ["s.jsonl.bak-2026-11-28T05-00-00-000Z", "x.corrupt.17", "s.jsonl.reset.2026-01-01T00-00-00Z"],
)
def test_a_backup_is_never_replaced(name: str, tmp_path: Path):
    (tmp_path / name).write_text("kept")
    with pytest.raises(AlreadyExists):
        place(str(tmp_path / name), [b"new"], force=True)
    assert (tmp_path / name).read_text() == "kept"


@pytest.mark.parametrize(
    "name",
    [
        *(".pi/agent/sessions/--w--/a.jsonl", ".local/share/opencode/opencode.db"),
        *(".codex/sessions/a.jsonl.zst", ".coderclaw/agents/main/sessions/sessions.json"),
        *("elsewhere/sessions.json", "elsewhere/a.jsonl"),
    ],
)
async def test_nothing_of_an_agent_is_ever_replaced(name: str, tmp_path: Path):
    path = odd_session(tmp_path / "s.jsonl")
    target = tmp_path / name
    target.parent.mkdir(parents=True)
    (target.parent / "sessions.json").write_text("{}")
    target.write_text("kept")
    (tmp_path / "link.jsonl").symlink_to(target)
    async with daemon(tmp_path) as client:
        for output in (target, tmp_path / "link.jsonl"):
            params = {"path": path, "format": "jsonl", "outputPath": str(output), "force": True}
            with pytest.raises(RpcError) as raised:
                await client.request("catalog/export", params)
            assert raised.value.kind == "AlreadyExists"
    assert target.read_text() == "kept"


async def test_pages_and_markdown_replace_each_other_and_json_lines_nothing(tmp_path: Path):
    path = odd_session(tmp_path / "s.jsonl")
    target = tmp_path / "export"
    async with daemon(tmp_path) as client:

        async def export(kind: str, **more: bool) -> None:
            params = {"path": path, "format": kind, "outputPath": str(target), **more}
            await client.request("catalog/export", params)

        for kind in ("html", "markdown", "html", "jsonl"):
            await export(kind)
        before = target.read_bytes()
        with pytest.raises(RpcError):
            await export("jsonl")
        assert target.read_bytes() == before
        await export("jsonl", force=True)
        params = {"path": path, "format": "jsonl", "outputPath": path, "force": True}
        with pytest.raises(RpcError):
            await client.request("catalog/export", params)


@pytest.mark.parametrize("kind", ["directory", "fifo"])
def test_a_path_that_is_not_a_file_is_not_replaced(kind: str, tmp_path: Path):
    target = tmp_path / "target"
    target.mkdir() if kind == "directory" else os.mkfifo(target)
    with pytest.raises(WriteFailed):
        place(str(target), [b"new"])
    assert os.listdir(tmp_path) == ["target"]


async def test_an_open_session_with_a_deleted_file_is_not_replaced(tmp_path: Path):
    path = odd_session(tmp_path / "s.jsonl")
    async with daemon(tmp_path) as client:
        state = await client.request("session/open", {"path": path})
        os.unlink(path)
        params = {"session": state["session"], "format": "jsonl", "outputPath": path}
        with pytest.raises(RpcError) as raised:
            await client.request("catalog/export", params)
        assert raised.value.kind == "AlreadyExists"
        assert not os.path.exists(path)
        # What was last read is exported all the same.
        answer = await client.request("catalog/export", {**params, "outputPath": f"{path}.md"})
        assert Path(answer["path"]).read_text().count("\n") == 9


# Beside other work


async def test_a_small_request_is_answered_while_a_big_session_is_exported(tmp_path: Path):
    path = tmp_path / "big.jsonl"
    text = "<p>some text &amp; more</p> " * 40
    lines = [json.dumps(HEADER)]
    for number in range(20_000):
        parent = f"e{number - 1}" if number else None
        lines.append(json.dumps(entry(f"e{number}", parent, message=user(text))))
    path.write_text("\n".join(lines) + "\n")
    async with daemon(tmp_path) as client:
        params = {"path": str(path), "format": "html", "outputPath": str(tmp_path / "big.html")}
        exporting = client.start("catalog/export", params)
        answered = 0
        while not exporting.done():
            await client.request("session/findById", {"cwd": "/w", "id": "x"})
            answered += 1
        assert "result" in (await asyncio.wait_for(exporting, 30)).value
    assert answered > 3
    assert (tmp_path / "big.html").stat().st_size > path.stat().st_size
