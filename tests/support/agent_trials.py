"""Trials that every reader of an agent's files must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from support.app import daemon
from support.commands import run

WORD = "healthy-neighbour"
"""A word of the session that must stay visible."""


def bytes_below(directory: Path) -> dict[Path, tuple[bytes, int]]:
    """Return the files of a directory, each with its bytes and the time of its last change."""
    return {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in directory.rglob("*")
        if path.is_file()
    }


def cuts(content: bytes) -> Iterator[bytes]:
    """Yield a file cut at every byte."""
    yield from (content[:end] for end in range(len(content)))


def damages(content: bytes) -> Iterator[bytes]:
    """Yield a file with each line damaged in turn: overwritten, cut, or emptied of its members."""
    lines = content.split(b"\n")
    for number, line in enumerate(lines):
        for other in (
            b"\0" * len(line),
            line[: len(line) // 2],
            b"{}",
            b"[1]",
            b"null",
            b"\xff\xfe",
        ):
            yield b"\n".join([*lines[:number], other, *lines[number + 1 :]])


async def expect_every_reading(
    home: Path,
    profile: str,
    directory: Path,
    contents: Iterator[bytes],
    lay: Callable[[int, bytes], Path],
) -> None:
    """Lay files of damaged contents beside a healthy one, and expect that all methods work.

    `lay` writes a session by its number. The healthy session has `WORD` in a prompt.
    """
    for number, content in enumerate(contents, 1):
        lay(number, content)
    before = bytes_below(directory)
    async with daemon(home, profile=profile) as client:

        async def ask(method: str, **params: Any) -> Any:
            found = await client.request(method, params)
            assert not [
                each for each in found.get("problems", ()) if each["kind"] == "internalError"
            ]
            return found

        listed = (await ask("session/listAll"))["sessions"]
        assert WORD in [each["firstMessage"] for each in listed]
        hits = (await ask("catalog/search", query=WORD))["hits"]
        assert len(hits) >= 1
        await ask("catalog/usage", by="session")
        checked = await ask("catalog/check")
        kinds = {one["kind"] for each in checked["files"] for one in each["problems"]}
        assert "internalError" not in kinds
    assert bytes_below(directory) == before


def expect_commands_to_change_nothing(home: Path, directory: Path, file: Path) -> None:
    before = bytes_below(directory)
    page = str(home / "x.html")
    for command in (["show"], ["tree"], ["stats"], ["check"], ["export", "-o", page]):
        done = run(home, command[0], str(file), *command[1:])
        assert done.returncode == 0, done.stderr
    assert bytes_below(directory) == before


async def list_of(home: Path, profile: str, **params: Any) -> list[dict[str, Any]]:
    async with daemon(home, profile=profile) as client:
        sessions: list[dict[str, Any]] = (await client.request("session/listAll", params))[
            "sessions"
        ]
        return sessions


async def context_of(home: Path, profile: str, file: Path) -> list[tuple[str, str]]:
    """Return role and text of the messages in the context of a session."""
    async with daemon(home, profile=profile) as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        context = await client.request("session/buildSessionContext", {"session": state["session"]})
    return [(each["role"], _text(each)) for each in context["messages"]]


def _text(message: dict[str, Any]) -> str:
    if "content" not in message:
        return str(message["summary"])
    return "".join(block.get("text", "") for block in message["content"])
