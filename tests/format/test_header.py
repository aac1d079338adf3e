from __future__ import annotations

import math

import pytest

from sessiond.format.header import new_header_line, parse_header


def test_a_new_header_is_the_one_pi_writes() -> None:
    assert new_header_line("i", "t", "/é") == (
        '{"type":"session","version":3,"id":"i","timestamp":"t","cwd":"/é"}'.encode()
    )
    assert new_header_line("i", "t", "/", "/p").endswith(b',"cwd":"/","parentSession":"/p"}')


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"message","id":"a"}',
        b'{"type":"session"}',
        b'{"type":"session","id":1}',
        b"[]",
        b"7",
    ],
)
def test_other_values_are_not_headers(line: bytes) -> None:
    assert parse_header(line) is None


@pytest.mark.parametrize(
    ("version", "number"),
    [
        (b"", 1),
        (b',"version":null', 1),
        (b',"version":2', 2),
        (b',"version":"3"', 3),
        (b',"version":true', 1),
    ],
)
def test_the_version_is_compared_as_javascript_would(version: bytes, number: float) -> None:
    header = parse_header(b'{"type":"session","id":"a"' + version + b"}")
    assert header is not None
    assert header.version == number


def test_a_version_that_is_not_a_number_is_unknown() -> None:
    header = parse_header(b'{"type":"session","id":"a","version":"new"}')
    assert header is not None
    assert math.isnan(header.version)
    assert not header.is_known


@pytest.mark.parametrize(
    ("members", "parent"),
    [
        (b"", None),
        (b',"branchedFrom":"/b"', "/b"),
        (b',"branchedFrom":"/b","parentSession":"/p"', "/p"),
        (b',"parentSession":5', None),
    ],
)
def test_the_parent_is_parentsession_else_branchedfrom(members: bytes, parent: str | None) -> None:
    header = parse_header(b'{"type":"session","id":"a"' + members + b"}")
    assert header is not None
    assert header.parent_session == parent
    assert header.cwd is None
