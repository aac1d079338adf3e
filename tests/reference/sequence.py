"""A seeded random sequence of everything both a session handle and pi's SessionManager can do."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from support.process import Daemon

from reference.pair import ABSENT, Known, Pair
from reference.pi import UNDEFINED, Pi
from reference.values import Values

WEIGHTS = {
    "message": 16,
    "thinking": 1,
    "model": 1,
    "compaction": 3,
    "custom": 3,
    "custom_message": 3,
    "usage": 1,
    "context_edit": 3,
    "name": 3,
    "label": 4,
    "branch": 4,
    "reset_leaf": 1,
    "branch_with_summary": 3,
    "branched_session": 2,
    "new_session": 1,
    "reopen": 2,
    "set_file": 1,
    "fork": 1,
    "swap": 1,
    "refused": 2,
    "compare": 2,
}
UNKNOWN = "00000000"
USAGE = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 3}


class Sequence:
    """`odd` sequences hold spellings only the daemon keeps, and so compare files by value."""

    def __init__(self, seed: int, daemon: Daemon, pi: Pi, roots: tuple[Path, Path]):
        self.random = Random(seed)
        self.seed, self.odd = seed, seed % 2 == 1
        self.values = Values(self.random, odd=self.odd)
        self.daemon, self.pi = daemon, pi
        self.roots = roots
        self.cwd = f"/home/someone/project {seed}"
        self.files: list[tuple[str, str]] = []
        self._serial = 0
        ours, theirs = self._start(seed // 2 % 4)
        self.pair = Pair(daemon, pi, ours, theirs, [str(root) for root in roots])

    def _start(self, kind: int) -> tuple[str, str]:
        if kind == 0:
            state = self.daemon.request("session/inMemory", cwd=self.cwd)
            return state["session"], self.pi.do("inMemory", cwd=self.cwd)
        if kind == 1:
            dirs = [str(root / f"dir {self.seed}") for root in self.roots]
            state = self.daemon.request("session/create", cwd=self.cwd, sessionDir=dirs[0])
            return state["session"], self.pi.do("create", cwd=self.cwd, sessionDir=dirs[1])
        if kind == 2:
            paths = [root / f"named {self.seed}" / "chosen.jsonl" for root in self.roots]
            for path in paths:
                path.parent.mkdir(parents=True, exist_ok=True)
            state = self.daemon.request("session/open", path=str(paths[0]), cwd=self.cwd)
            return state["session"], self.pi.do("open", path=str(paths[1]), cwd=self.cwd)
        state = self.daemon.request("session/create", cwd=self.cwd)
        return state["session"], self.pi.do("create", cwd=self.cwd)

    def run(self, operations: int) -> None:
        names, weights = list(WEIGHTS), list(WEIGHTS.values())
        for name in self.random.choices(names, weights, k=operations):
            getattr(self, name)()
        self.compare()

    def compare(self) -> None:
        self.pair.compare(exact=not self.odd)

    # --- appending ------------------------------------------------------------------------

    def message(self, role: str | None = None) -> None:
        message = self.values.message(role)
        self.pair.append("appendMessage", {"message": message}, message)

    def thinking(self) -> None:
        level = self.random.choice(["off", "low", "high", "unheard of"])
        self.pair.append("appendThinkingLevelChange", {"thinkingLevel": level}, level)

    def model(self) -> None:
        model = self.random.choice(["model-a", "unheard of", ""])
        self.pair.append("appendModelChange", {"provider": "p", "modelId": model}, "p", model)

    def compaction(self) -> None:
        summary, tokens = self._summary(), self.random.choice([0, 1, 123_456])
        kept = self.random.randrange(len(self.pair.entries)) if self.pair.entries else None
        if self.random.random() < 0.25:
            kept = None
        elif self.random.random() < 0.8 and self.pair.leaf is not None:
            kept = self.random.choice(self.pair.path(self.pair.leaf))
        known = None if kept is None else self.pair.entries[kept]
        usage = self._maybe(USAGE)
        details, hook = self._maybe(self.values.value()), self._maybe(self.random.random() < 0.5)
        self.pair.append(
            "appendCompaction",
            {
                "summary": summary,
                "firstKeptEntryId": known.ours if known else ABSENT,
                "tokensBefore": tokens,
                "details": details,
                "fromHook": hook,
                "usage": usage,
            },
            *(summary, known.theirs if known else UNDEFINED, tokens),
            *map(_or_undefined, (details, hook, usage)),
        )

    def custom(self) -> None:
        kind, data = self.random.choice(["x", "", "ключ"]), self._maybe(self.values.value())
        params = {"customType": kind, "data": data}
        self.pair.append("appendCustomEntry", params, kind, _or_undefined(data))

    def custom_message(self) -> None:
        content, display = self.values.content(), self.random.random() < 0.5
        details = self._maybe(self.values.value())
        self.pair.append(
            "appendCustomMessageEntry",
            {"customType": "note", "content": content, "display": display, "details": details},
            *("note", content, display, _or_undefined(details)),
        )

    def name(self) -> None:
        given = self.random.choice(
            [
                "A name",
                "  spaces \t",
                "",
                "   ",
                "\u00a0\ufeffmarks\u2029",
                "\u0085x\u001c",
                "名前 😀",
            ]
            + (["cut \ud83d"] if self.odd else [])
        )
        if self.random.random() < 0.2:
            given = f"{given}\r\n\nand more"
        self.pair.append("appendSessionInfo", {"name": given}, given)

    def usage(self) -> None:
        kind, note = self.random.choice(["title", ""]), self._maybe(self.random.choice(["why", ""]))
        params = {"kind": kind, "provider": "p", "model": "m", "usage": USAGE, "note": note}
        self.pair.append("appendUsage", params, kind, "p", "m", USAGE, _or_undefined(note))

    def context_edit(self) -> None:
        """Of any entry: both take it or refuse it with the same words."""
        if not self.pair.entries:
            return
        target = self.random.choice(self.pair.entries)
        replacement = self.random.choice([None, {"content": self.values.content()}])
        params = {"targetId": target.ours, "replacement": replacement}
        if self._is_editable(target):
            self.pair.append("appendContextEdit", params, target.theirs, replacement)
        else:
            self.pair.refused("appendContextEdit", params, target.theirs, replacement)

    def _is_editable(self, target: Known) -> bool:
        role = "custom" if target.type == "custom_message" else target.role
        if target.type == "message" and role == "custom":
            return False
        path = [self.pair.entries[i] for i in self.pair.path(self.pair.leaf)]
        return target in path and role in {"user", "assistant", "toolResult", "custom"}

    def label(self) -> None:
        if not self.pair.entries:
            return
        target = self.random.choice(self.pair.entries)
        label = self.random.choice(["start", "work", "", ABSENT, "метка 😀"])
        params = {"targetId": target.ours, "label": label}
        self.pair.append("appendLabelChange", params, target.theirs, _or_undefined(label))

    def branch_with_summary(self) -> None:
        pair = self.pair
        index = self.random.randrange(-1, len(pair.entries))
        target = pair.entries[index] if index >= 0 else None
        summary, usage = self._summary(), self._maybe(USAGE)
        details, hook = self._maybe(self.values.value()), self._maybe(self.random.random() < 0.5)
        pair.append(
            "branchWithSummary",
            {
                "entryId": target.ours if target else None,
                "summary": summary,
                "details": details,
                "fromHook": hook,
                "usage": usage,
            },
            *(target.theirs if target else None, summary),
            *map(_or_undefined, (details, hook, usage)),
        )

    # --- moving ---------------------------------------------------------------------------

    def branch(self) -> None:
        if self.pair.entries:
            self.pair.branch(self.random.randrange(len(self.pair.entries)))

    def reset_leaf(self) -> None:
        self.pair.reset_leaf()

    def refused(self) -> None:
        pair, kind = self.pair, self.random.randrange(4)
        if kind == 0:
            pair.refused("branch", {"entryId": UNKNOWN}, UNKNOWN)
        elif kind == 1:
            pair.refused("appendLabelChange", {"targetId": UNKNOWN, "label": "x"}, UNKNOWN, "x")
        elif kind == 2:
            params = {"entryId": UNKNOWN, "summary": "s"}
            pair.refused("branchWithSummary", params, UNKNOWN, "s")
        else:
            pair.refused("createBranchedSession", {"leafId": UNKNOWN}, UNKNOWN)

    # --- other files ----------------------------------------------------------------------

    def branched_session(self) -> None:
        if not self.pair.entries:
            return
        known = self.random.choice(self.pair.entries)
        self.pair.same_file("createBranchedSession", {"leafId": known.ours}, known.theirs)
        self.compare()

    def new_session(self) -> None:
        self._serial += 1
        options: dict[str, Any] = {}
        if self.random.random() < 0.5:
            options["id"] = f"chosen.{self.seed}-{self._serial}"
        if self.random.random() < 0.5:
            options["parentSession"] = "/somewhere/else.jsonl"
        self.pair.same_file("newSession", options, options)

    def reopen(self) -> None:
        """Open the file again, on both sides; the leaf is then the last entry."""
        if (paths := self._written()) is None:
            return
        self.pair.log.append("open again")
        old = self.pair.ours
        ours = self.daemon.request("session/open", path=paths[0])["session"]
        assert ours != old
        if self.random.random() < 0.5:
            self.daemon.request("session/close", session=old)
        self.pair.stand_on(ours, self.pi.do("open", path=paths[1]))

    def set_file(self) -> None:
        if self._written() is None:
            return
        paths = self.random.choice(self.files)
        self.pair.same_file("setSessionFile", {"path": paths[0]}, paths[1])

    def fork(self) -> None:
        if (paths := self._written()) is None:
            return
        self.pair.log.append("forkFrom")
        target = f"{self.cwd}/fork {len(self.files)}"
        state = self.daemon.request("session/forkFrom", sourcePath=paths[0], targetCwd=target)
        theirs = self.pi.do("forkFrom", sourcePath=paths[1], targetCwd=target)
        self.pair.stand_on(state["session"], theirs)
        self.compare()

    def swap(self) -> None:
        """Each program continues the file that the other one wrote."""
        if (paths := self._written()) is None:
            return
        self.compare()
        self.pair.log.append("swap")
        self.files.remove(paths)
        ours = self.daemon.request("session/open", path=paths[1])["session"]
        self.pair.stand_on(ours, self.pi.do("open", path=paths[0]))

    # --- help -----------------------------------------------------------------------------

    def _written(self) -> tuple[str, str] | None:
        """The paths of both files once both are written, which takes a message."""
        ours = self.daemon.request("session/getState", session=self.pair.ours)
        if not ours["persisted"]:
            return None
        if not self.pair.has("user", "assistant"):
            self.message(self.random.choice(["user", "assistant"]))
        theirs = self.pi.call(self.pair.theirs, "getSessionFile")
        paths = ours["sessionFile"], theirs
        if paths not in self.files:
            self.files.append(paths)
        return paths

    def _summary(self) -> str:
        """A text that is unique among the summaries of the sequence."""
        self._serial += 1
        ending = self.random.choice(["short", "läng" * 50, "😀\n"])
        return f"Summary {self._serial} - {ending}"

    def _maybe(self, value: Any) -> Any:
        return value if self.random.random() < 0.5 else ABSENT


def _or_undefined(value: Any) -> Any:
    return UNDEFINED if value is ABSENT else value
