"""With a kept index, whatever its state, a file is what it is without one."""

import os
import shutil
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_files import HEADER, V1_HEADER, V1_LINES, add, append, file_of, label, message
from support.effort import effort
from xxhash import xxh3_128_digest

from sessiond.errors import ReadFailed
from sessiond.files import reading
from sessiond.files.document import Document
from sessiond.files.identity import FileState
from sessiond.files.kept import checked_files, index_files, reopening
from sessiond.files.kept.index_files import IndexFiles

PARTS = [
    message("a"),
    message("b", "a", "assistant", "grüße"),
    message("a", "gone"),
    message("c", "c"),
    label("l"),
    b'{"type":"label","id":"l2","parentId":"a","timestamp":"7","targetId":"a","label":"\\ud83d"}',
    b'{"type":"session_info","id":"i","parentId":"b","timestamp":1,"name":"\\ud83d name "}',
    b'{"type":"compaction","id":"k","parentId":"d","timestamp":"x","firstKeptEntryId":"no"}',
    b'{"type":"custom","id":"\\ud83d","parentId":"l","timestamp":"x"}',
    b'{"type":"custom","id":"s","parentId":"l","timestamp":"x","appendMode":"side"}',
    b'{"type":"leaf","id":"f","parentId":"a","timestamp":"x","targetId":"a"}',
    b'{"type":"custom","id":"d","parentId":"k","timestamp":"x","data":"\xff"}',
    b"  " + message("e") + b" \t",
    b"{broken",
    b"null",
    b"",
    b" ",
    HEADER,
    b'{"type":"custom"}',
]
HEADERS = [
    HEADER,
    b"\xef\xbb\xbf" + HEADER,
    b"\nnull\n" + HEADER,
    HEADER.replace(b'"/x"', b'"\xff"'),
]
TAILS = [b"", b"{", b" ", message("z"), b"\xff", message("z")[:-3]]
LINES = st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from([b"\n", b"\r\n"])), max_size=7)


def joined(lines) -> bytes:
    return b"".join(line + end for line, end in lines)


@pytest.fixture(autouse=True)
def _all_are_large(monkeypatch):
    monkeypatch.setattr(reading, "KEPT_FROM_BYTES", 0)


def shown(contents):
    """Everything that a reader of a document can see."""
    tree, loaded = contents.tree, contents.loaded
    names = [
        name
        for name in type(loaded).__attrs_attrs__
        if name.name not in {"text", "entries", "hasher"}
    ]
    runs = []
    if tree.entries:
        views = tree.text.buffers(tree.entries[0].start, tree.entries[-1].end)
        runs = b"".join(views).replace(b"\r,", b",")
    return {
        "loaded": [getattr(loaded, name.name) for name in names],
        "entries": [msgspec.structs.astuple(entry)[:5] for entry in tree.entries],
        "numbers": [(entry.line, entry.side, tree.line(entry)) for entry in tree.entries],
        "run": runs,
        "by id": list(tree.by_id.items()),
        "derived": (list(tree.labels.items()), tree.name, tree.has_conversation, tree.leaf_id),
        "branch": [entry.id for entry in tree.branch(tree.leaf_id)],
        "forest": tree.forest(),
        "diagnostics": contents.diagnostics(),
        "lines": contents.lines(),
        "tail": bytes(contents.tail),
        "migrated": contents.migrated,
    }


def read(path: Path, indexes: IndexFiles | None):
    """What opening the file gives; keeps an index as the daemon does."""
    result = reading.read(str(path), hold=True, indexes=indexes)
    if result.keep:
        result.keep("")
    return result.contents


def old(path: Path) -> None:
    """Let the file be older than the clock's tick, so that its times tell every change."""
    os.utime(path, (1, 1))


@pytest.mark.parametrize("stored_from", [0, 1 << 30], ids=["in the file", "in memory"])
@given(
    st.tuples(st.sampled_from(HEADERS), LINES, st.sampled_from(TAILS)),
    st.tuples(LINES, st.sampled_from(TAILS)),
)
@settings(deadline=None, max_examples=effort(40, 60))
def test_reading_with_a_kept_index_equals_reading_without(stored_from, start, growth):
    """`stored_from`: files of at least that size are not kept in memory."""
    with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory() as directory:
        patched.setattr(reading, "STORED_FROM_BYTES", stored_from)
        patched.setattr(reopening, "STORED_FROM_BYTES", stored_from)
        path, indexes = Path(directory) / "a.jsonl", IndexFiles(directory + "/c/i")
        header, lines, torn = start
        path.write_bytes(header + b"\n" + joined(lines) + torn)
        assert shown(read(path, indexes)) == shown(read(path, None))
        assert shown(read(path, indexes)) == shown(read(path, None))
        more, tail = growth
        add(path, joined(more) + tail)
        assert shown(read(path, indexes)) == shown(read(path, None))
        assert shown(read(path, indexes)) == shown(read(path, None))


CONTENT = file_of(
    HEADER, *(message(f"m{n}", f"m{n - 1}", text="x" * 50) for n in range(40)), label("l")
)


SHORT = file_of(HEADER, message("a"), message("b", "a"), label("l"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def indexes(tmp_path):
    return IndexFiles(str(tmp_path / "cache" / "indexes"))


@pytest.fixture
def parsed(monkeypatch):
    """How many bytes were parsed."""
    counts = []
    really = reading.Loader.feed

    def feed(loader, chunk):
        counts.append(len(chunk))
        really(loader, chunk)

    monkeypatch.setattr(reading.Loader, "feed", feed)
    return counts


def kept_file(indexes) -> Path:
    (found,) = Path(indexes.directory).iterdir()
    return found


def test_a_file_seen_before_is_not_parsed_again(path, indexes, parsed):
    read(path, indexes)
    parsed.clear()
    read(path, indexes)
    assert parsed == []
    add(path, message("new") + b"\n")
    assert [entry.id for entry in read(path, indexes).tree.entries][-1] == "new"
    assert parsed == [len(message("new")) + 1]
    parsed.clear()
    read(path, indexes)
    assert parsed == []
    # The same bytes under another time, and moved to another name.
    os.utime(path, (5, 5))
    path.rename(path.with_name("b.jsonl"))
    read(path.with_name("b.jsonl"), indexes)
    assert parsed == []


def test_an_index_is_private(path, indexes):
    read(path, indexes)
    kept = kept_file(indexes)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(CONTENT.replace(b'"m7"', b'"n7"')),
        lambda path: path.write_bytes(CONTENT[:-10]),
        lambda path: path.write_bytes(CONTENT.replace(b'"m7"', b'"n7"') + message("new") + b"\n"),
        lambda path: path.write_bytes(CONTENT.replace(b"hi", b"ho") + message("new") + b"\n"),
        lambda path: (path.unlink(), path.write_bytes(CONTENT[:200])),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"text"),
    ],
)
def test_an_index_of_other_contents_does_not_count(change, path, indexes):
    read(path, indexes)
    change(path)
    found, fresh = (reading.read(str(path), hold=True, indexes=each) for each in (indexes, None))
    assert found.bad_line == fresh.bad_line
    assert (found.contents and shown(found.contents)) == (fresh.contents and shown(fresh.contents))


def test_a_change_in_the_tick_of_the_first_reading_is_noticed(path, indexes, monkeypatch):
    """Two contents can have the same size and times: then the bytes are compared."""
    monkeypatch.setattr(FileState, "would_show", lambda *_: False)
    read(path, indexes)
    seen = path.stat()
    changed = CONTENT.replace(b'"m7"', b'"n7"')
    path.write_bytes(changed)
    kept = index_files._decode(kept_file(indexes).read_bytes()[len(index_files._MAGIC) + 16 :])
    now = path.stat()
    same = msgspec.structs.replace(kept, mtime_ns=now.st_mtime_ns, ctime_ns=now.st_ctime_ns)
    assert (seen.st_ino, seen.st_size) == (now.st_ino, now.st_size)
    indexes.save(same)
    assert shown(read(path, indexes)) == shown(read(path, None))


def test_every_damaged_byte_is_noticed(path, indexes, parsed):
    path.write_bytes(SHORT)
    read(path, indexes)
    kept = kept_file(indexes)
    good = kept.read_bytes()
    wanted = shown(read(path, None))
    for at in range(len(good)):
        broken = bytearray(good)
        broken[at] ^= 1 << at % 8
        kept.write_bytes(broken)
        assert indexes.load(FileState.of(path.stat())) is None
    for size in (0, 5, 30, len(good) - 1):
        kept.write_bytes(good[:size])
        parsed.clear()
        assert shown(read(path, indexes)) == wanted
        assert parsed
    kept.unlink()
    kept.mkdir()
    assert shown(read(path, indexes)) == wanted
    kept.rmdir()
    kept.symlink_to("/dev/zero")
    assert shown(read(path, indexes)) == wanted
    shutil.rmtree(kept.parent)
    kept.parent.write_bytes(b"")
    assert shown(read(path, indexes)) == wanted


def shows_only_what_is_in_the_file(contents, content: bytes) -> None:
    for entry in contents.tree.entries:
        try:
            line = contents.tree.line(entry)
        except (ReadFailed, LookupError, ArithmeticError, ValueError):
            continue
        # A wrong end may join whole lines; a wrong line never is one.
        for one in line.split(b",{"):
            assert not one or b"\n%b\n" % (one if one[:1] == b"{" else b"{" + one) in content


@settings(deadline=None, max_examples=effort(40, 60))
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 255)), min_size=1, max_size=3))
def test_damage_with_a_good_checksum_shows_no_line_that_is_not_in_the_file(damage):
    with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory() as directory:
        patched.setattr(reading, "STORED_FROM_BYTES", 0)
        patched.setattr(reopening, "STORED_FROM_BYTES", 0)
        path, indexes = Path(directory) / "a.jsonl", IndexFiles(directory + "/i")
        path.write_bytes(SHORT)
        old(path)
        read(path, indexes)
        kept = index_files._decode(kept_file(indexes).read_bytes()[len(index_files._MAGIC) + 16 :])
        broken = bytearray(kept.index)
        for at, bits in damage:
            broken[at % len(broken)] ^= bits
        indexes.save(msgspec.structs.replace(kept, index=bytes(broken)))
        shows_only_what_is_in_the_file(read(path, indexes), SHORT)


ODD = file_of(HEADER, message("a"), b"{broken", message("b", "gone"), label("l"), b"", message("c"))


@pytest.mark.parametrize("content", [SHORT, ODD], ids=["whole", "damaged"])
@pytest.mark.parametrize("bits", [1, 0x80, 0xFF])
def test_no_damaged_byte_with_a_good_checksum_shows_a_line_that_is_not_in_the_file(
    path, indexes, monkeypatch, content, bits
):
    """Every byte of the whole index, one after another: identity, times, digests, and columns."""
    monkeypatch.setattr(reading, "STORED_FROM_BYTES", 0)
    monkeypatch.setattr(reopening, "STORED_FROM_BYTES", 0)
    path.write_bytes(content)
    old(path)
    read(path, indexes)
    place, start = kept_file(indexes), len(index_files._MAGIC) + 16
    body = place.read_bytes()[start:]
    used = 0
    for at in range(len(body)):
        broken = bytearray(body)
        broken[at] ^= bits
        place.write_bytes(index_files._MAGIC + xxh3_128_digest(broken) + broken)
        result = reading.read(str(path), hold=True, indexes=indexes)
        used += place.exists()
        shows_only_what_is_in_the_file(result.contents, content)
    assert used > len(body) // 10
    assert path.read_bytes() == content


def test_a_file_of_another_format_is_removed(path, indexes):
    read(path, indexes)
    kept = kept_file(indexes)
    body = kept.read_bytes()[len(index_files._MAGIC) + 16 :]
    kept.write_bytes(b"sessiond index 0\n" + xxh3_128_digest(body) + body)
    assert indexes.load(FileState.of(path.stat())) is None
    assert not kept.exists()


def test_old_files_have_no_index_before_they_are_migrated(path, indexes):
    path.write_bytes(file_of(V1_HEADER, *V1_LINES))
    read(path, indexes)
    assert not os.path.exists(indexes.directory)


def path_of(indexes: IndexFiles, path: Path) -> Path:
    seen = path.stat()
    return Path(indexes.directory) / f"{seen.st_dev:x}-{seen.st_ino:x}.index"


def test_the_least_recently_used_are_removed(tmp_path, indexes, monkeypatch):
    monkeypatch.setattr(checked_files, "_UNUSED_SECONDS", 1e12)
    paths = [tmp_path / f"{n}.jsonl" for n in range(4)]
    for number, path in enumerate(paths):
        path.write_bytes(CONTENT)
        read(path, indexes)
        os.utime(path_of(indexes, path), (1e9 + number, 1e9 + number))
    (Path(indexes.directory) / "x.tmp").write_bytes(b"")
    os.utime(Path(indexes.directory) / "x.tmp", (1, 1))
    size = os.path.getsize(path_of(indexes, paths[0]))
    monkeypatch.setattr(index_files, "_TOTAL_BYTES", size * 2 + 500)
    add(paths[0], message("new") + b"\n")
    read(paths[0], indexes)
    left = set(os.listdir(indexes.directory))
    wanted = [path_of(indexes, path) for path in (paths[0], paths[3])]
    assert left == {os.path.basename(path) for path in wanted}


async def test_a_document_opened_by_its_index_is_appended_to_and_followed(path, indexes):
    read(path, indexes)
    document = Document(str(path))
    document.indexes = indexes
    async with document.turn:
        await document.open(write=True)
    await append(document, message("own"))
    add(path, message("theirs") + b"\n")
    async with document.turn:
        assert (await document.refresh()).count == 1
    assert shown(document.contents)["numbers"] == shown(read(path, None))["numbers"]
    assert document.generation == 0
