"""Cues find what every expression over the whole text finds, and nothing else is masked."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import effort
from support.made_up_secrets import made_up_secrets
from support.ordinary_transcripts import ordinary_transcripts

from sessiond.format.describe import secret_forms
from sessiond.format.describe.secret_forms import FORMS, possible_forms
from sessiond.format.describe.secrets import holds_secret, masked

HEX = "0123456789abcdef"
WORD = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5kL7nP9rS1uV3xY5zA7cD9fG1iK3mO5qU7w"
SECRETS = [secret for _, secret in made_up_secrets(WORD, HEX)]
ADDRESS = "postgres://[masked: password]@h/db"


def naive(text: str) -> list[tuple[str, int, int]]:
    """Return what all expressions match in the whole text."""
    return sorted((form.name, *place) for form in FORMS for place in form.places(text))


def with_cues(text: str) -> list[tuple[str, int, int]]:
    forms = possible_forms(text.encode("utf-8", "surrogatepass"))
    return sorted((form.name, *place) for form in forms for place in form.places(text))


def pieces() -> st.SearchStrategy[str]:
    """Secrets, whole or cut or in other letters, with what may stand between them."""
    secrets = st.sampled_from(SECRETS)
    cut = st.builds(lambda text, at: text[:at], secrets, st.integers(0, 80))
    rest = st.builds(lambda text, at: text[at:], secrets, st.integers(0, 80))
    changed = st.builds(
        lambda text, change: change(text),
        secrets,
        st.sampled_from([str.upper, str.lower, str.swapcase, str.title]),
    )
    escaped = secrets.map(lambda text: text.replace('"', '\\"').replace("\n", "\\n"))
    between = st.sampled_from(
        [*" \n\t\"'`\\=:@/-_.$<>|é\u2028\x85\xa0\ud800", "=>", '": "', "\\n", "]: ", "--", "x1"]
    )
    return st.one_of(secrets, cut, rest, changed, escaped, between, st.text(max_size=6))


@given(st.lists(pieces(), max_size=8).map("".join))
def test_a_text_is_masked_as_if_every_expression_ran_over_all_of_it(text: str):
    assert with_cues(text) == naive(text)
    encoded = text.encode("utf-8", "surrogatepass")
    assert holds_secret(encoded) == bool(naive(encoded.decode(errors="replace")))


@pytest.mark.parametrize("secret", SECRETS)
def test_the_cue_of_every_form_is_in_its_secrets(secret: str):
    for text in (secret, f"\\n{secret}", secret.upper(), secret.lower(), f'"{secret}"'):
        assert with_cues(text) == naive(text)


@attrs.define
class _Counting:
    """Counts the searches of an expression, and the characters that it is given."""

    pattern: Any
    counts: Counter[str]

    def search(self, text: bytes) -> Any:
        self.counts["searches"] += 1
        self.counts["bytes"] += len(text)
        return self.pattern.search(text)


@pytest.mark.parametrize("secret", [*SECRETS, "password", "-----BEGIN ", "://a:b", "token=" * 3])
def test_each_cue_reads_a_text_once(secret: str, monkeypatch: pytest.MonkeyPatch):
    counts: Counter[str] = Counter()
    for name in ("_EXACT", "_FOLDED"):
        counted = [
            attrs.evolve(
                group,
                expression=_Counting(group.expression, counts),
                cues=[(_Counting(cue, counts), form) for cue, form in group.cues],
            )
            for group in getattr(secret_forms, name)
        ]
        monkeypatch.setattr(secret_forms, name, counted)
    figures = []
    for repeated in (10, 20, 40):
        counts.clear()
        list(possible_forms((secret * repeated).encode()))
        figures.append((counts["searches"], counts["bytes"] / repeated))
    assert figures[0] == figures[1] == figures[2]


def test_ordinary_transcripts_stay():
    for text in ordinary_transcripts(effort(1_000_000, 10_000_000)):
        assert re.findall(r".{0,40}\[masked", masked(text)) == []


def test_an_address_is_masked_as_far_as_its_password_goes():
    assert masked("postgres://u:hun@hunter22@h/db") == ADDRESS
    assert masked("postgres://u:hun/hunter22@h/db") == ADDRESS
    for plain in (
        "https://host:8080/user@example.com",
        "http://localhost:3000/@scope/package",
        "https://example.com/a:b@c",
    ):
        assert masked(plain) == plain


def test_a_program_that_looks_for_keys_is_no_key():
    for quote in ('"', "'", '\\"'):
        code = f"if {quote}-----BEGIN PRIVATE KEY-----{quote} in pem: return 1\nmore code"
        assert masked(code) == code
