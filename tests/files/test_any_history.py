"""After any sequence of changes to a file, a document equals a fresh reading."""

import asyncio
import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from session_files import (
    HEADER,
    V1_HEADER,
    V1_LINES,
    add,
    append,
    file_of,
    ids,
    message,
    naive_ids,
    opened,
    refresh,
)
from support.effort import effort

from sessiond.runtime.errors import InvalidSessionFile

FRAGMENTS = [
    b"\n",
    b"\r\n",
    b"{",
    b"}",
    b" ",
    b"null\n",
    b"42",
    b"\xff\n",
    b'{"id":"half',
    HEADER + b"\n",
]
START = file_of(HEADER, message("m1"), message("m2", "m1"))

foreign = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(FRAGMENTS)),
    st.tuples(st.just("line"), st.booleans()),
    st.tuples(st.just("cut"), st.integers(0, 300)),
    st.tuples(
        st.just("put"),
        st.sampled_from([START, START[:150], b"", b"text", file_of(V1_HEADER, *V1_LINES)]),
    ),
    st.tuples(st.just("rename"), st.sampled_from([START, START + file_of(message("m3"))])),
    st.tuples(st.just("delete"), st.none()),
)
ours = st.one_of(
    st.tuples(st.just("refresh"), st.none()),
    st.tuples(st.just("append"), st.none()),
)


def do(path: Path, what: str, how, number: int) -> None:
    if what == "delete":
        path.unlink(missing_ok=True)
    elif what == "put":
        path.write_bytes(how)
    elif what == "rename":
        path.with_name("b").write_bytes(how)
        os.replace(path.with_name("b"), path)
    elif path.exists():
        if what == "add":
            add(path, how)
        elif what == "line":
            add(path, message(f"f{number}") + (b"\n" if how else b""))
        elif what == "cut":
            os.truncate(path, max(0, path.stat().st_size - how))


async def follow(path: Path, history) -> None:
    document = await opened(path)
    for number, (what, how) in enumerate(history):
        before = ids(document)
        if what == "append":
            try:
                line = message(f"o{number}")
                await append(document, line)
            except InvalidSessionFile:
                assert ids(document) == before
            else:
                # Acknowledged is written: a whole line, the last of the file.
                assert path.read_bytes().endswith(b"\n" + line + b"\n")
                assert document.tip_id == f"o{number}"
        elif what == "refresh":
            await refresh(document)
        else:
            do(path, what, how, number)
            continue
        assert await refresh(document) is None
        if document.status == "ok":
            fresh = await opened(path, write=False)
            assert ids(document) == ids(fresh)
            assert document.diagnostics() == fresh.diagnostics()
            assert document.contents.same_as(fresh.contents)
            if not document.contents.migrated:
                assert ids(document) == naive_ids(path.read_bytes())
        else:
            assert ids(document) == before


@settings(max_examples=effort(40, 150), deadline=None)
@given(st.lists(st.one_of(foreign, ours), max_size=25))
def test_a_document_equals_a_fresh_reading(history):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "a.jsonl"
        path.write_bytes(START)
        asyncio.run(follow(path, [*history, ("append", None)]))
