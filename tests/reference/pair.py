"""One session open on the daemon and on the reference, driven in step and compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.jsonwire import dumps
from support.process import Daemon, RpcError

from reference.normal import Names, difference, first_line_difference, normal, parsed
from reference.pi import UNDEFINED, Pi, PiError

Entry = dict[str, Any]
ABSENT: Any = object()
"""A param that is not given."""


@attrs.frozen
class Rules:
    """How the reference's entries and messages become what the version we follow would have.

    Both get the value with its ids named and `from_ids`: summary text → name of the leaf before
    the branch summary was appended. A value no rule touches is returned itself.
    """

    entry: Callable[[Entry, dict[str, str]], Entry]
    message: Callable[[Entry, dict[str, str]], Entry]


@attrs.define
class Known:
    """What the sequence knows of an entry: the same place in both files."""

    ours: str
    theirs: str
    type: str
    role: str | None
    parent: int | None


@attrs.define
class Pair:
    daemon: Daemon
    pi: Pi
    rules: Rules
    ours: str
    theirs: str
    roots: list[str]
    names: Names = attrs.field(init=False)
    entries: list[Known] = attrs.field(factory=list)
    leaf: int | None = None
    from_ids: dict[str, str] = attrs.field(factory=dict)
    foreign: set[str] = attrs.field(factory=set)
    """Summaries in files that changed sides: the reference may have written them."""
    log: list[str] = attrs.field(factory=list)
    _persisted: bool = attrs.field(default=True, init=False)

    def __attrs_post_init__(self) -> None:
        self.names = Names(self.roots)
        self._name_session()

    # --- operations -----------------------------------------------------------------------

    def append(self, method: str, params: dict[str, Any], *args: Any) -> None:
        """`params` for the daemon and `args` for pi's method; both say the same."""
        self.log.append(f"{method} {params}")
        given = {name: value for name, value in params.items() if value is not ABSENT}
        done = self.daemon.request(f"session/{method}", session=self.ours, **given)
        trimmed = list(args)
        while trimmed and trimmed[-1] is UNDEFINED:
            trimmed.pop()
        theirs = self.pi.call(self.theirs, method, *trimmed)
        if "entryId" in params:
            self.leaf = self.index_of(params["entryId"])
        parent = None if self.leaf is None else self.entries[self.leaf].ours
        assert done["parentId"] == parent, f"{method} went under {done['parentId']}, not {parent}"
        entry = self.pi.call(self.theirs, "getEntry", theirs)
        self._know(done["id"], entry, self.leaf)
        if self._persisted:
            assert done["written"] == self.has("user", "assistant"), f"written: {done['written']}"
        self.leaf = len(self.entries) - 1

    def branch(self, index: int) -> None:
        self.log.append(f"branch {index}")
        known = self.entries[index]
        moved = self.daemon.request("session/branch", session=self.ours, entryId=known.ours)
        self.pi.call(self.theirs, "branch", known.theirs)
        assert moved == {"leafId": known.ours}
        self.leaf = index

    def reset_leaf(self) -> None:
        self.log.append("resetLeaf")
        assert self.daemon.request("session/resetLeaf", session=self.ours) == {"leafId": None}
        self.pi.call(self.theirs, "resetLeaf")
        self.leaf = None

    def same_file(self, method: str, params: dict[str, Any], *args: Any) -> None:
        """An operation after which the same handles stand on another file."""
        self.log.append(f"{method} {params}")
        state = self.daemon.request(f"session/{method}", session=self.ours, **params)
        assert state["session"] == self.ours
        self.pi.call(self.theirs, method, *args)
        self.settle()

    def stand_on(self, ours: str, theirs: str) -> None:
        """Go on with other handles."""
        self.ours, self.theirs = ours, theirs
        self.settle()

    def refused(self, method: str, params: dict[str, Any], *args: Any) -> None:
        """Both refuse, and the daemon's message begins with the reference's."""
        self.log.append(f"refused {method} {params}")
        with pytest.raises(PiError) as wanted:
            self.pi.call(self.theirs, method, *args)
        expected = str(wanted.value)
        with pytest.raises(RpcError) as refused:
            self.daemon.request(f"session/{method}", session=self.ours, **params)
        message = refused.value.message
        assert message.startswith(expected), f"{message!r} instead of {expected!r}"

    # --- what is known --------------------------------------------------------------------

    def settle(self) -> None:
        """Take the entries as they are now; both sides must have as many."""
        mine = self.daemon.request("session/getEntries", session=self.ours)["entries"]
        others = self.pi.call(self.theirs, "getEntries")
        self.entries, self.leaf = [], None
        self._name_session()
        assert len(mine) == len(others), f"{len(mine)} entries instead of {len(others)}"
        places = {entry["id"]: i for i, entry in enumerate(others)}
        for entry, other in zip(mine, others, strict=True):
            self._know(entry["id"], other, places.get(other["parentId"]))
        self.leaf = len(others) - 1 if others else None

    def _know(self, ours: str, theirs: Entry, parent: int | None) -> None:
        role = theirs["message"].get("role") if theirs["type"] == "message" else None
        self.entries.append(Known(ours, theirs["id"], theirs["type"], role, parent))
        self._name(ours, theirs["id"])

    def _name_session(self) -> None:
        state = self.daemon.request("session/getState", session=self.ours)
        self._persisted = state["persisted"]
        self._name(state["sessionId"], self.pi.call(self.theirs, "getSessionId"))

    def _name(self, ours: str, theirs: str) -> None:
        """One name for both, kept when one of them is known: files change sides."""
        ids = self.names.ids
        shared = ids.get(ours) or ids.get(theirs) or f"#{len(ids)}"
        ids[ours] = ids[theirs] = shared

    def index_of(self, ours: str | None) -> int | None:
        return next((i for i, e in enumerate(self.entries) if e.ours == ours), None)

    def path(self, index: int | None) -> list[int]:
        """Root first, by the naive walk."""
        found: list[int] = []
        while index is not None:
            found.append(index)
            index = self.entries[index].parent
        return found[::-1]

    def has(self, *roles: str) -> bool:
        return any(entry.role in roles for entry in self.entries)

    # --- comparison -----------------------------------------------------------------------

    def compare(self, *, exact: bool) -> None:
        """Everything readable on both sides; the file's bytes too, exactly or as values."""
        ours, theirs = self._our_snapshot(), self.pi.do("snapshot", handle=self.theirs)
        lines = theirs.pop("lines")
        files = ours["sessionFile"], theirs["sessionFile"]
        for side in (ours, theirs):
            places = {entry["id"]: i for i, entry in enumerate(side["entries"])}
            side["tree"]["nodes"].sort(key=lambda node, places=places: places[node["id"]])
        mine, others = normal(ours, self.names), normal(theirs, self.names)
        self._follow_in(mine, self._ours_followed)
        self._follow_in(others, self._follow)
        found = difference(mine, others)
        assert found is None, found
        if ours["persisted"]:
            self._compare_files(*map(Path, files), lines, exact=exact)

    def _our_snapshot(self) -> dict[str, Any]:
        def ask(method: str, **params: Any) -> Any:
            return self.daemon.request(f"session/{method}", session=self.ours, **params)

        state = ask("getState")
        entries = ask("getEntries")["entries"]
        # A branched session may drop what a compaction or a label of it names.
        unexpected = [d for d in state["diagnostics"] if d["kind"] != "missingTarget"]
        assert unexpected == []
        assert state["entryCount"] == ask("getEntryCount")["count"] == len(entries)
        assert state["tipId"] == (entries[-1]["id"] if entries else None)
        kept = "leafId", "name", "sessionId", "sessionFile", "sessionDir", "cwd", "persisted"
        tree = ask("getTree")
        return {
            "entries": entries,
            "header": ask("getHeader")["header"],
            "branch": ask("getBranch")["entries"],
            "tree": {"roots": tree["roots"], "nodes": tree["nodes"]},
            "context": ask("buildSessionContext"),
            "leafId": state["leafId"],
            "leafEntry": ask("getLeafEntry")["entry"],
            "rootChildren": ask("getChildren", parentId=None)["entries"],
            **{name: state[name] for name in kept if name in state},
        }

    def _follow(self, value: Entry) -> Entry:
        rule = self.rules.entry if "type" in value else self.rules.message
        return rule(value, self.from_ids)

    def _ours_followed(self, value: Entry) -> Entry:
        """Nothing of what the daemon wrote itself is touched."""
        return self._follow(value) if value.get("summary") in self.foreign else value

    def _follow_in(self, snapshot: dict[str, Any], follow: Callable[[Entry], Entry]) -> None:
        for name in ("entries", "branch", "rootChildren"):
            snapshot[name] = [follow(entry) for entry in snapshot[name]]
        if snapshot["leafEntry"] is not None:
            snapshot["leafEntry"] = follow(snapshot["leafEntry"])
        for node in snapshot["tree"]["nodes"]:
            node["entry"] = follow(node["entry"])
        context = snapshot["context"]
        context["messages"] = [follow(message) for message in context["messages"]]

    def _compare_files(self, ours: Path, theirs: Path, lines: list[str], *, exact: bool) -> None:
        written = self.has("user", "assistant")
        assert ours.exists() == written, f"{ours} exists: {ours.exists()}"
        if not written:
            return
        if theirs.exists():
            lines = theirs.read_bytes().decode().split("\n")[:-1]
        text = ours.read_bytes().decode()
        assert text.endswith("\n")
        mine = text.split("\n")[:-1]
        if exact:
            found = first_line_difference(
                [self._line(line, self._ours_followed) for line in mine],
                [self._line(line, self._follow) for line in lines],
            )
        else:
            found = difference(
                [self._ours_followed(normal(parsed(line), self.names)) for line in mine],
                [self._follow(normal(parsed(line), self.names)) for line in lines],
            )
        assert found is None, f"{ours} and {theirs} differ: {found}"

    def _line(self, line: str, follow: Callable[[Entry], Entry]) -> str:
        """A line with ids, times and places named; otherwise untouched where no rule applies."""
        line = self.names.line(line)
        entry = parsed(line)
        followed = follow(entry)
        return line if followed is entry else dumps(followed)
