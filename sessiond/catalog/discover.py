"""Find the session files of a directory by their headers.

As in pi 1.6.0: only `*.jsonl` files count, the header is searched in the first MiB, blank and
malformed lines before it are skipped, and an unreadable file or directory hides no other.
"""

from __future__ import annotations

import functools
import ntpath
import os
from collections.abc import Iterable, Iterator

import msgspec

from sessiond.agents import sessions as listed
from sessiond.agents.sessions import opened_session
from sessiond.files import disk
from sessiond.files.identity import resolve_path
from sessiond.format.header import Header, parse_header, with_title
from sessiond.format.title_slot import title_in_slot
from sessiond.runtime.home import is_of_windows
from sessiond.runtime.isolation import Faults
from sessiond.text.spans import loads
from sessiond.text.spelling import composed
from sessiond.text.utf8 import readable

_ANY = msgspec.json.Decoder(msgspec.Raw)
_SCAN_BYTES = 1024 * 1024
_STEP = 64 * 1024


def session_files(directory: str, faults: Faults) -> list[str]:
    """Paths of the `*.jsonl` files of a directory in name order; empty if it cannot be read."""
    with faults.isolate(directory):
        return listed.session_paths(directory)
    return []


def stat_sessions(directory: str, faults: Faults) -> Iterator[tuple[str, os.stat_result | None]]:
    """The paths of `session_files` with their `lstat`; see `disk.stat_entries`."""
    with faults.isolate(directory):
        yield from listed.stat_sessions(directory)


def session_directories(parent: str, faults: Faults) -> list[str]:
    """Directories below `parent`, symlinked ones included, in name order."""
    names: list[str] = []
    with faults.isolate(parent):
        names = sorted(disk.listdir(parent))
    # isdir is false for an entry it cannot examine (a loop of links), so the others still count.
    return [path for name in names if disk.isdir(path := f"{parent}/{name}")]


def read_header(path: str) -> Header | None:
    """The header of a session file; None if the file is not a session.

    Raises SessionNotFound and ReadFailed.
    """
    with opened_session(path) as opened:
        header = first_header(_lines(opened.descriptor))
    return None if header is None else listed.header_at(path, header)


def _lines(descriptor: int) -> Iterator[bytes]:
    """The lines of the first MiB, without a last line that the limit cuts."""
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
    """Read lines up to the first one that parses: its header, or None if it is not a header.

    A title before it belongs to it.
    """
    title: str | None = None
    for number, line in enumerate(lines):
        if not line or line.isspace():
            continue
        text = readable(line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line).rstrip(b"\n")
        if _is_malformed(text):
            continue
        try:
            value = loads(text)
        except ValueError:
            continue
        if number == 0 and (title := title_in_slot(text)) is not None:
            continue
        if value:
            header = parse_header(text, value) if isinstance(value, dict) else None
            return header if header is None or title is None else with_title(header, title)
    return None


def _is_malformed(text: bytes) -> bool:
    """Whether a line is certainly not JSON. Cheap: a file may begin with a million such lines."""
    try:
        _ANY.decode(text)
    except msgspec.DecodeError:
        # The decoder also refuses lone surrogates, which can only be written as escapes.
        return b"\\u" not in text
    except RecursionError:
        return False
    return False


def most_recent(paths: Iterable[str], cwd: str | None, faults: Faults) -> str | None:
    """The session that changed last; with `cwd`, among those of that working directory.

    One that an agent began for a subagent does not count.
    """
    dated = []
    for path in paths:
        with faults.isolate(path):
            status = listed.stat_session(path)
            if status is not None:
                dated.append((-status.st_mtime_ns, path))
    dated.sort(key=lambda item: item[0])
    headers = _headers((path for _, path in dated), cwd, faults)
    return next((path for path, header in headers if header.subagent is None), None)


def find_by_id(paths: Iterable[str], session_id: str, cwd: str | None, faults: Faults) -> list[str]:
    """The sessions whose headers have that id; with `cwd`, only of that working directory."""
    return [path for path, header in _headers(paths, cwd, faults) if header.id == session_id]


def _headers(paths: Iterable[str], cwd: str | None, faults: Faults) -> Iterator[tuple[str, Header]]:
    for path in paths:
        header = None
        with faults.isolate(path):
            header = read_header(path)
            if header is not None and cwd is not None and not is_of(header, cwd):
                header = None
        if header is not None:
            yield path, header


def is_of(header: Header, cwd: str) -> bool:
    """Whether a session belongs to an absolute working directory; false if its header has none."""
    return bool(header.cwd) and one_spelling(header.cwd or "") == composed(cwd)


def one_spelling(cwd: str) -> str:
    """Return the same text for all spellings of a directory: absolute, composed, without `..`.

    A directory of Windows has its drive as a capital. Empty for an empty text.
    """
    if is_of_windows(cwd):
        plain = ntpath.normpath(cwd)
        return composed(plain[:1].upper() + plain[1:])
    return _resolved(cwd) if cwd else ""


@functools.lru_cache(maxsize=4096)
def _normal(path: str) -> str:
    # Many sessions have the same few working directories.
    return resolve_path(path, "/")


def _resolved(path: str) -> str:
    # The home directory may change.
    return composed(resolve_path(path, "/") if path.startswith("~") else _normal(path))
