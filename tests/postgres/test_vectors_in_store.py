"""The vectors of the contract, with the sessions in a store instead of files."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.app import daemon
from support.replay import Mismatch, Replay, content, load, names
from support.stores import OtherHost, other_host

from sessiond.cli.main import parse
from sessiond.format.load import NotASession
from sessiond.postgres.names import parse_name

_NO_SESSION = "a file that is not a session"
_NO_STORE = "files of other kinds, which no store has"
_DIRECTORY = "sessions belong to the directory in which they are, whatever their header says"
_REGEX = "regular expressions"

NOT_IN_A_STORE = {
    "append-write-failed": _NO_STORE,
    "cancel": _REGEX,
    "catalog-agents": "directories of agents",
    "catalog-check": _NO_SESSION,
    "catalog-delete": _NO_SESSION,
    "catalog-read-only": _NO_STORE,
    "catalog-rename": _NO_SESSION,
    "catalog-repair": "repair",
    "catalog-set-marks": "marks, which a store has none of yet",
    "catalog-sync": "files that are synced",
    "catalog-undo": "changes of files, which alone are noted",
    "catalog-subscribe": "a file that becomes a session later",
    "export-confined": "files that an export writes inside the roots",
    "export-file": "a session's own file as the target of an export",
    "file-deleted": "a file that is emptied",
    "file-invalid": _NO_SESSION,
    "fork-errors": _NO_SESSION,
    "initialize-profile": "an agent's directories",
    "list": _DIRECTORY,
    "live-deleted": "a file that is emptied",
    "live-half-a-line": "lines that are written in parts",
    "live-invalid": _NO_SESSION,
    "live-request-first": "a request that is sent before a notice of a change can arrive",
    "open-by-id": "a path that is no name in a store",
    "open-empty": _NO_SESSION,
    "open-invalid": _NO_SESSION,
    "open-unreadable": _NO_STORE,
    "roots": "paths with `..`",
    "search": _REGEX,
    "search-fuzzy": _REGEX,
    "set-session-file": _NO_SESSION,
    "source": "places in a file",
}
"""Vectors about files alone, with what they are about."""


def applicable() -> list[str]:
    return [
        name for name in names() if not name.startswith("gateway-") and name not in NOT_IN_A_STORE
    ]


@attrs.define
class StoreReplay(Replay):
    """Replaces paths of session files by names in the store, and edits the store."""

    host: OtherHost | None = None

    def fill(self, value: Any) -> Any:
        filled = super().fill(value)
        if isinstance(filled, dict):
            # What a store has was written through sessiond.
            filled.pop("activeSince", None)
            if filled.get("activity") == {"state": "running"}:
                del filled["activity"]
        if isinstance(filled, dict) and isinstance(filled.get("sessionDir"), str):
            filled["sessionDir"] = self.directory(filled["sessionDir"])
        if isinstance(filled, str) and filled.startswith(self.values["dir"]) and filled[-1] == "/":
            return self.directory(filled.rstrip("/")) + "/"
        return self._named(filled) if isinstance(filled, str) else filled

    def directory(self, path: str) -> str:
        """The namespace in the place of a directory."""
        if not path.startswith(self.values["dir"]):
            return path
        return self._named(f"{path}/any.jsonl").removesuffix("/any.jsonl")

    def _named(self, text: str) -> str:
        root = re.escape(self.values["dir"])
        text = re.sub(rf"{root}/agent/sessions/--[^/\"]*--", "sessiond-store:default", text)
        return re.sub(
            rf"{root}((?:/[\w-]+)*)/([\w.-]+\.jsonl)",
            lambda found: f"sessiond-store:at{found[1].replace('/', '.')}/{found[2]}",
            text,
        )

    async def lay(self, vector: Mapping[str, Any]) -> None:
        for file in vector.get("files", ()):
            path = self.fill(file["path"])
            data = base64.b64decode(file["base64"]) if "base64" in file else None
            data = content(file["text"], self) if data is None else data
            if parse_name(path) is None:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(data)
                continue
            assert self.host is not None
            try:
                await self.host.put(path, data)
            except NotASession:
                # Only sessions are in a store; lists omit other files anyway.
                continue
            if "modified" in file:
                await self.host.date(path, file["modified"])

    async def _step(self, step: Mapping[str, Any]) -> None:
        if "edit" in step:
            await self._edit(self.fill(step["edit"]), step)
        elif "check" in step and parse_name(self.fill(step["check"])) is not None:
            await self._check(self.fill(step["check"]), step)
        else:
            await super()._step(step)

    async def _edit(self, path: str, step: Mapping[str, Any]) -> None:
        assert self.host is not None
        if "append" in step:
            await self.host.append(path, content(step["append"], self))
        elif "write" in step or "replace" in step:
            await self.host.put(path, content(step.get("write", step.get("replace")), self))
        elif "truncate" in step:
            data = await self.host.get(path)
            await self.host.put(path, (data or b"")[: step["truncate"]])
        else:
            await self.host.delete(path)

    async def _check(self, path: str, step: Mapping[str, Any]) -> None:
        assert self.host is not None
        actual = await self.host.get(path)
        if "base64" in step:
            expected: bytes | None = base64.b64decode(step["base64"])
        else:
            expected = None if step["text"] is None else content(step["text"], self)
        if actual != expected:
            raise Mismatch(path, expected and expected.decode(), actual and actual.decode())


@pytest.mark.parametrize("name", applicable())
async def test_the_daemon_answers_from_a_store_as_the_vector_says(
    name: str, tmp_path: Path, store_url: str
):
    vector = load(name)
    values: dict[str, Any] = {"dir": str(tmp_path.resolve())}
    values |= {key: text * times for key, (text, times) in vector.get("generate", {}).items()}
    options = ["--agent-dir", "${dir}/agent", *vector.get("options", ())]
    config = parse([option.replace("${dir}", values["dir"]) for option in options])
    chosen = attrs.asdict(config, filter=lambda attribute, _: attribute.name != "framing")
    async with other_host(store_url) as host:
        conversation = StoreReplay(None, values, vector["fidelity"] == "plain", host=host)
        if config.roots is not None:
            chosen["roots"] = list(map(conversation.directory, config.roots))
        await conversation.lay(vector)
        async with daemon(tmp_path, **{**chosen, "store": store_url}) as client:
            conversation.client = client
            await conversation.run(vector)
