"""Searches with and without an index give the results of a naive implementation."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import effort
from support.sessions_on_disk import message, settle, write_session

from sessiond.catalog.index import texts
from sessiond.catalog.index.database import SearchCache, Unavailable
from sessiond.catalog.index.indexer import Indexer, sweep
from sessiond.catalog.index.texts import fill
from sessiond.catalog.listing import Listing
from sessiond.catalog.message_text import MessageReader, read_messages
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.search.expression import expression
from sessiond.catalog.search.find import search
from sessiond.catalog.search.fuzzy import fuzzy_match
from sessiond.catalog.search.pages import Asked, SearchQuery, hit_page
from sessiond.catalog.search.query import Mode, parse
from sessiond.catalog.search.snippets import of_tokens, snippets
from sessiond.format.line_texts import MessageText
from sessiond.runtime.errors import InvalidQuery, SessiondError, Unsupported
from sessiond.runtime.isolation import Abandoned, Faults

WORDS = [
    "the", "function", "returns", "entries", "path", "test", "naïve", "Größe", "ΣΑΣ", "漢字", "搜索",
    "関数", "检查文件", "😀", "İstanbul", "a", "b", "x-y", "C:\\dir", '"quoted"', "re:", "\ud83d", "zq",
    "é", "\u00a0", "\u2028", "\x1c", "ﬁ", "\u017f", "\x00", "node_modules", "1024", "", "\u212aelvin", "x\ud83dy", "x?y", "v\x00w",
]  # fmt: skip
QUERIES = [
    "function", "FUNCTION", "func tion", "the path", '"the path"', '"path test"', "漢字", "字", "搜",
    "检查", "查文", "😀", "é", "zq", "z", "q", "a", '"a b"', "naïve", "größe", "σας", "x-y", "c:\\d",
    "node_modules", "1024", "102 the", "absent", "ab", "\ud83d", '"quoted"', '"', "f", "ﬁ", "id1",
    "proj", "prj", "e", "", "\x00", "entries returns path test", "named", "nmd", "kelvin", "stanbul", "i", "x?y", "?y", "v\x01w", "\x02", '"named s"',
]  # fmt: skip


@pytest.fixture
def store(tmp_path: Path):
    made = SearchCache(str(tmp_path / "cache" / "sessiond" / "catalog-v6.sqlite3"))
    yield made
    made.close()


def sessions_in(folder: Path, store: SearchCache | None = None):
    return Listing(SessionScope(str(folder))).read(cache=store).newest_first()


def alive() -> None:
    pass


def indexed(store: SearchCache, sessions) -> None:
    settle([Path(item.path) for item in sessions])
    faults = Faults()
    assert fill(store, [item.path for item in sessions], alive, faults) == []
    assert not list(faults)
    with store.connection() as connection:
        known = texts.numbers(connection)
    assert {texts.identity(item.state) for item in sessions} <= known.keys()


def generated(folder: Path, seed: int, count: int = 40) -> None:
    chosen = random.Random(seed)
    for number in range(count):
        spoken = [
            chosen.choice([" ", " ", "\n\n", "\t "]).join(
                chosen.choices(WORDS, k=chosen.choice([1, 2, 5, 30]))
            )
            for _ in range(chosen.randrange(6))
        ]
        write_session(
            folder / f"{number:02}.jsonl",
            *spoken,
            name=chosen.choice([None, None, "named session", "Größe  path", "漢字"]),
            session_id=f"id{number}-{chosen.randrange(2000)}",
            cwd=chosen.choice(["/home/project", "/tmp/a b", "", "/the/path"]),
            modified=chosen.randrange(1, 9),
        )


# pi-rules, session selector, in the plainest form.
SPACE = "[\\t\\n\\v\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"


def collapsed(text: str) -> str:
    return re.sub(SPACE, " ", text.lower()).strip(" ")


def tokens_of(query: str) -> list[tuple[str, bool]]:
    if query.count('"') % 2:
        return [(word, False) for word in re.split(SPACE, query) if word]
    found = []
    for number, part in enumerate(query.split('"')):
        pieces = [part] if number % 2 else re.split(SPACE, part)
        found += [(piece, bool(number % 2)) for piece in pieces if piece.strip()]
    return found


def naive(folder: Path, query: str, *, scattered: bool) -> list[tuple[float, str]]:
    found = []
    for file in folder.glob("*.jsonl"):
        header, *lines = [json.loads(line) for line in file.read_text().splitlines()]
        name, first, spoken, at = "", "", [], 0.0
        for line in lines:
            if line["type"] == "session_info":
                name = re.sub(f"^{SPACE}|{SPACE}$", "", line["name"])
                continue
            content = line["message"]["content"]
            text = content if isinstance(content, str) else content[0]["text"]
            spoken += [text] if text else []
            if not first and line["message"]["role"] == "user":
                first = text
            at = max(at, line["message"]["timestamp"])
        total, in_texts = 0.0, []
        for value, phrase in tokens_of(query):
            norm = collapsed if phrase else str.lower
            wanted = norm(value)
            if wanted in norm(name):
                total += fuzzy_match(wanted, norm(name))
            elif any(wanted in field for field in (header["id"].lower(), norm(header["cwd"]))):
                total += 1_000_000
            elif holders := {at for at, text in enumerate(spoken) if wanted in norm(text)}:
                total += 1_000_000
                in_texts.append(holders)
            else:
                scores = [
                    fuzzy_match(value, field) for field in (name or first[:200], header["cwd"])
                ]
                scores = [score for score in scores if score is not None]
                if phrase or not scattered or not scores:
                    break
                total += 2_000_000 + min(scores)
        else:
            is_apart = bool(in_texts) and not set.intersection(*in_texts)
            # Without messages a list goes by the time in the header.
            found.append((total, is_apart, -(at or 1_767_225_600_000), str(file)))
    found.sort(key=lambda item: item[3], reverse=True)
    return [(score, path) for score, *_, path in sorted(found, key=lambda item: item[:3])]


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("look at résumé.md", "résumé", "résumé"),
        ("look at re\u0301sume\u0301.md", "résumé", "re\u0301sume\u0301"),
        ("look at résumé.md", "re\u0301sume\u0301", "résumé"),
        ("a Capture d\u2019e\u0301cran", "d'écran", "d\u2019e\u0301cran"),
        ("it says “yes”", '"says \u201cyes"', "says “yes"),
        ("at 3.00.00\u202fPM.png", '"3.00.00 pm"', "3.00.00\u202fPM"),
        ("at 3.00.00\u00a0PM.png", '"3.00.00 pm"', "3.00.00\u00a0PM"),
        ("a straight d'or", "d\u2019or", "d'or"),
    ],
)
def test_texts_are_found_as_people_type_them(
    tmp_path: Path, store: SearchCache, text: str, query: str, shown: str
):
    write_session(tmp_path / "s.jsonl", text)
    write_session(tmp_path / "t.jsonl", "resume nothing")
    sessions, parsed = sessions_in(tmp_path), parse(query, "text")
    for prepare in (lambda: None, lambda: indexed(store, sessions)):
        prepare()
        found = search(sessions, parsed, store, alive)
        assert [Path(hit.summary.path).name for hit in found.hits] == ["s.jsonl"]
        ((snippet,),) = snippets(found.hits, parsed, store, alive)
        ((start, end),) = snippet.ranges
        assert snippet.text[start:end] == shown


@pytest.mark.parametrize("mode", ["text", "fuzzy"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_indexed_hits_equal_those_of_a_naive_reading(
    tmp_path: Path, store: SearchCache, seed: int, mode: str, monkeypatch
):
    # Small parts, and few neighbours, so that files lie in several indexes.
    monkeypatch.setattr("sessiond.catalog.index.texts._TOGETHER", [40, 7, 300][seed - 1])
    monkeypatch.setattr("sessiond.catalog.index.texts._NEIGHBOURS", 3)
    folder = tmp_path / "s"
    generated(folder, seed)
    sessions = sessions_in(folder)
    expected = {q: naive(folder, q, scattered=mode == "fuzzy") for q in QUERIES}
    # None of them, half of them, all of them.
    for more in ([], sessions[::2], sessions):
        indexed(store, more)
        for query in QUERIES:
            hits = search(sessions, parse(query, mode), store, alive).hits
            assert [(hit.distance, hit.summary.path) for hit in hits] == expected[query], query
    assert sum(map(bool, expected.values())) > 25


@pytest.mark.parametrize("mode", ["text", "fuzzy"])
def test_hits_that_are_compared_when_they_are_shown_equal_those_of_a_naive_reading(
    tmp_path: Path, store: SearchCache, mode: Mode, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sessiond.catalog.search.find.CERTAIN", 0)
    folder = tmp_path / "s"
    generated(folder, 4)
    # All trigrams of the queries in one text or in two, but not the queries.
    spoken = ["funct nctio tion unction fun", "the pa", "e path", "node_mod", "_modules"]
    for number in range(7):
        write_session(folder / f"x{number}.jsonl", *spoken[number % 4 :], modified=number)
    write_session(folder / "y.jsonl", "function", modified=3)
    listed = Listing(SessionScope(str(folder))).read()
    indexed(store, listed.newest_first())
    false = 0
    for query in QUERIES:
        found: list[tuple[float, str]] = []
        after, total = None, -1
        while total < 0 or after is not None:
            wanted = SearchQuery(parse(query, mode), after, 3)
            page, all_of_them = hit_page(listed, wanted, store, Asked())
            found += [(hit.distance, hit.summary.path) for hit, _ in page.shown]
            assert page.total >= len(found)
            false += len(all_of_them.hits) - page.total
            total = page.total
            last = page.shown[-1][0] if page.shown else None
            more = last is not None and page.rest > len(page.shown)
            after = (last.rank, last.summary.path) if last is not None and more else None
        # Whether one text has all words is not compared, so the order may be another one.
        assert sorted(found) == sorted(naive(folder, query, scattered=mode == "fuzzy")), query
        assert [score for score, _ in found] == sorted(score for score, _ in found)
    assert false


def test_long_texts_are_found_and_texts_across_messages_are_not(tmp_path: Path, store: SearchCache):
    folder = tmp_path / "s"
    words = [f"w{n:05}" for n in range(20_000)]
    write_session(folder / "long.jsonl", "start of", " it", " ".join(words), "the\nend")
    sessions = sessions_in(folder)
    for known in (None, store):
        if known is not None:
            indexed(store, sessions)

        def found(query: str, known: SearchCache | None = known) -> int:
            return len(search(sessions, parse(query, "text"), known, alive).hits)

        long = " ".join(words[5_000:5_100])
        assert found(f'"{long}"') == found(f'"{long} w"') == found('"the end"') == 1
        assert found(f'"{long} x"') == found(f'"{words[3]} {words[5]}"') == 0
        assert found('"of it"') == found(f'"{words[-1]} the end"') == 0
        assert found("start end") == 1


def test_what_was_read_stays_in_the_index_when_indexing_stops(tmp_path: Path, store: SearchCache):
    folder = tmp_path / "s"
    for name in "abc":
        write_session(folder / f"{name}.jsonl", name)
    sessions = sessions_in(folder)
    left = 2

    def stop() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Abandoned

    with pytest.raises(Abandoned):
        fill(store, [item.path for item in sessions], stop, Faults())
    with store.connection() as connection:
        assert len(texts.numbers(connection)) == 2


def test_a_grown_file_is_indexed_from_where_it_grew(
    tmp_path: Path, store: SearchCache, monkeypatch
):
    folder = tmp_path / "s"
    file = write_session(folder / "a.jsonl", *(f"text {n}" for n in range(200)))
    size = file.stat().st_size
    indexed(store, sessions_in(folder))
    starts: list[int] = []

    def read(descriptor: int, offset: int, end: int, **options: bool) -> MessageReader:
        starts.append(offset)
        return MessageReader(descriptor, offset, end, **options)

    monkeypatch.setattr(texts, "MessageReader", read)
    with file.open("a") as out:
        out.write(json.dumps(message(1, "grown")) + "\n")
    sessions = sessions_in(folder)
    indexed(store, sessions)
    assert starts == [size]
    (found,) = search(sessions, parse('grown "text 199"', "text"), store, alive).hits
    assert found.distance == 2_000_000
    # Rewritten in place: everything is read again, and the old text is not found any more.
    write_session(file, "another", "beginning")
    sessions = sessions_in(folder)
    assert not search(sessions, parse("grown", "text"), store, alive).hits
    indexed(store, sessions)
    assert starts == [size, 0]
    assert not search(sessions, parse("grown", "text"), store, alive).hits
    assert search(sessions, parse("beginning", "text"), store, alive).hits


def test_an_unended_last_message_counts_and_may_still_grow(tmp_path: Path, store: SearchCache):
    folder = tmp_path / "s"
    file = write_session(folder / "a.jsonl", "first")
    whole = json.dumps(message(1, "unended"))
    for part, expected in [(whole[:-9], 0), (whole[-9:], 1), ("\n", 1)]:
        with file.open("a") as out:
            out.write(part)
        sessions = sessions_in(folder)
        indexed(store, sessions)
        assert len(search(sessions, parse("unended", "text"), store, alive).hits) == expected
    assert [found.text for found in read_messages(str(file))] == ["first", "unended"]


def test_the_index_forgets_deleted_sessions(tmp_path: Path, store: SearchCache):
    folder = tmp_path / "s"
    generated(folder, 4)
    indexed(store, sessions_in(folder))
    for file in folder.iterdir():
        file.unlink()
    sweep(store)
    with store.connection() as connection:
        for table in ("indexed", "texts"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


@pytest.mark.parametrize("how", ["deleted", "rewritten"])
def test_nothing_is_left_on_disk_of_a_text_that_is_removed(
    tmp_path: Path, store: SearchCache, how: str
):
    # No three characters of it occur anywhere else.
    marker = "ŁØÞßÆÐ¤¥§"
    folder = tmp_path / "s"
    generated(folder, 5, 60)
    key = write_session(folder / "key.jsonl", f"the key is {marker}", "and an answer")
    indexed(store, sessions_in(folder, store))
    stored = marker.lower()
    trigrams = [stored[at : at + 3].encode() for at in range(len(stored) - 2)]
    cache = Path(store.path).parent

    def left() -> list[bytes]:
        every = b"".join(item.read_bytes() for item in cache.iterdir())
        # FTS5 writes only the end of a term whose beginning is that of the one before.
        return [each for each in trigrams if each in every or each[2:] in every]

    assert left() == trigrams
    if how == "deleted":
        key.unlink()
        sweep(store)
    else:
        write_session(key, "nothing")
        settle([key])
        fill(store, [str(key)], alive, Faults())
        sessions_in(folder, store)
    assert left() == []
    assert search(sessions_in(folder), parse("the", "text"), store, alive).hits


@given(
    st.lists(st.text("abc*[]?\"'Xé😀\0\ud800 ", max_size=8), min_size=1, max_size=30),
    st.text("abc*[]?\"'xé😀\0\ud800 ", min_size=1, max_size=6),
)
def test_any_part_of_a_text_is_found_in_the_files_asked_for(spoken: list[str], wanted: str):
    with tempfile.TemporaryDirectory() as name, closing(SearchCache(f"{name}/c/c.db")) as kept:
        for number, text in enumerate(spoken):
            write_session(Path(name, f"{number}.jsonl"), text, "other")
        sessions = sessions_in(Path(name))
        indexed(kept, sessions)
        with kept.connection() as connection:
            known = texts.numbers(connection)
            files = {known[texts.identity(item.state)]: item.path for item in sessions}
            asked = sorted(files)[::2]
            found = texts.containing(connection, [wanted], asked)[0]
        assert {files[file] for file in found} == {
            files[file]
            for file in asked
            if any(
                wanted in collapsed(text) for text in (spoken[int(Path(files[file]).stem)], "other")
            )
        }


@pytest.mark.parametrize(
    ("query", "mode"), [("only7", "text"), ("common only7", "text"), ("on.y7", "regex")]
)
def test_a_search_finds_what_is_removed_from_the_index_meanwhile(
    tmp_path: Path, store: SearchCache, query: str, mode: Mode
):
    """As when another daemon indexes a file again that was moved."""
    folder = tmp_path / "s"
    for number in range(12):
        write_session(folder / f"{number}.jsonl", f"common only{number}", session_id=f"s{number}")
    sessions = sessions_in(folder)
    indexed(store, sessions)
    other = SearchCache(store.path, busy_seconds=0)
    forgotten = False

    def forget() -> None:
        nonlocal forgotten
        if not forgotten:
            forgotten = True
            with other.connection(writing=True) as connection:
                texts.forget(connection, texts.numbers(connection).values())

    hits = search(sessions, parse(query, mode), store, forget).hits
    assert forgotten
    assert [Path(hit.summary.path).stem for hit in hits] == ["7"]
    other.close()


async def test_the_indexer_goes_on_until_it_is_closed(
    tmp_path: Path, store: SearchCache, monkeypatch
):
    monkeypatch.setattr("sessiond.catalog.index.indexer._BATCH", 500)
    folder = tmp_path / "s"
    generated(folder, 6)
    odd = write_session(folder / os.fsdecode(b"odd-\xff.jsonl"), "odd name")
    ahead = write_session(folder / "ahead.jsonl", "of the future")
    os.utime(ahead, (4_000_000_000, 4_000_000_000))
    sessions = sessions_in(folder)
    settle([odd])
    tested = Indexer(store)
    tested.want(sessions)
    async with asyncio.timeout(60):
        await tested.idle()
    with store.connection() as connection:
        known = texts.numbers(connection)
    missing = {item.path for item in sessions if texts.identity(item.state) not in known}
    assert missing == {str(ahead)}
    monkeypatch.setattr(texts, "fill", lambda *_: time.sleep(0.01) or [])
    store_of_another = SearchCache(f"{tmp_path}/other/c.db")
    tested = Indexer(store_of_another)
    tested.want(sessions)
    await tested.idle(0.02)
    assert tested._pending
    await tested.close()


# Regular expressions, some of which span lines.
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("needle", True),
        ("NEED.E", True),
        (r"ne+dle\s+in", True),
        ("needle in the\nhay", True),
        ("the hay", False),
        # A match does not extend over several messages.
        ("stack over", False),
        ("^needle", True),
        ("^stack", False),
        ("^over$", True),
        (r"\p{Han}+", True),
        ("needles?", True),
        ("needlesx*", False),
        ("needlex*", True),
        ("absent|hay", True),
        ("(?:absent){2}", False),
        (r"\bstac\b", False),
    ],
)
def test_expressions_match_the_unchanged_text(
    tmp_path: Path, store: SearchCache, pattern: str, found: bool
):
    write_session(tmp_path / "s" / "a.jsonl", "Needle in the\nhay 漢字 stack", "over")
    sessions = sessions_in(tmp_path / "s")
    query = parse(pattern, "regex")
    assert bool(search(sessions, query, None, alive).hits) == found
    indexed(store, sessions)
    assert bool(search(sessions, query, store, alive).hits) == found
    assert bool(search(sessions, parse(f" re: {pattern} ", "fuzzy"), store, alive).hits) == found


@pytest.mark.parametrize(("query", "mode"), [("", "regex"), ("(", "regex"), ("re: ", "fuzzy")])
def test_an_invalid_expression_is_refused(query: str, mode: str):
    with pytest.raises(InvalidQuery):
        search([], parse(query, mode), None, alive)


def test_matches_are_found_in_texts_of_any_length_and_of_any_characters():
    tested = expression("b|ö|c*")
    assert tested.spans("abab", 10) == [(1, 2), (3, 4)]
    assert tested.spans("x" * 20, 10) == []
    assert tested.matches("x")
    long = "x" * 1_000_000
    assert expression("need.e$").spans(f"{long}\ud800 needle", 10) == [(1_000_002, 1_000_008)]
    assert expression("\ud800").spans("a\ud800", 10) == [(1, 2)]
    assert expression("😀b").spans("漢😀b", 10) == [(1, 3)]


def test_without_the_package_an_expression_is_unsupported(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(Unsupported, match=r"google-re2"):
        parse("a.b", "regex")


def test_snippets_show_the_messages_with_the_most_matches(tmp_path: Path, store: SearchCache):
    spoken = ["one here", "two there", "x" * 500 + "\nOne and\ttwo " + "y" * 500, "three", "TWO"]
    write_session(tmp_path / "s" / "a.jsonl", *spoken)
    sessions = sessions_in(tmp_path / "s")
    query = parse("one two", "text")
    for known in (None, store):
        if known is not None:
            indexed(store, sessions)
        hits = search(sessions, query, known, alive).hits
        (shown,) = snippets(hits, query, known, alive)
        assert [(item.entry_id, item.role) for item in shown] == [
            ("m0", "user"),
            ("m1", "assistant"),
            ("m2", "user"),
        ]
        marked = [[item.text[start:end] for start, end in item.ranges] for item in shown]
        assert marked == [["one"], ["two"], ["One", "two"]]
        assert "One and two" in shown[2].text
        assert len(shown[2].text) == 240
        assert (shown[2].text[0], shown[2].text[-1]) == ("…", "…")


def shown_of(text: str, word: str) -> str:
    message = MessageText(0, len(text), "user", text)
    (made,) = of_tokens([("m", message)], [word])
    (marked, *_) = made.ranges
    assert made.text[slice(*marked)] == word
    assert marked[0] < 60
    assert len(made.text) <= 240
    return made.text


def test_snippets_begin_and_end_at_words():
    long = " ".join(f"word{number:03}" for number in range(200))
    shown = shown_of(long, "word100")
    assert (shown[0], shown[-1]) == ("…", "…")
    words = shown.strip("…").split(" ")
    assert words == long.split(" ")[int(words[0][4:]) :][: len(words)]
    assert len(shown) > 200
    assert shown_of("short needle", "needle") == "short needle"
    beginning = shown_of(long, "word000")
    assert beginning.startswith("word000 word001")
    assert shown_of(long, "word199").endswith("word198 word199")


@given(st.text(" ab\n漢", max_size=400), st.text(" ab\n漢", max_size=400))
def test_the_match_is_visible_whatever_stands_around_it(before: str, after: str):
    shown = shown_of(f"{before}needle{after}", "needle")
    inner = shown.strip("…").replace(" ", "")
    assert inner in f"{before}needle{after}".replace("\n", "").replace(" ", "")


def test_two_daemons_that_share_a_store_never_disagree_with_a_fresh_scan(tmp_path: Path):
    """Each with a worker that fills the index, while files come, grow, change, move and go."""
    folder = tmp_path / "s"
    generated(folder, 9, 25)
    chosen = random.Random(11)
    path = str(tmp_path / "cache" / "sessiond" / "catalog-v6.sqlite3")
    stores = [SearchCache(path), SearchCache(path)]
    kept = [Listing(SessionScope(str(folder))) for _ in stores]
    stop = threading.Event()
    failures: list[BaseException] = []

    def filling(store: SearchCache) -> None:
        while not stop.is_set():
            try:
                sweep(store)
                fill(store, [item.path for item in sessions_in(folder, store)], alive, Faults())
            except (OSError, SessiondError, Unavailable):
                continue
            except BaseException as error:  # noqa: BLE001 - told by the test
                failures.append(error)
                return

    workers = [threading.Thread(target=filling, args=(store,)) for store in stores]
    for worker in workers:
        worker.start()
    try:
        for round_ in range(effort(8, 25)):
            for _ in range(4):
                churn(folder, chosen, round_)
            for number, store in enumerate(stores):
                kept[number] = kept[number].read(cache=store)
                fresh = sessions_in(folder)
                assert facts(kept[number].newest_first()) == facts(fresh)
                assert facts(sessions_in(folder, store)) == facts(fresh)
                for query in chosen.sample(QUERIES, 6):
                    hits = search(fresh, parse(query, "fuzzy"), store, alive).hits
                    found = [(hit.distance, hit.summary.path) for hit in hits]
                    assert found == naive(folder, query, scattered=True), query
    finally:
        stop.set()
        for worker in workers:
            worker.join()
        for store in stores:
            store.close()
    assert not failures


def facts(sessions) -> list[tuple]:
    return [
        (x.path, x.header.id, x.name, x.message_count, x.first_message, x.modified, x.state)
        for x in sessions
    ]


def churn(folder: Path, chosen: random.Random, round_: int) -> None:
    files = sorted(folder.glob("*.jsonl"))
    file = chosen.choice(files)
    text = " ".join(chosen.choices(WORDS, k=5))
    match chosen.choice(["new", "grow", "grow", "rewrite", "replace", "move", "delete", "name"]):
        case "new":
            write_session(folder / f"new{round_}-{chosen.random()}.jsonl", text)
        case "grow":
            with file.open("a") as out:
                out.write(json.dumps(message(0, text, round_ + 10)) + "\n")
        case "rewrite":
            write_session(file, text, name="rewritten")
        case "replace":
            write_session(folder / "beside.tmp", text, "replaced").rename(file)
        case "move":
            file.rename(folder / f"moved{round_}-{chosen.random()}.jsonl")
        case "delete":
            if len(files) > 10:
                file.unlink()
        case "name":
            with file.open("a") as out:
                out.write(json.dumps({"type": "session_info", "id": "i", "name": text}) + "\n")
