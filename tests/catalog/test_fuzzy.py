"""Scores of searches equal those of pi 1.6.0, by golden rows and by npm's own code."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest
from reference import pi as reference
from support.sessions_on_disk import write_session

from sessiond.catalog.listing import Listing
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.search.find import search
from sessiond.catalog.search.fuzzy import fuzzy_match
from sessiond.catalog.search.query import parse

# Measured on pi 1.6.0: what the session is, the query, the score (None: not found). Only where a
# session has no name do we go further: its first message is its title, and counts as a name does
# if characters are scattered over it.
GOLDEN = [
    ({"name": "brave"}, "brave", -184),
    ({"name": "brave"}, "BrAvE", -184),
    ({"name": "my brave x"}, "brave", -57.5),
    ({"session_id": "abc1024"}, "1024", 1_000_000),
    ({"messages": ["hello brave"]}, "brave", 1_000_000),
    ({"cwd": "/home/brave"}, "brave", 1_000_000),
    ({"name": "b-r-a-v-e"}, "brave", 1_999_955),
    ({"cwd": "/b/r/a/v/e"}, "brave", 1_999_960.5),
    ({"messages": ["b r a v e"]}, "brave", 1_999_955),
    ({"name": "x", "messages": ["b r a v e"]}, "brave", None),
    ({"name": "foo", "messages": ["bar"]}, "foo bar", 999_860.3),
    ({"messages": ["node\n  cve"]}, '"node cve"', 1_000_000),
    ({"name": "Node   CVE"}, '"node cve"', -297.2),
    ({"name": "x", "messages": ["node\ncve"]}, "nodecve", None),
    ({"name": "ab", "messages": ["cd"]}, "re:ab.*cd", None),
    ({"name": "Foo"}, "re:^foo$", 0),
    ({"session_id": "ab", "name": "cd"}, "abcd", None),
    ({"name": "5v"}, "v5", 1_999_880.1),
    ({"session_id": "a1b2c3"}, "abc", None),
]


@pytest.mark.parametrize(("session", "query", "score"), GOLDEN)
def test_a_session_has_the_score_that_pi_gives_it(tmp_path: Path, session, query, score):
    given = {**session}
    write_session(tmp_path / "s.jsonl", *given.pop("messages", ()), **given)
    sessions = Listing(SessionScope(str(tmp_path))).read().newest_first()
    hits = search(sessions, parse(query, "fuzzy"), None, lambda: None).hits
    assert [hit.distance for hit in hits] == (
        [] if score is None else [pytest.approx(score, abs=1e-9)]
    )


# Of pi-rules: an even number of quotes pairs, an odd one makes them characters like others.
@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ('foo"bar baz"qux', [("foo", False), ("bar baz", True), ("qux", False)]),
        ('a "b" "c', [("a", False), ('"b"', False), ('"c', False)]),
        ('""', []),
        ("  \u3000 ", []),
        ('"  Node \n CVE "', [("node cve", True)]),
        ("A\u00a0b", [("a", False), ("b", False)]),
        ('"', [('"', False)]),
    ],
)
@pytest.mark.parametrize("mode", ["text", "fuzzy"])
def test_a_query_falls_into_words_and_phrases(query, tokens, mode):
    assert [(token.text, token.phrase) for token in parse(query, mode).tokens] == tokens


def test_positions_are_counted_as_javascript_counts_them():
    # Two units before the blank, so the word begins at 3: -10 + 0.3, then a run.
    assert fuzzy_match("ab", "😀 ab") == pytest.approx(-10 + 0.3 - 5 + 0.4)


SCRIPT = """
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
const [bundle, directory] = process.argv.slice(1);
const { everything } = await import(pathToFileURL(bundle).href);
const { fuzzyMatch } = await everything(directory);
for await (const line of createInterface({ input: process.stdin })) {
  const { matches, score } = fuzzyMatch(...JSON.parse(line));
  console.log(JSON.stringify(matches ? score : null));
}
"""


@pytest.mark.node
@pytest.mark.skipif(reference.missing() is not None, reason=str(reference.missing()))
def test_scores_are_bit_for_bit_those_of_npm_s_pi():
    chosen = random.Random(5)
    letters = "aabbcc12 -_./:İßΣ漢😀\u00a0\u2028\ud83dA"

    def text(most: int) -> str:
        return "".join(chosen.choices(letters, k=chosen.randrange(most)))

    pairs = [(text(5), text(25)) for _ in range(3000)]
    # Queries that a text holds whole, after places where it has their characters apart.
    pairs += [(word := text(4), text(9) + word + text(9) + word + text(9)) for _ in range(2000)]
    pairs += [(text(4), word) for word in ("1ab", "ab1", "abc", "") for _ in range(100)]
    bundle = reference.DRIVER.with_name("bundle.mjs")
    arguments = ["-e", SCRIPT, str(bundle), str(reference.PI.directory)]
    done = subprocess.run(
        [reference.node() or "node", "--input-type=module", *arguments],
        input="".join(json.dumps(pair) + "\n" for pair in pairs),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    theirs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [fuzzy_match(*pair) for pair in pairs] == theirs
    assert len({score for score in theirs if score is not None}) > 100
