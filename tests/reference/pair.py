"""One session open on the daemon and on the reference, driven in step and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
from support.contract import taken
from support.process import Daemon, RpcError

from reference.differences import without_halves
from reference.normal import Names, difference, first_line_difference, normal, parsed
from reference.pi import UNDEFINED, Pi, PiError

Entry = dict[str, Any]
ABSENT: Any = object()
"""A param that is not given."""


@attrs.define
class Known:
    """An entry of the sequence: the same position in both files."""

    ours: str
    theirs: str
    type: str
    role: str | None
    parent: int | None


@attrs.define
class Pair:
    daemon: Daemon
    pi: Pi
    ours: str
    theirs: str
    roots: list[str]
    names: Names = attrs.field(init=False)
    entries: list[Known] = attrs.field(factory=list)
    leaf: int | None = None
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
        # The manager of pi takes what its other parts cannot read.
        given |= taken(f"session/{method}", {"unchecked": True})
        done = self.daemon.request(f"session/{method}", session=self.ours, **given)
        trimmed = list(args)
        while trimmed and trimmed[-1] is UNDEFINED:
            trimmed.pop()
        theirs = self.pi.call(self.theirs, method, *trimmed)
        if "entryId" in params:
            self.leaf = self.index_of(params["entryId"])
        parent = None if self.leaf is None else self.entries[self.leaf].ours
        assert done["parentId"] == parent, f"{method} went under {done['parentId']}, not {parent}"
        if isinstance(theirs, dict):  # appendUsage returns the entry itself
            theirs = theirs["id"]
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
        """An operation after which the handles use another file."""
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
        for known in self.entries:
            expected = expected.replace(known.theirs, known.ours)
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
        files = ours["sessionFile"], theirs["sessionFile"]
        for side in (ours, theirs):
            places = {entry["id"]: i for i, entry in enumerate(side["entries"])}
            side["tree"]["nodes"].sort(key=lambda node, places=places: places[node["id"]])
        found = difference(normal(ours, self.names), normal(theirs, self.names))
        assert found is None, found
        if ours["persisted"]:
            self._compare_files(*map(Path, files), exact=exact)

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
        name = ask("getSessionName").get("name")
        assert state.get("name") == (without_halves(name) if name else None)
        kept = "leafId", "sessionId", "sessionFile", "sessionDir", "cwd", "persisted"
        tree = ask("getTree")
        return {
            "entries": entries,
            "header": ask("getHeader")["header"],
            "branch": ask("getBranch")["entries"],
            "tree": {"roots": tree["roots"], "nodes": tree["nodes"]},
            "context": ask("buildSessionContext"),
            "contextEntries": ask("buildContextEntries")["entries"],
            "projection": ask("buildSessionProjection"),
            "leafId": state["leafId"],
            "leafEntry": ask("getLeafEntry")["entry"],
            "rootChildren": ask("getChildren", parentId=None)["entries"],
            **({"name": name} if name else {}),
            **{each: state[each] for each in kept if each in state},
        }

    def _compare_files(self, ours: Path, theirs: Path, *, exact: bool) -> None:
        written = self.has("user", "assistant")
        assert ours.exists() == written, f"{ours} exists: {ours.exists()}"
        assert theirs.exists() == written, f"{theirs} exists: {theirs.exists()}"
        if not written:
            return
        mine, others = (_lines_of(path) for path in (ours, theirs))
        if exact:
            found = first_line_difference(map(self.names.line, mine), map(self.names.line, others))
        else:
            found = difference(
                *([normal(parsed(line), self.names) for line in lines] for lines in (mine, others))
            )
        assert found is None, f"{ours} and {theirs} differ: {found}"


def _lines_of(path: Path) -> list[str]:
    text = path.read_bytes().decode()
    assert text.endswith("\n")
    return text.split("\n")[:-1]
