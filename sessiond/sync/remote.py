"""A side on another machine: questions and answers over the pipes of `ssh`.

Each is a length of four bytes and a value in MessagePack. ssh compresses them (`-C`). A question
is the name of a function of `Side` and its arguments; an answer is its result, or why it failed.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import shlex
from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol

import msgspec

from sessiond.runtime.errors import InvalidParams, ReadFailed, SessiondError
from sessiond.sync.digests import Part
from sessiond.sync.files_side import FilesSide
from sessiond.sync.side import Content, Delivery, Inventory, Item, Outcome, Ref, Side, Want

_GREETING = b"sessiond-sync 1 "
"""Begins the first line; shells may print others before it."""
_MOST_BEFORE = 64 * 1024
_LENGTH_BYTES = 4
_END_SECONDS = 5.0

_RESULTS: dict[str, Any] = {
    "inventory": Inventory,
    "parts": list[list[Part]],
    "prefixes": list[bytes],
    "read": list[Content],
    "write": list[Outcome],
    "delete": list[Outcome],
}
_ARGUMENTS: dict[str, Any] = {
    "inventory": Sequence[str],
    "parts": Sequence[tuple[Ref, list[str]]],
    "prefixes": Sequence[tuple[Ref, int]],
    "read": Sequence[Want],
    "write": Sequence[Delivery],
    "delete": Sequence[Item],
}


class _Question(msgspec.Struct, array_like=True):
    name: str
    argument: msgspec.Raw


class _Answer(msgspec.Struct, array_like=True):
    result: msgspec.Raw
    error: str


class Writer(Protocol):
    """The end of a pipe that takes bytes."""

    def write(self, data: bytes) -> None:
        """Send bytes, some time."""

    async def drain(self) -> None:
        """Wait until there is room for more."""


async def _send(writer: Writer, value: object) -> None:
    data = msgspec.msgpack.encode(value)
    writer.write(len(data).to_bytes(_LENGTH_BYTES, "big"))
    writer.write(data)
    await writer.drain()


async def _receive(reader: asyncio.StreamReader) -> bytes:
    length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES), "big")
    return await reader.readexactly(length)


class RemoteSide(Side):
    """The side at the other end of a pipe. Every function raises ReadFailed if it breaks."""

    def __init__(self, name: str, reader: asyncio.StreamReader, writer: Writer) -> None:
        self._name = name
        self._reader = reader
        self._writer = writer
        self._home = ""
        self._turn = asyncio.Lock()

    async def greet(self) -> None:
        """Wait until the other end is ready."""
        before = 0
        while before < _MOST_BEFORE:
            try:
                line = await self._reader.readline()
            except ValueError:
                break
            if line.startswith(_GREETING) and line.endswith(b"\n"):
                self._home = line.removeprefix(_GREETING).rstrip(b"\n").decode(errors="replace")
                return
            before += len(line)
            if not line:
                break
        raise self._failed("no sessiond that can sync answers there")

    @property
    def home(self) -> str:
        return self._home

    async def inventory(self, agents: Sequence[str]) -> Inventory:
        result: Inventory = await self._ask("inventory", agents)
        return result

    async def parts(self, questions: Sequence[tuple[Ref, list[str]]]) -> list[list[Part]]:
        return await self._ask_each("parts", questions)

    async def prefixes(self, questions: Sequence[tuple[Ref, int]]) -> list[bytes]:
        return await self._ask_each("prefixes", questions)

    async def read(self, wants: Sequence[Want]) -> list[Content]:
        return await self._ask_each("read", wants)

    async def write(self, deliveries: Sequence[Delivery]) -> list[Outcome]:
        return await self._ask_each("write", deliveries)

    async def delete(self, items: Sequence[Item]) -> list[Outcome]:
        return await self._ask_each("delete", items)

    async def _ask_each(self, name: str, argument: Sequence[object]) -> list[Any]:
        if not argument:
            return []
        results: list[Any] = await self._ask(name, argument)
        if len(results) != len(argument):
            raise self._failed("it sent another number of answers than was asked for")
        return results

    async def _ask(self, name: str, argument: object) -> Any:
        question = _Question(name, msgspec.Raw(msgspec.msgpack.encode(argument)))
        try:
            async with self._turn:
                await _send(self._writer, question)
                data = await _receive(self._reader)
            answer = msgspec.msgpack.decode(data, type=_Answer)
            if answer.error:
                raise self._failed(answer.error)
            return msgspec.msgpack.decode(answer.result, type=_RESULTS[name])
        except (asyncio.IncompleteReadError, ConnectionError):
            raise self._failed("the connection ended; the next sync goes on from there") from None
        except msgspec.MsgspecError as error:
            raise self._failed(f"it sent what this version cannot read ({error})") from None

    def _failed(self, why: str) -> ReadFailed:
        return ReadFailed(self._name, OSError(errno.ECONNABORTED, why))


@contextlib.asynccontextmanager
async def on_host(host: str, program: str) -> AsyncIterator[RemoteSide]:
    """Start sessiond on another machine, and end it. Raises InvalidParams and ReadFailed."""
    if host.startswith("-"):
        raise InvalidParams("a name of a machine does not begin with a hyphen", "$.host")
    command = ["ssh", "-T", "-C", "--", host, shlex.join([program, "sync", "--answer"])]
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    except OSError as error:
        raise ReadFailed(host, OSError(error.errno, f"ssh: {error.strerror}")) from None
    except ValueError:
        # NUL or a lone surrogate.
        raise InvalidParams("no machine can have this name", "$.host") from None
    assert process.stdin is not None, "it is a pipe"  # noqa: S101
    assert process.stdout is not None, "it is a pipe"  # noqa: S101
    side = RemoteSide(host, process.stdout, process.stdin)
    try:
        await side.greet()
        yield side
    finally:
        process.stdin.close()
        try:
            # It finishes the session that it writes.
            await asyncio.wait_for(process.wait(), _END_SECONDS)
        except TimeoutError:
            process.terminate()
            await process.wait()


async def answer(side: FilesSide, reader: asyncio.StreamReader, writer: Writer) -> None:
    """Answer the questions of another machine until it ends."""
    writer.write(_GREETING + side.home.encode(errors="replace") + b"\n")
    await writer.drain()
    while True:
        try:
            data = await _receive(reader)
        except asyncio.IncompleteReadError:
            return
        await _send(writer, await _answered(side, data))


async def _answered(side: FilesSide, data: bytes) -> _Answer:
    nothing = msgspec.Raw(msgspec.msgpack.encode(None))
    try:
        question = msgspec.msgpack.decode(data, type=_Question)
        if question.name not in _ARGUMENTS:
            return _Answer(nothing, f"it cannot {question.name}")
        argument = msgspec.msgpack.decode(question.argument, type=_ARGUMENTS[question.name])
        result = await getattr(side, question.name)(argument)
    except (SessiondError, InvalidParams) as error:
        return _Answer(nothing, error.message)
    except msgspec.MsgspecError as error:
        return _Answer(nothing, f"it cannot read the question ({error})")
    return _Answer(msgspec.Raw(msgspec.msgpack.encode(result)), "")
