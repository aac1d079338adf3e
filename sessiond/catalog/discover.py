"""Which files of a directory are sessions, told by their headers alone.

As pi 1.5.2: only `*.jsonl`, the header is looked for in the first MiB, blank and malformed lines
before it are passed over, and what cannot be read is no session: one bad file must not hide others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sessiond.errors import SessiondError
from sessiond.files.identity import open_regular, resolve_path
from sessiond.format.header import Header, parse_header
from sessiond.jsontext import loads

_SCAN_BYTES = 1024 * 1024
_STEP = 4096
SUFFIX = ".jsonl"


def session_files(directory: str) -> list[str]:
    """Paths of the `*.jsonl` files of a directory in name order; none if it cannot be read."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    return [f"{directory}/{name}" for name in names if name.endswith(SUFFIX)]


def session_directories(parent: str) -> list[str]:
    """Directories below `parent`, symlinked ones included, in name order."""
    try:
        names = sorted(os.listdir(parent))
    except OSError:
        return []
    # Says no where the entry cannot be looked at (a loop of links), which must not hide others.
    return [path for name in names if os.path.isdir(path := f"{parent}/{name}")]


def read_header(path: str) -> Header | None:
    """The header of a session file; None for anything that is not one or cannot be read."""
    try:
        descriptor = open_regular(path)
    except SessiondError:
        return None
    try:
        return first_header(_lines(descriptor))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _lines(descriptor: int) -> Iterator[bytes]:
    """The lines of the first MiB; one that the limit cuts off is left out."""
    rest = b""
    scanned = 0
    while scanned < _SCAN_BYTES:
        chunk = os.read(descriptor, _STEP)
        if not chunk:
            yield rest
            return
        scanned += len(chunk)
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole


def first_header(lines: Iterator[bytes]) -> Header | None:
    """Take lines up to the first that parses; it must be a header."""
    for number, line in enumerate(lines):
        text = line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line
        try:
            value = loads(text.decode(errors="replace").encode())
        except ValueError:
            continue
        if value:
            return parse_header(text)
    return None


def most_recent(directory: str, cwd: str | None) -> str | None:
    """The session of a directory whose file changed last; with `cwd`, only of that directory."""
    dated = []
    for path in session_files(directory):
        try:
            dated.append((-Path(path).stat().st_mtime_ns, path))
        except OSError:
            continue
    dated.sort(key=lambda item: item[0])
    for _, path in dated:
        header = read_header(path)
        if header is not None and (cwd is None or is_of(header, cwd)):
            return path
    return None


def find_by_id(directory: str, session_id: str, cwd: str | None) -> str | None:
    """The first file of a directory whose header has that id; with `cwd`, only of that one."""
    for path in session_files(directory):
        header = read_header(path)
        if header is not None and header.id == session_id and (cwd is None or is_of(header, cwd)):
            return path
    return None


def is_of(header: Header, cwd: str) -> bool:
    """Whether a session belongs to an (absolute) working directory; without one it does not."""
    return bool(header.cwd) and resolve_path(header.cwd or "", "/") == cwd
