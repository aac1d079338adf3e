"""Codex: one directory for each day, with one rollout for each thread."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import attrs

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.line_translation import UUID, LineTranslation, Translator
from sessiond.agents.source import PACKED, Record, lines_of
from sessiond.agents.translation import INSTEAD, TranslatedReading
from sessiond.files import disk
from sessiond.files.identity import OpenedFile, stat_regular
from sessiond.runtime.errors import PathNotAllowed, SessiondError, SessionNotFound, Unsupported
from sessiond.text.parts import members_of_line, string_of
from sessiond.text.spans import loads

if TYPE_CHECKING:
    from sessiond.agents.codex.lines import CodexTranslator

_DAY = r"/sessions/[0-9]{4}/[0-9]{2}/[0-9]{2}|/archived_sessions"
_ROLLOUT = re.compile(rf"(?P<home>.*?)(?:{_DAY})/rollout-[^/]*?-?(?P<id>{UUID})\.jsonl({PACKED})?")


_BEGINS = re.compile(
    rb'\{"timestamp": ?"[^"]{1,40}", ?(?:"ordinal": ?[0-9]{1,9}, ?)?"type": ?"session_meta"'
)
_ARCHIVE = "archived_sessions"
_MOST_INDEX_BYTES = 4 * 1024 * 1024


class CodexSessions(LineTranslation):
    """The rollouts of threads, also of archived ones."""

    suffixes = (f".jsonl{PACKED}",)
    splits_answers = True
    version = re.compile(rb'"cli_version": ?"([0-9][^"\\]{0,30})"')

    def holds(self, path: str) -> bool:
        # A cheap look first: this is asked for every path.
        return "/rollout-" in path and _ROLLOUT.fullmatch(path) is not None

    def begins(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None

    def id_of(self, path: str) -> str:
        match = _ROLLOUT.fullmatch(path)
        return super().id_of(path) if match is None else match["id"]

    def translator(self, path: str) -> CodexTranslator:
        # Imported here, because most readers never see one.
        from sessiond.agents.codex.lines import CodexTranslator

        match = _ROLLOUT.fullmatch(path)
        home, thread_id = ("", "") if match is None else (match["home"], match["id"])
        title = _names(home).get(thread_id)
        part, find = functools.partial(_part, home), functools.partial(_find, home)
        return CodexTranslator(thread_id, part, find, title=title)

    def changed_with(self, path: str) -> Iterable[str]:
        # A compressed copy counts as soon as the plain one is gone.
        plain = path.removesuffix(PACKED)
        return {plain, plain + PACKED} - {path}

    def stat(self, path: str) -> os.stat_result | None:
        return None if _is_doubled(path) else super().stat(path)

    def keeps_words(self, path: str, descriptor: int) -> bool:
        if path.endswith(PACKED):
            return False
        # The beginning of a fork may lie in the file of the thread that it goes on from.
        head = next(
            lines_of(path, descriptor, 0, os.fstat(descriptor).st_size, with_rest=True), b""
        )
        return b"history_base" not in head

    def brief(self, translator: Translator) -> Callable[[bytes], Iterable[bytes]]:
        return cast("CodexTranslator", translator).brief

    def _read(self, path: str, before: object, *, is_brief: bool) -> TranslatedReading | None:
        return None if _is_doubled(path) else super()._read(path, before, is_brief=is_brief)

    def records(self, path: str, entry_id: str, most: int) -> list[Record]:
        match = _ROLLOUT.fullmatch(path)
        thread = entry_id.rpartition("-")[0]
        if match is None or not thread or match["id"].endswith(thread):
            return super().records(path, entry_id, most)
        # An entry of a thread from which this one goes on.
        base = _find(match["home"], thread)
        return [] if base is None else super().records(base, entry_id, most)

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"Codex alone writes {path}", path, INSTEAD)


@attrs.frozen
class CodexAgent(ReadOnlyAgent):
    """Codex, whose commands name a thread."""

    def archive_dir(self, agent_dir: str) -> str:
        return os.path.join(agent_dir, _ARCHIVE)

    def resumed_id(self, file: str) -> str | None:
        match = _ROLLOUT.fullmatch(file)
        return None if match is None else match["id"]


def _is_doubled(path: str) -> bool:
    """Whether a rollout is a compressed copy of one that is still there, which counts."""
    return path.endswith(PACKED) and disk.exists(path.removesuffix(PACKED))


def _part(home: str, thread_id: str, end: int) -> Iterator[bytes]:
    """Yield the lines of a thread with ordinals below `end`. Raises SessionNotFound, ReadFailed."""
    for path in _rollouts(home, thread_id):
        with OpenedFile(path) as (descriptor, state):
            for line in lines_of(path, descriptor, 0, state.size):
                members = members_of_line(line) or {}
                ordinal = loads(members.get("ordinal", b"0"))
                if isinstance(ordinal, int) and ordinal >= end:
                    return
                yield line
        return
    raise SessionNotFound(f"{home}/sessions/…/rollout-…-{thread_id}.jsonl")


def _names(home: str) -> dict[str, str]:
    """Return the names of threads by their ids."""
    path = f"{home}/session_index.jsonl"
    try:
        status = stat_regular(path)
    except SessiondError:
        status = None
    return (
        {}
        if status is None
        else _read_names(path, status.st_ino, status.st_size, status.st_mtime_ns)
    )


@functools.lru_cache(maxsize=4)
def _read_names(path: str, *_state: int) -> dict[str, str]:
    """The last line of a thread counts. Called once for each state of the file."""
    names: dict[str, str] = {}
    with contextlib.suppress(SessiondError), OpenedFile(path) as (descriptor, state):
        for line in lines_of(path, descriptor, 0, min(state.size, _MOST_INDEX_BYTES)):
            members = members_of_line(line) or {}
            thread_id = string_of(members.get("id"))
            name = string_of(members.get("thread_name"))
            if thread_id is not None and name:
                names[thread_id] = name
    return names


def _find(home: str, thread_id: str) -> str | None:
    """Return the path of the rollout of a thread, which the end of its id names, too."""
    return next(_rollouts(home, thread_id), None)


def _rollouts(home: str, thread_id: str) -> Iterator[str]:
    """Yield the rollouts of a thread; those of the day that its id tells come first."""
    for directory in dict.fromkeys((*_days(home, thread_id), *_directories(home))):
        for path in _below(directory):
            if path.removesuffix(PACKED).endswith(f"-{thread_id}.jsonl"):
                yield path


def _days(home: str, thread_id: str) -> Iterator[str]:
    """Yield the directories of the day on which a thread was begun, in any time zone."""
    if re.fullmatch(UUID, thread_id):
        # The id is a UUID of version 7, which begins with the time in milliseconds.
        began = int(thread_id.replace("-", "")[:12], 16) // 1000
        for offset in (0, -1, 1):
            with contextlib.suppress(OverflowError, OSError, ValueError):
                day = datetime.fromtimestamp(began + offset * 86400, UTC)
                yield f"{home}/sessions/{day:%Y/%m/%d}"


def _directories(home: str) -> Iterator[str]:
    yield f"{home}/archived_sessions"
    directories = [f"{home}/sessions"]
    for _ in range(3):
        directories = [path for above in directories for path in _below(above)]
    yield from directories


def _below(directory: str) -> list[str]:
    try:
        return [f"{directory}/{name}" for name in sorted(disk.listdir(directory))]
    except (OSError, PathNotAllowed):
        return []


CODEX = CodexAgent(
    "codex",
    "CODEX_HOME",
    "~/.codex",
    "sessions",
    CodexSessions(),
    depth=3,
    start_words=("codex",),
    resume_words=("codex", "resume", "{id}"),
)
AGENTS = (CODEX,)
