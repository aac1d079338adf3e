"""Take from a running daemon what it needs, give it back, and expect that nothing was lost.

A round takes several things away, one after another, from a daemon without the rights of root:
descriptors, room on the disk, the right to write, directories of sessions, the order
of file times. In every second round the system also allows hardly any inotify watches. Meanwhile
the daemon answers a request of every method, and handles opened before read and append, as does
another program. No answer is an internal error, no byte is changed by reading, and what was
acknowledged is in the file once. As soon as the shortage ends, every method succeeds again and
changes by other programs are told.

The small disk is a tmpfs; where none may be mounted, only the largest size of a file is limited.
"""

from __future__ import annotations

import asyncio
import collections
import functools
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
from support.client import RpcError
from support.every_method import Asked, Filling, conversation, every_request

from torture.campaigns import Figures, Settings, Violation
from torture.lacks import LACKS, Lack, Stage, small_disk
from torture.ledger import Ledger
from torture.watched import SILENCE_SECONDS, Watched, digest, expect_unchanged, watched

_APPENDS = 4
_SHARE = 0.25
"""Of the requests of `every_method`, how many are sent during each shortage."""

_FEW_WATCHES = Path(__file__).with_name("few_watches.py")
_HANDED_OUT = ("session/open", "session/inMemory")
_NEEDED_BY_WRITING = (*_HANDED_OUT, "session/setSessionFile", "context/prepareCompaction")
_LARGE_ANSWERS = ("getEntries", "getTree", "buildSessionContext", "getBranch")


@attrs.define
class Round:
    """A daemon, the files it serves, and what it was asked."""

    daemon: Watched
    stage: Stage
    ledgers: list[Ledger]
    figures: collections.Counter[str]
    lack: str = ""
    """What is lacking at present."""
    told: dict[str, set[str]] = attrs.field(factory=lambda: collections.defaultdict(set))
    """By handle, the tips that the daemon told of."""
    _news: asyncio.Event = attrs.field(factory=asyncio.Event)
    _number: int = 0

    async def listen(self) -> None:
        """Take in notifications until the daemon has ended."""
        with suppress(EOFError):
            while True:
                with suppress(TimeoutError):
                    message = (await self.daemon.client.receive()).value
                    if message.get("method") == "session/didChange":
                        self.told[message["params"]["session"]].add(message["params"]["tipId"])
                        self._news.set()

    async def open(self) -> None:
        for ledger in self.ledgers:
            opened = await self.daemon.ask("session/open", {"path": str(ledger.path)})
            ledger.session = opened["session"]

    async def ask(
        self, wanted: Callable[[Asked], bool], *, needed: bool = False, share: float = 1.0
    ) -> None:
        """Send a share of those requests of `every_method` that are wanted.

        Raises Violation if one is refused although it is `needed`.
        """
        filling, handles = Filling(), []
        for asked in every_request(self.stage.state):
            chosen = self.stage.chance.random() < share or asked.method in _NEEDED_BY_WRITING
            if not wanted(asked) or not chosen:
                continue
            self.stage.before_each()
            answer = await self.daemon.attempt(asked.method, filling.filled(asked.params))
            if isinstance(answer, RpcError):
                if needed:
                    raise Violation(f"{asked} is refused after the shortage: {answer}")
                self._count_refusals([answer])
                continue
            filling.keep(asked.method, answer)
            if asked.method in _HANDED_OUT:
                handles.append(answer["session"])
        for handle in handles:
            await self.daemon.attempt("session/close", {"session": handle})

    async def ask_for_much(self) -> None:
        """Send at once requests whose answers are large. They may be refused."""
        large = {"path": str(self.stage.large)}
        opened = await self.daemon.attempt("session/open", {**large, "readOnly": True})
        requests: list[tuple[str, dict[str, Any]]] = [
            *(("catalog/export", {**large, "format": f}) for f in ("html", "markdown", "jsonl")),
            *(
                ("catalog/stats", large),
                ("catalog/check", large),
                ("catalog/repair", {**large, "dryRun": True}),
            ),
            ("session/listAll", {"includeText": True}),
            ("catalog/search", {"query": "n.edle", "mode": "regex"}),
        ]
        if not isinstance(opened, RpcError):
            own = {"session": opened["session"]}
            requests += [(f"session/{name}", own) for name in _LARGE_ANSWERS]
        answers = await asyncio.gather(*(self.daemon.attempt(*each) for each in requests))
        self._count_refusals(answers)
        if not isinstance(opened, RpcError):
            await self.daemon.attempt("session/close", own)

    async def append(self) -> None:
        """Append to all ledgers; another program does, too."""
        for _ in range(_APPENDS):
            for ledger in self.ledgers:
                self.stage.before_each()
                if self.stage.others_write:
                    ledger.write(self._new_id("f"))
                entry_id = self._new_id("a")
                message = {
                    "role": "user",
                    "content": "x" * self.stage.chance.choice([9, 900, 9000]),
                }
                params = {"session": ledger.session, "newEntryId": entry_id, "message": message}
                answer = await self.daemon.attempt("session/appendMessage", params)
                if isinstance(answer, RpcError):
                    ledger.refused.add(entry_id)
                    self._count_refusals([answer])
                else:
                    ledger.promised.add(entry_id)
                    self.figures["acknowledged"] += 1
                await self.daemon.attempt("session/getEntries", {"session": ledger.session})

    async def expect_all_works(self) -> None:
        """Raise Violation unless memory and files agree, and changes are told and made."""
        awaited: list[tuple[str, str]] = []
        for ledger in self.ledgers:
            own = {"session": ledger.session}
            entries = (await self.daemon.ask("session/getEntries", own))["entries"]
            stored = [json.loads(line) for line in ledger.lines()]
            if entries != stored[1:]:
                raise Violation(f"{ledger.path.name} is not what was answered")
            ledger.check()
            entry_id = self._new_id("t")
            ledger.write(entry_id)
            awaited.append((ledger.session, entry_id))
        await self._expect_told(awaited)
        self.stage.lay()

    async def expect_nothing_remains(self) -> None:
        """Raise Violation unless every method succeeds, and nothing was left behind."""
        self.lack = "nothing"
        await self.ask(lambda _: True, needed=True)
        left = [path for path in self.stage.state.rglob("*") if path.suffix in {".tmp", ".lock"}]
        if left:
            raise Violation(f"left behind: {left}")

    async def _expect_told(self, awaited: list[tuple[str, str]]) -> None:
        async with asyncio.timeout(SILENCE_SECONDS):
            while any(entry_id not in self.told[session] for session, entry_id in awaited):
                self._news.clear()
                await self._news.wait()
        for ledger in self.ledgers:
            message = {"role": "user", "content": "works again"}
            params = {"session": ledger.session, "message": message}
            ledger.promised.add((await self.daemon.ask("session/appendMessage", params))["id"])

    def _count_refusals(self, answers: Sequence[Any]) -> None:
        if refused := sum(isinstance(answer, RpcError) for answer in answers):
            self.figures[f"refused without {self.lack}"] += refused

    def _new_id(self, prefix: str) -> str:
        self._number += 1
        return f"{prefix}{self._number}"


def _reads(asked: Asked) -> bool:
    """Whether the request leaves all files as they are; an open for writing migrates old ones."""
    migrates = str(asked.params.get("path", "")).endswith("old.jsonl")
    return not asked.writes and (not migrates or "readOnly" in asked.params)


def _writes(asked: Asked) -> bool:
    return asked.writes or asked.method in _NEEDED_BY_WRITING


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    for number in range(settings.rounds):
        directory = settings.directory / f"{number}"
        directory.mkdir()
        with small_disk(directory) as is_small:
            stage = Stage(directory, settings.random(number), is_small, settings)
            await _round(settings, number, stage, figures)
    return dict(figures)


async def _round(
    settings: Settings, number: int, stage: Stage, figures: collections.Counter[str]
) -> None:
    home = stage.directory / "home"
    home.mkdir()
    stage.lay()
    for path in stage.ledgers:
        path.write_text(conversation(path.stem, 2))
    stage.large.write_text(conversation("large", 1_500).replace("said", "needle " * 30))
    settings.give_away(stage.directory)
    where = ["--profile", "coderclaw", "--agent-dir", str(stage.state)]
    # In every second round the system allows hardly any watches, if it can be told so.
    within = [sys.executable, str(_FEW_WATCHES), str(stage.chance.randrange(3))]
    if number % 2 == 0 or not await asyncio.to_thread(_runs, [*within, "true"]):
        within = []
    daemon = None
    try:
        async with watched(settings, home, *where, within=within) as daemon:
            stage.pid = daemon.pid
            round_ = Round(daemon, stage, list(map(Ledger, stage.ledgers)), figures)
            # Ended by the end of the daemon's output.
            listening = asyncio.create_task(round_.listen())
            await _shortages(round_, LACKS[number % 2 :: 2])
            figures["requests"] += daemon.requests
        await listening
    except EOFError:
        code = daemon and daemon.client.exit_code
        raise Violation(f"without {round_.lack}, the daemon ended with {code}") from None
    if daemon.client.exit_code != 0:
        raise Violation(f"the daemon ended with {daemon.client.exit_code}")
    for ledger in round_.ledgers:
        ledger.check()


def _runs(command: list[str]) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


async def _shortages(round_: Round, lacks: Sequence[Lack]) -> None:
    stage, daemon = round_.stage, round_.daemon
    await round_.open()
    # The first request of a family loads its methods, which takes longer than a small request may
    # wait, and which a shortage may prevent.
    warm = stage.chance.random() < 0.5
    if warm:
        await round_.ask(lambda _: True, needed=True)
    for lack in lacks:
        work = functools.partial(_shortage, round_, lack)
        try:
            await (daemon.unhindered(work) if warm else work())
        except Violation as violation:
            raise Violation(f"{lack.__name__}: {violation}") from violation
        round_.figures["shortages"] += 1
        warm = True
    await round_.expect_nothing_remains()


async def _shortage(round_: Round, lack: Lack) -> None:
    stage = round_.stage
    round_.lack = lack.__name__
    with lack(stage):
        before = digest([stage.state])
        await round_.ask(_reads, share=_SHARE)
        await round_.ask_for_much()
        if stage.is_calm:
            expect_unchanged(before, [stage.state], "reading")
        await round_.append()
        if not stage.only_appends:
            await round_.ask(_writes, share=_SHARE)
    await round_.expect_all_works()
