"""No client has modules that import each other in a circle, not even for types alone.

The graphs are read from the source text. Go is left out: its compiler refuses circles of packages,
and the client is one package. In Emacs Lisp only `require` counts, since a command that is named
with `declare-function` is loaded when a person first uses it.
"""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parent.parent / "clients"
Graph = dict[str, set[str]]


def python() -> Graph:
    root = CLIENTS / "python"
    graph: Graph = {}
    for path in (root / "sessiond_client").rglob("*.py"):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        graph[name] = imported = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: a relative import"
                imported |= {f"{node.module}.{alias.name}" for alias in node.names}
                imported.add(node.module or "")
    # Every module imports its packages first, which is no circle.
    return {
        name: {each for each in imported & graph.keys() if not name.startswith(f"{each}.")}
        for name, imported in graph.items()
    }


def typescript() -> Graph:
    root = CLIENTS / "typescript" / "src"
    return {
        path.relative_to(root).as_posix(): {
            (path.parent / name).resolve().with_suffix(".ts").relative_to(root).as_posix()
            for name in re.findall(r'(?:from|import) "(\.[^"]+)"', path.read_text())
        }
        for path in root.resolve().rglob("*.ts")
    }


def rust() -> Graph:
    """`generated::types` is the module `types`, as it is called at the root of the crate."""
    paths = [path for path in (CLIENTS / "rust" / "src").rglob("*.rs") if path.stem != "mod"]
    graph = {}
    for path in paths:
        code = re.sub(r"//.*", "", path.read_text())
        assert not re.search(r"\bcrate::(?:generated::)?[{*]", code), f"{path}: name each module"
        graph[path.stem] = set(re.findall(r"\bcrate::(?:generated::)?(\w+)", code))
    unknown = set().union(*graph.values()) - graph.keys()
    assert not unknown, f"imported by way of lib.rs, which imports every module: {unknown}"
    return graph


def lua() -> Graph:
    root = CLIENTS / "neovim" / "lua"
    graph = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".init"): set(
            # `v:lua.require` is an expression of Vim, evaluated when the module is loaded.
            re.findall(r"""(?<!v:lua\.)\brequire\(?\s*["']([\w.]+)["']""", path.read_text())
        )
        for path in root.rglob("*.lua")
    }
    return {name: required & graph.keys() for name, required in graph.items()}


def emacs() -> Graph:
    graph = {
        path.stem: set(re.findall(r"\(require '([\w-]+)", path.read_text()))
        for path in (CLIENTS / "emacs").glob("*.el")
    }
    return {name: required & graph.keys() for name, required in graph.items()}


@pytest.mark.parametrize("read", [python, typescript, rust, lua, emacs])
def test_no_modules_of_a_client_import_each_other_in_a_circle(read: Callable[[], Graph]):
    graph = read()
    assert len(graph) > 5
    assert sum(map(len, graph.values())) >= len(graph) // 2
    assert circle(graph) == []


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b", "c"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"a"}}, ["a", "a"]),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}}, ["b", "c", "b"]),
    ],
)
def test_a_circle_is_recognised(graph: Graph, expected: list[str]):
    assert circle(graph) == expected


def circle(graph: Graph) -> list[str]:
    """Return the modules of one circle in the order of the imports; none if there is none."""
    done: set[str] = set()

    def visit(name: str, trail: list[str]) -> list[str]:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name not in done:
            for used in sorted(graph[name]):
                if result := visit(used, [*trail, name]):
                    return result
            done.add(name)
        return []

    for name in graph:
        if result := visit(name, []):
            return result
    return []
