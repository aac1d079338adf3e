"""Every regular expression of the package takes linear time, whatever the text is.

Expressions are found by importing all modules. Each is tried on repetitions of its own parts: what
makes it begin to match again and again without ever ending is made of them.
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

ROOT = Path(__file__).parent.parent
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "sessiond").rglob("*.py"))
    if path.name != "__main__.py"
]
SIZE = 4_000
QUICK = 0.01
"""Seconds of processor time: 16,000 characters in less are not quadratic."""
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
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
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


ALL = list(expressions())


def hints(pattern: str) -> list[str]:
    """Return the parts that an expression is made of: its letters, signs and ranges."""
    literal = re.sub(r"\\([^\w\s])", r"\1", re.sub(r"\\[A-Za-z]|\(\?[<!=:a-zA-Z-]*", " ", pattern))
    words = re.findall(r"[A-Za-z]{2,}[\w-]*|[^\w\s\\]{1,5}", literal)
    signs = set(re.findall(r"[^\w\s]", literal))
    return sorted({*words, *signs, *"aA01 \n\t\0-_", "\\", '"', '\\"'}, key=len)[:80]


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Yield what is repeated, and what follows: single parts, and pairs of them."""
    source = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    parts = hints(source)
    yield from product(parts, ("", "\0", "x"))
    words = [part for part in parts if len(part) > 1][:12] or parts[:12]
    for one, two in product(words, parts):
        yield one + two, "\0"
        yield two + one, "\0"


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


def is_quadratic(expression: Expression, part: str, end: str) -> bool:
    def calls(size: int) -> Iterator[Callable[[], object]]:
        text: Any = part * (size // len(part)) + end
        if isinstance(expression.pattern.pattern, bytes):
            text = text.encode("latin-1", "replace")
        return uses_of(expression, text)

    # Four times the text takes four times as long, or sixteen times.
    return any(
        (slow := seconds(long)) > QUICK and slow > 9 * seconds(short)
        for short, long in zip(calls(SIZE), calls(4 * SIZE), strict=True)
    )


def test_the_expressions_are_found():
    names = {expression.name for expression in ALL}
    assert "sessiond.format.describe.secrets.FORMS[0]" in names
    assert len(ALL) > 80


@pytest.mark.parametrize("expression", ALL, ids=lambda each: each.name)
def test_an_expression_takes_linear_time(expression: Expression):
    attempts = attacks(expression.pattern)
    slow = next((each for each in attempts if is_quadratic(expression, *each)), None)
    assert slow is None


@pytest.mark.parametrize(
    ("pattern", "part"), [(r"(?<![A-Za-z0-9])eyJ[\w-]{8,}\.", "-eyJ"), (r"a+b", "a")]
)
def test_a_quadratic_expression_would_be_found(pattern: str, part: str):
    expression = Expression("example", re.compile(pattern), frozenset({"sub"}))
    assert part in {each for each, _ in attacks(expression.pattern)}
    assert is_quadratic(expression, part, "")
