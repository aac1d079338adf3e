"""Every regular expression of the package takes linear time, whatever the text is.

Expressions are found by importing all modules. Each is tried on its own parts: what makes it begin
to match again and again without ever ending is made of them. Single parts and pairs are repeated;
and the words of the expression stand in its own order, with more and more of one part between them.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.effort import effort

ROOT = Path(__file__).parent.parent
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "sessiond").rglob("*.py"))
    if path.name != "__main__.py"
]
SIZE = 2_000
GAPS = (4, 16, 64)
"""How often a part is repeated between two words: bounds of repetitions are often 16 or 255."""
QUICK = 0.005
"""Seconds of processor time: 8,000 characters in less are not quadratic."""
METHODS = ("search", "match", "fullmatch", "finditer", "sub", "split", "findall", "scanner")


@attrs.frozen
class Expression:
    """A compiled expression, and the methods by which the package uses it."""

    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


def patterns_in(value: Any) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns that a value of a module has: itself, or in a collection or a record."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from patterns_in(each)
    elif isinstance(value, dict):
        yield from patterns_in(list(value.values()))
    elif attrs.has(type(value)) and type(value).__module__.startswith("sessiond"):
        yield from patterns_in([getattr(value, field.name) for field in attrs.fields(type(value))])


def uses(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield (name, method) for every `name.method` that a module has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.value.id, node.attr


def expressions() -> Iterator[Expression]:
    used: dict[str, set[str]] = {}
    for name in MODULES:
        path = ROOT.joinpath(*name.split("."))
        # A directory may be all that is left of a package that has become a module.
        package = path / "__init__.py"
        path = package if package.exists() else path.with_suffix(".py")
        for variable, method in uses(ast.parse(path.read_text())):
            if method in METHODS:
                # Private names are those of one module; public ones may be used anywhere.
                key = f"{name}.{variable}" if variable.startswith("_") else variable
                used.setdefault(key, set()).add(method)
    seen: set[int] = set()
    for name in MODULES:
        for variable, value in vars(import_module(name)).items():
            for number, pattern in enumerate(patterns_in(value)):
                if id(pattern) in seen:
                    continue
                seen.add(id(pattern))
                key = f"{name}.{variable}" if variable.startswith("_") else variable
                methods = frozenset(used.get(key, ())) or frozenset({"finditer"})
                yield Expression(f"{name}.{variable}[{number}]", pattern, methods)


def hints(pattern: str) -> list[str]:
    """Return the parts that an expression is made of: its letters, signs and ranges."""
    literal = re.sub(r"\\([^\w\s])", r"\1", re.sub(r"\\[A-Za-z]|\(\?[<!=:a-zA-Z-]*", " ", pattern))
    words = re.findall(r"[A-Za-z]{2,}[\w-]*|[^\w\s\\]{1,5}", literal)
    signs = set(re.findall(r"[^\w\s]", literal))
    return sorted({*words, *signs, *"aA01 \n\t\0-_", "\\", '"', '\\"'}, key=len)[:80]


Attack = Callable[[int], str]
"""Makes a hostile text; with four times the size it is four times as long."""


def source_of(pattern: re.Pattern[Any]) -> str:
    source = pattern.pattern
    return source if isinstance(source, str) else source.decode("latin-1")


def repetition(part: str, end: str) -> Attack:
    return lambda size: part * (size // len(part)) + end


def repetitions(source: str) -> Iterator[tuple[str, Attack]]:
    """Yield repetitions of single parts, and of pairs."""
    parts = hints(source)
    words = [part for part in parts if len(part) > 1][:8] or parts[:8]
    ends = list(product(parts, ("", "\0", "x")[: effort(2, 3)]))
    pairs = {pair for one, two in product(words, parts) for pair in (one + two, two + one)}
    for part, end in ends + [(pair, "\0") for pair in sorted(pairs)]:
        yield f"{part!r} and {end!r}", repetition(part, end)


def sequences(source: str) -> Iterator[tuple[str, Attack]]:
    """Yield the first words of an expression in its order, with more and more between them."""
    literal = re.sub(r"\(\?P<\w+>|\\[A-Za-z]|\[[^]]*\]", " ", source)
    words = re.findall(r"[A-Za-z]{3,}|:/{2}|-{2,}", literal)
    parts = [part for part in hints(source) if len(part) <= 2]
    gaps = [*parts, "\\n", "\\\\n", " a", "\\na", "a\\n"]
    for count, gap in product(range(1, min(len(words), 5) + 1), dict.fromkeys(gaps)):

        def made(size: int, count: int = count, gap: str = gap) -> str:
            return "".join(f"{word}{gap * size}" for word in words[:count])

        yield f"{words[:count]} with {gap!r} between", made


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call, the least of a few."""
    least = float("inf")
    for _ in range(3):
        begin = time.thread_time()
        work()
        least = min(least, time.thread_time() - begin)
        if least < QUICK:
            break
    return least


def uses_of(expression: Expression, text: Any) -> Iterator[Callable[[], object]]:
    pattern = expression.pattern
    for method in expression.methods & {"match", "fullmatch"}:
        yield lambda method=method: getattr(pattern, method)(text)
    if expression.methods - {"match", "fullmatch"}:
        yield lambda: sum(1 for _ in pattern.finditer(text))


def grows(expression: Expression, attack: Attack, size: int) -> bool:
    """Whether four times the text takes more than nine times as long; quadratic is sixteen."""

    def calls(size: int) -> Iterator[Callable[[], object]]:
        text: Any = attack(size)
        if isinstance(expression.pattern.pattern, bytes):
            text = text.encode("latin-1", "replace")
        return uses_of(expression, text)

    return any(
        (slow := seconds(long)) > QUICK and slow > 9 * seconds(short)
        for short, long in zip(calls(size), calls(4 * size), strict=True)
    )


def found_slow(expression: Expression) -> str | None:
    """Return what an expression takes more than linear time for."""
    source = source_of(expression.pattern)
    for name, attack in sequences(source):
        if any(grows(expression, attack, size) for size in GAPS):
            return name
    for name, attack in repetitions(source):
        if grows(expression, attack, SIZE):
            return name
    return None


@pytest.mark.timeout(600)
def test_every_expression_takes_linear_time():
    # Found here, and not for a test each, because every process of the tests would import all.
    found = list(expressions())
    assert "sessiond.format.describe.secret_forms.FORMS[0]" in {each.name for each in found}
    assert len(found) > 80
    assert {each.name: slow for each in found if (slow := found_slow(each)) is not None} == {}


GAP = r"(?:\s|\\[nrt]){1,16}"
NAME = r"\S{1,255}?"


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<![A-Za-z0-9])eyJ[\w-]{8,}\.",
        r"a+b",
        f"machine{GAP}{NAME}{GAP}login{GAP}{NAME}{GAP}password",
    ],
)
def test_an_expression_that_is_not_linear_is_found(pattern: str):
    expression = Expression("example", re.compile(pattern), frozenset({"sub"}))
    assert found_slow(expression) is not None
