"""Appends that may be sent again, and appends that demand a state of things."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support.app import assistant, daemon, user
from support.client import Client, RpcError


class Session:
    def __init__(self, client: Client, handle: str) -> None:
        self.client, self.handle = client, handle

    @classmethod
    async def open(cls, client: Client, path: str) -> "Session":
        return cls(client, (await client.request("session/open", {"path": path}))["session"])

    async def call(self, method: str, **params: Any) -> Any:
        return await self.client.request(f"session/{method}", {"session": self.handle, **params})

    async def leaf(self) -> str | None:
        return (await self.call("getLeafId"))["leafId"]


async def test_an_append_sent_again_is_answered_and_not_written_again(tmp_path: Path):
    path = str(tmp_path / "s.jsonl")
    async with daemon(tmp_path) as client:
        session = await Session.open(client, path)
        first = await session.call("appendMessage", message=user("a"), newEntryId="one")
        assert first["id"] == "one"
        again = await session.call(
            "appendMessage",
            message=user("a"),
            newEntryId="one",
            expectedLeafId="elsewhere",
            expectedTipId="elsewhere",
        )
        assert again == {**first, "existed": True}
        assert await session.call("getEntryCount") == {"count": 1}
        assert await session.leaf() == "one"
    assert len(Path(path).read_text().splitlines()) == 2


async def test_a_retry_by_a_new_handle_moves_its_leaf_as_the_first_try_would_have(tmp_path: Path):
    path = str(tmp_path / "s.jsonl")
    async with daemon(tmp_path) as client:
        session = await Session.open(client, path)
        await session.call("appendMessage", message=user("a"), newEntryId="one")
        await session.call("appendMessage", message=assistant("b"), newEntryId="two")
        await session.call("branchWithSummary", entryId="one", summary="s", newEntryId="summary")
        other = await Session.open(client, path)
        await other.call("branch", entryId="one")
        await other.call("appendMessage", message=assistant("b"), newEntryId="two")
        assert await other.leaf() == "two"
        await other.call("branchWithSummary", entryId="one", summary="s", newEntryId="summary")
        assert await other.leaf() == "summary"
        # Long done: the leaf has gone on from there, and stays.
        after = await other.call("appendMessage", message=user("c"))
        await other.call("branchWithSummary", entryId="one", summary="s", newEntryId="summary")
        await other.call("appendMessage", message=assistant("b"), newEntryId="two")
        assert await other.leaf() == after["id"]


async def test_what_is_new_follows_what_is_sent_again_in_the_same_breath(tmp_path: Path):
    path = str(tmp_path / "s.jsonl")
    async with daemon(tmp_path) as client:
        session = await Session.open(client, path)
        ids = [str(number) for number in range(40)]
        for each in ids[:30]:
            await session.call("appendMessage", message=user(each), newEntryId=each)
        # A client that has lost the answers from 10 on, and sends everything behind them.
        again = await Session.open(client, path)
        await again.call("branch", entryId="9")
        await asyncio.gather(
            *(again.call("appendMessage", message=user(each), newEntryId=each) for each in ids[10:])
        )
        assert [each["id"] for each in (await again.call("getBranch"))["entries"]] == ids


@pytest.mark.parametrize(
    ("demand", "holds"),
    [
        ({"expectedLeafId": "one"}, True),
        ({"expectedLeafId": "two"}, False),
        ({"expectedLeafId": None}, False),
        ({"expectedTipId": "two"}, True),
        ({"expectedTipId": "one"}, False),
        ({"expectedTipId": None}, False),
        ({"expectedLeafId": "one", "expectedTipId": "two"}, True),
        ({"expectedLeafId": "one", "expectedTipId": "one"}, False),
    ],
)
async def test_an_append_is_made_only_in_the_state_it_demands(
    tmp_path: Path, demand: dict[str, Any], holds: bool
):
    async with daemon(tmp_path) as client:
        session = await Session.open(client, str(tmp_path / "s.jsonl"))
        await session.call("appendMessage", message=user("a"), newEntryId="one")
        await session.call("appendMessage", message=assistant("b"), newEntryId="two")
        await session.call("branch", entryId="one")
        if holds:
            await session.call("appendMessage", message=user("c"), **demand)
            return
        with pytest.raises(RpcError) as raised:
            await session.call("appendMessage", message=user("c"), **demand)
        assert raised.value.kind == "LeafConflict"
        assert (raised.value.data["leafId"], raised.value.data["tipId"]) == ("one", "two")
        assert await session.call("getEntryCount") == {"count": 2}


async def test_an_empty_session_can_be_demanded(tmp_path: Path):
    async with daemon(tmp_path) as client:
        session = await Session.open(client, str(tmp_path / "s.jsonl"))
        demand = {"expectedLeafId": None, "expectedTipId": None}
        await session.call("appendMessage", message=user("a"), **demand)
        with pytest.raises(RpcError):
            await session.call("appendMessage", message=user("a"), **demand)


async def test_a_foreign_entry_violates_the_expected_tip(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    async with daemon(tmp_path, watch="off") as client:
        session = await Session.open(client, str(path))
        tip = (await session.call("appendMessage", message=user("a")))["id"]
        with path.open("a") as out:
            out.write('{"type":"custom","customType":"x","id":"foreign","parentId":null}\n')
        with pytest.raises(RpcError) as raised:
            await session.call("appendMessage", message=user("b"), expectedTipId=tip)
    assert raised.value.data["tipId"] == "foreign"


def _appends() -> list[tuple[str, dict[str, Any]]]:
    """Return an append of every type, under the same id."""
    return [
        ("appendMessage", {"message": user("a")}),
        ("appendMessage", {"message": user("DIFFERENT")}),
        ("appendLabelChange", {"targetId": "root", "label": "l"}),
        ("appendCustomEntry", {"customType": "t", "data": {"n": 1}}),
        ("appendCustomEntry", {"customType": "t", "data": {"n": 2}}),
        ("appendSessionInfo", {"name": "n"}),
        ("appendThinkingLevelChange", {"thinkingLevel": "low"}),
        ("appendModelChange", {"provider": "p", "modelId": "m"}),
        ("appendCompaction", {"summary": "s", "tokensBefore": 1, "firstKeptEntryId": "root"}),
        ("appendCompaction", {"summary": "s", "tokensBefore": 1}),
        ("appendCustomMessageEntry", {"customType": "t", "content": "c", "display": True}),
        ("branchWithSummary", {"entryId": "root", "summary": "s"}),
        ("branchWithSummary", {"entryId": None, "summary": "s"}),
    ]


@pytest.mark.parametrize("first", range(len(_appends())))
async def test_another_entry_with_a_used_id_is_refused(tmp_path: Path, first: int):
    path = tmp_path / "s.jsonl"
    async with daemon(tmp_path) as client:
        session = await Session.open(client, str(path))
        await session.call("appendMessage", message=assistant("root"), newEntryId="root")
        method, params = _appends()[first]
        await session.call(method, **params, newEntryId="m1")
        before = path.read_bytes()
        for number, (other, its_params) in enumerate(_appends()):
            if number == first:
                again = await session.call(other, **its_params, newEntryId="m1")
                assert again["existed"] is True
                continue
            with pytest.raises(RpcError) as raised:
                await session.call(other, **its_params, newEntryId="m1")
            assert raised.value.kind == "IdConflict"
            assert raised.value.data["entryId"] == "m1"
        assert path.read_bytes() == before


async def test_another_entry_with_a_used_id_is_refused_in_one_write(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    async with daemon(tmp_path) as client:
        session = await Session.open(client, str(path))
        answers = await asyncio.gather(
            *(
                session.call("appendMessage", message=user(words), newEntryId="m1")
                for words in ("a", "a", "b")
            ),
            return_exceptions=True,
        )
        first, second, third = answers
        assert (first["id"], second["existed"]) == ("m1", True)
        assert isinstance(third, RpcError)
        assert third.kind == "IdConflict"
    assert len(path.read_text().splitlines()) == 2


async def test_a_retry_is_known_in_a_file_that_another_program_spelled_anew(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    async with daemon(tmp_path) as client:
        session = await Session.open(client, str(path))
        await session.call("appendMessage", message=user("a"), newEntryId="m1")
        lines = [json.dumps(json.loads(line)) for line in path.read_text().splitlines()]
        path.write_text("".join(f"{line}\n" for line in lines))
        again = await session.call("appendMessage", message=user("a"), newEntryId="m1")
        assert again["existed"] is True


@pytest.mark.parametrize(
    ("kept", "kind"), [("nope", "EntryNotFound"), ("left", "InvalidParams"), ("right", None)]
)
async def test_a_compaction_keeps_an_entry_of_its_branch(
    tmp_path: Path, kept: str, kind: str | None
):
    path = tmp_path / "s.jsonl"
    async with daemon(tmp_path) as client:
        session = await Session.open(client, str(path))
        await session.call("appendMessage", message=user("a"), newEntryId="root")
        await session.call("appendMessage", message=assistant("b"), newEntryId="left")
        await session.call("branch", entryId="root")
        await session.call("appendMessage", message=assistant("c"), newEntryId="right")
        params = {"summary": "s", "tokensBefore": 1, "firstKeptEntryId": kept}
        before = path.read_bytes()
        if kind is not None:
            with pytest.raises(RpcError) as raised:
                await session.call("appendCompaction", **params)
            assert raised.value.kind == kind
            assert path.read_bytes() == before
            params["unchecked"] = True
        await session.call("appendCompaction", **params)
    assert json.loads(path.read_text().splitlines()[-1])["firstKeptEntryId"] == kept
