"""A document follows its file through whatever others do to it."""

import os
from pathlib import Path

import pytest
from session_files import (
    HEADER,
    V1_HEADER,
    V1_LINES,
    Listening,
    add,
    append,
    at_once,
    file_of,
    ids,
    message,
    naive_ids,
    opened,
    refresh,
)

from sessiond.files import document as document_module
from sessiond.files import reading
from sessiond.runtime.limits import INLINE_READ_BYTES, TAIL_BYTES

M1, M2, M3 = message("m1"), message("m2", "m1", "assistant"), message("m3", "m2")
FILE = file_of(HEADER, M1, M2)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(FILE)
    return path


@pytest.fixture
async def document(path):
    return await opened(path)


@pytest.fixture
def heard(document):
    return Listening(document)


def no_reading(*_, **__):
    raise AssertionError("read the file")


async def test_an_unchanged_file_is_neither_read_nor_waited_for(document, monkeypatch):
    monkeypatch.setattr(reading, "read", no_reading)
    monkeypatch.setattr(reading, "read_growth", no_reading)
    assert at_once(document.refresh()) is None


async def test_growth_is_an_append_of_which_only_the_new_bytes_are_read(
    document, path, heard, monkeypatch
):
    monkeypatch.setattr(reading, "read", no_reading)
    add(path, M3 + b"\n")
    change = at_once(document.refresh())
    assert (change.kind, change.first, change.count, change.generation) == ("appended", 2, 1, 0)
    assert ids(document) == ["m1", "m2", "m3"]
    assert document.tip_id == "m3"
    assert at_once(document.refresh()) is None
    assert heard.take() == [("appended", ["m3"], None)]


async def test_a_line_arriving_in_pieces_counts_when_it_is_whole(document, path, heard):
    line = M3 + b"\n"
    for number in range(len(line)):
        add(path, line[number : number + 1])
        change = at_once(document.refresh())
        whole = number + 1 >= len(M3)
        assert ids(document) == (["m1", "m2", "m3"] if whole else ["m1", "m2"])
        assert (change is not None) == (number + 1 in (1, len(M3)))
    assert document.generation == 0
    # First that there is a line without an end, then that it is an entry.
    assert heard.take() == [("appended", [], None), ("appended", ["m3"], None)]
    add(path, message("m4", "m3") + b"\n")
    await refresh(document)
    assert ids(document) == ["m1", "m2", "m3", "m4"]


async def test_a_torn_tail_is_a_diagnostic_until_it_is_ended(document, path):
    add(path, M3[:20])
    await refresh(document)
    assert [(one.line, one.kind) for one in document.diagnostics()] == [(4, "tornTail")]
    add(path, b"\n")
    await refresh(document)
    assert [(one.line, one.kind) for one in document.diagnostics()] == [(4, "malformedLine")]


async def test_text_appended_to_an_unended_line_damages_that_line(path, document):
    """A writer that does not end the last line spoils it, as pi 0.73.1 does."""
    add(path, M3)
    await refresh(document)
    add(path, message("m4") + b"\n")
    change = await refresh(document)
    assert (change.kind, document.generation) == ("rewritten", 1)
    assert ids(document) == ["m1", "m2"]


def edited_in_place(path):
    with path.open("r+b") as file:
        file.seek(FILE.index(b"m1"))
        file.write(b"n1")


def grown_elsewhere(path):
    content = path.read_bytes().replace(b"m1", b"n1")
    with path.open("r+b") as file:
        file.write(content + M3 + b"\n")


REWRITES = {
    "truncated": lambda path: os.truncate(path, len(FILE) - len(M2) - 1),
    "edited, same size": lambda path: path.write_bytes(FILE.replace(b'"hi"', b'"ho"')),
    "edited in place, same size": edited_in_place,
    "longer, another start": grown_elsewhere,
    "replaced by rename": lambda path: (
        path.with_name("b").write_bytes(file_of(HEADER, M1, M3, M2)),
        os.replace(path.with_name("b"), path),
    ),
    "replaced by a longer copy": lambda path: (
        path.with_name("b").write_bytes(FILE + M3 + b"\n"),
        os.replace(path.with_name("b"), path),
    ),
    "deleted and written anew": lambda path: (
        path.unlink(),
        path.write_bytes(file_of(HEADER, message("other"))),
    ),
    "another header": lambda path: path.write_bytes(FILE.replace(b'"s1"', b'"s2"')),
    "linked elsewhere": lambda path: (
        path.with_name("b").write_bytes(file_of(HEADER, M2)),
        path.unlink(),
        path.symlink_to(path.with_name("b")),
    ),
}


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=REWRITES)
async def test_a_rewritten_file_is_read_again_as_a_new_generation(rewrite, path, document, heard):
    rewrite(path)
    change = await refresh(document)
    fresh = await opened(path)
    assert change.kind == "rewritten"
    assert (change.first, change.count) == (0, fresh.entry_count)
    assert document.generation == change.generation == 1
    assert ids(document) == ids(fresh) == naive_ids(path.read_bytes())
    assert document.header.raw == fresh.header.raw
    assert at_once(document.refresh()) is None
    assert [kind for kind, *_ in heard.take()] == ["rewritten"]


@pytest.mark.parametrize(
    "touch",
    [
        os.utime,
        lambda path: path.chmod(0o644),
        lambda path: path.with_name("hard").hardlink_to(path),
        lambda path: (path.with_name("b").write_bytes(FILE), os.replace(path.with_name("b"), path)),
    ],
    ids=["times", "mode", "link", "same content renamed over"],
)
async def test_touching_a_file_is_not_a_change(touch, path, document, heard):
    touch(path)
    assert await refresh(document) is None
    assert (document.generation, heard.take()) == (0, [])
    add(path, M3 + b"\n")
    assert (await refresh(document)).kind == "appended"


TORN = M3[:30]


@pytest.mark.parametrize("torn", [b"", TORN, M3], ids=["whole", "torn", "unended"])
@pytest.mark.parametrize("followed", [True, False], ids=["grown", "as opened"])
async def test_of_a_touched_file_every_byte_is_compared(torn, followed, path):
    path.write_bytes(FILE + b"\n" + b"{broken\r\n")
    document = await opened(path, write=False)
    if followed:
        await append(document, message("own"))
        add(path, message("theirs") + b"\n")
        await refresh(document)
    add(path, torn)
    await refresh(document)
    generation, heard = document.generation, Listening(document)
    os.utime(path, (7, 7))
    assert await refresh(document) is None
    assert (document.generation, heard.take()) == (generation, [])
    changed = path.read_bytes().replace(b'"m1"', b'"n1"', 1)
    path.write_bytes(changed)
    os.utime(path, (8, 8))
    assert (await refresh(document)).kind == "rewritten"
    assert ids(document)[0] == "n1"


@pytest.mark.parametrize("content", [FILE, file_of(V1_HEADER, *V1_LINES)], ids=["now", "old"])
async def test_a_refresh_during_an_append_is_not_a_rewrite(content, path, monkeypatch):
    """The system sets a file's time before it adds the bytes: the size is still the old one then."""
    path.write_bytes(content)
    document = await opened(path, write=False)
    heard = Listening(document)
    known = ids(document)
    os.utime(path, (1, 1))
    seen = path.stat()
    really = reading.read

    def read(*arguments):
        add(path, M3 + b"\n" + b"{broken\n")
        return really(*arguments)

    monkeypatch.setattr(reading, "read", read)
    monkeypatch.setattr(document_module, "stat_regular", lambda _: seen)
    change = await refresh(document)
    assert (change.kind, change.first, change.count) == ("appended", len(known), 1)
    assert ids(document)[: len(known)] == known
    assert (document.generation, len(heard.take())) == (0, 1)
    monkeypatch.undo()
    assert at_once(document.refresh()) is None


async def test_the_removal_of_a_torn_tail_is_not_a_rewrite(path, document):
    add(path, M3[:30])
    await refresh(document)
    os.truncate(path, len(FILE))
    assert await refresh(document) is None
    assert document.diagnostics() == []
    assert document.generation == 0


LOSSES = {
    "deleted": (Path.unlink, "deleted", "deleted"),
    "emptied": (lambda path: os.truncate(path, 0), "empty", "deleted"),
    "a directory": (lambda path: (path.unlink(), path.mkdir()), "invalid", "invalid"),
    "a fifo": (lambda path: (path.unlink(), os.mkfifo(path)), "invalid", "invalid"),
    "white space": (lambda path: path.write_bytes(b" \n\n"), "invalid", "invalid"),
    "half a header": (lambda path: path.write_bytes(HEADER[:20]), "invalid", "invalid"),
    "no session": (lambda path: path.write_bytes(b'{"a":1}\n' + FILE), "invalid", "invalid"),
    "text": (lambda path: path.write_bytes(b"shopping list\n"), "invalid", "invalid"),
    "bytes": (lambda path: path.write_bytes(bytes(range(256)) * 20), "invalid", "invalid"),
}


def put(path, content):
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    path.write_bytes(content)


@pytest.mark.parametrize(("lose", "status", "kind"), LOSSES.values(), ids=LOSSES)
async def test_a_lost_file_stays_readable_and_is_reported_once(lose, status, kind, path):
    document = await opened(path)
    heard = Listening(document)
    lose(path)
    change = await refresh(document)
    assert (change.kind, document.status, document.written) == (kind, status, False)
    assert ids(document) == ["m1", "m2"]
    assert await refresh(document) is None
    assert heard.take() == [(kind, [], None)]


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
async def test_the_same_content_coming_back_is_restored(loss, path, document, heard):
    lose, _, kind = loss
    lose(path)
    await refresh(document)
    put(path, FILE)
    change = await refresh(document)
    assert (change.kind, change.count, document.status) == ("restored", 0, "ok")
    assert document.generation == 0
    add(path, M3 + b"\n")
    assert (await refresh(document)).kind == "appended"
    assert [one for one, *_ in heard.take()] == [kind, "restored", "appended"]


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
async def test_other_content_coming_back_is_rewritten(loss, path, document):
    loss[0](path)
    await refresh(document)
    put(path, FILE + M3 + b"\n")
    change = await refresh(document)
    assert (change.kind, change.count, document.generation) == ("rewritten", 3, 1)
    assert ids(document) == ["m1", "m2", "m3"]


async def test_a_link_that_leads_astray_and_back_is_followed_though_its_file_never_changed(
    path, tmp_path
):
    link = tmp_path / "link"
    link.symlink_to(path)
    document = await opened(link)
    for wrong in (tmp_path, tmp_path / "nowhere"):
        link.unlink()
        link.symlink_to(wrong)
        await refresh(document)
        assert document.status in ("invalid", "deleted")
        link.unlink()
        link.symlink_to(path)
        assert (await refresh(document)).kind == "restored"


async def test_a_directory_that_vanishes_leaves_the_session_readable(tmp_path):
    path = tmp_path / "dir" / "a.jsonl"
    path.parent.mkdir()
    path.write_bytes(FILE)
    document = await opened(path)
    path.unlink()
    path.parent.rmdir()
    assert (await refresh(document)).kind == "deleted"
    assert ids(document) == ["m1", "m2"]


async def test_an_older_version_put_in_place_is_migrated_in_memory_only(path, document):
    old = file_of(V1_HEADER, *V1_LINES)
    path.write_bytes(old)
    assert (await refresh(document)).kind == "rewritten"
    assert document.header.version == 3
    assert path.read_bytes() == old
    before = ids(document)
    assert len(set(before)) == 2
    add(path, V1_LINES[0] + b"\n")
    await refresh(document)
    assert ids(document)[:2] == before
    assert document.entry_count == 3
    assert document.tree.entries[2].parent_id == before[1]


def padded(entry_id, size):
    return message(entry_id, text="x" * size)


async def test_growth_is_checked_against_the_bytes_before_it_and_no_further(path):
    """An edit farther back than that, with an append in the same instant, is the known limit."""
    path.write_bytes(file_of(HEADER, padded("m1", 100), padded("m2", 2 * TAIL_BYTES)))
    near, far = await opened(path), await opened(path)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"m1", b"n1") + M3 + b"\n")
    await refresh(far)
    assert (far.generation, ids(far)) == (0, ["m1", "m2", "m3"])
    path.write_bytes(content[:-100] + b"y" + content[-99:] + M3 + b"\n")
    await refresh(near)
    assert near.generation == 1


@pytest.mark.parametrize("count", [1, 7, 60])
async def test_the_remembered_tail_holds_through_many_small_and_big_growths(count, path):
    document = await opened(path)
    for number in range(count):
        lines = [
            padded(f"n{number}-{one}", size) for one, size in enumerate((10, TAIL_BYTES // 3, 5))
        ]
        add(path, file_of(*lines))
        assert (await refresh(document)).kind == "appended"
    assert document.generation == 0
    assert ids(document) == naive_ids(path.read_bytes())


async def test_the_remembered_tail_holds_through_many_own_lines(path):
    document = await opened(path)
    for number in range(300):
        await append(document, padded(f"n{number}", 500))
    content = bytearray(path.read_bytes())
    content[-TAIL_BYTES + 1000 :] = content[-TAIL_BYTES + 1000 :].replace(b"xx", b"xy", 1)
    path.write_bytes(content + M3 + b"\n")
    assert (await refresh(document)).kind == "rewritten"


async def test_big_growth_is_read_in_a_worker(path, document, heard):
    add(path, file_of(*(padded(f"n{number}", 1000) for number in range(INLINE_READ_BYTES // 1000))))
    async with document.turn:
        refreshing = document.refresh()
        refreshing.send(None)  # it suspends instead of reading here
        refreshing.close()
        assert document.entry_count == 2
        await document.refresh()
    assert ids(document) == naive_ids(path.read_bytes())
    assert [kind for kind, *_ in heard.take()] == ["appended"]


async def test_a_big_reload_is_read_in_a_worker(path, document):
    path.write_bytes(file_of(HEADER, padded("n1", INLINE_READ_BYTES + 1)))
    async with document.turn:
        refreshing = document.refresh()
        refreshing.send(None)
        refreshing.close()
        assert (await document.refresh()).kind == "rewritten"


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_change_during_a_read_is_noticed_by_the_next_refresh(
    when, path, document, monkeypatch
):
    """The state remembered is from before the reading, never from after it."""
    really = document_module.reading.read_growth

    def busy(*arguments):
        if when == "before":
            add(path, M3 + b"\n")
        found = really(*arguments)
        if when == "after":
            add(path, M3 + b"\n")
        return found

    add(path, message("m0", "m2") + b"\n")
    monkeypatch.setattr(reading, "read_growth", busy)
    await refresh(document)
    monkeypatch.undo()
    await refresh(document)
    assert ids(document) == ["m1", "m2", "m0", "m3"]
    assert await refresh(document) is None


async def test_a_file_deleted_between_look_and_reading_is_deleted(path, document, monkeypatch):
    really = document_module.reading.read_growth

    def vanish(*arguments):
        path.unlink()
        return really(*arguments)

    add(path, M3 + b"\n")
    monkeypatch.setattr(reading, "read_growth", vanish)
    assert (await refresh(document)).kind == "deleted"


@pytest.mark.parametrize("cut", range(0, len(FILE) + 1, 7))
async def test_a_file_truncated_anywhere_equals_a_fresh_reading(cut, path, document):
    os.truncate(path, cut)
    await refresh(document)
    if document.status == "ok":
        assert ids(document) == naive_ids(FILE[:cut])
    else:
        # Without a whole header there is no session.
        assert cut < len(HEADER)
        assert ids(document) == ["m1", "m2"]
