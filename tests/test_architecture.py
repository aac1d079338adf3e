"""The invariants of ARCHITECTURE.md that can be checked by reading the code."""

import ast
import functools
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from sessiond_protocol.registry import METHODS

from sessiond.agents.registry import AGENTS
from sessiond.methods.table import FAMILIES

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "sessiond"
MODULES = sorted(PACKAGE.rglob("*.py"))
CONTRACT = sorted((ROOT / "protocol" / "sessiond_protocol").rglob("*.py"))
TARGETS = sorted((ROOT / "protocol" / "targets").rglob("*.py"))

# From low to high; a module imports from its own group and from groups before it.
GROUPS = [
    # What passes streams to a shared daemon needs the standard library alone.
    {"shared.front"},
    {"runtime"},
    {"text"},
    {"format"},
    {"files"},
    {"agents"},
    {"catalog"},
    {"sessions"},
    {"rpc"},
    {"methods"},
    {"daemon"},
    {"shared"},
    {"cli"},
    {"gateway", "lsp", "mcp", "postgres", "sync"},
    {"__main__"},
]
GROUP_OF = {name: number for number, names in enumerate(GROUPS) for name in names}


def dotted(path: Path) -> str:
    """Return the name under which a module is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removeprefix("protocol.").removesuffix(".__init__")


def of_every_module(check: Callable[[Path], None]) -> Callable[[], None]:
    """Make one test of a rule for each module; a failure names the modules that break it."""

    def test() -> None:
        broken = []
        for path in MODULES:
            try:
                check(path)
            except AssertionError as error:
                broken.append(f"{dotted(path)}: {error}")
        assert not broken, "\n".join(broken)

    test.__name__, test.__doc__ = check.__name__, check.__doc__
    return test


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def imports(path: Path) -> set[str]:
    """The modules that a file imports, wherever in the file that happens."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            found |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def group(module: str) -> int | None:
    inside = module.partition("sessiond.")[2].split(".")
    own = GROUP_OF.get(".".join(inside[:2]))
    return GROUP_OF.get(inside[0]) if own is None else own


@of_every_module
def test_a_module_imports_nothing_from_the_layers_above_it(path: Path):
    own = group(dotted(path))
    above = {name for name in imports(path) if own is not None and (group(name) or 0) > own}
    assert not above


def test_the_packages_make_a_house_of_few_floors():
    """Imports for type checkers alone count, too. `shared/front` belongs to `shared`."""
    uses: dict[str, set[str]] = {}
    for path in MODULES:
        parts = dotted(path).split(".")
        if len(parts) > 1:
            used = {name.split(".")[1] for name in imports(path) if name.startswith("sessiond.")}
            uses[parts[1]] = uses.get(parts[1], set()) | used - {parts[1], "__version__"}
    assert len(uses.keys() - {"__main__", "daemon"}) <= 18
    floors = 0
    while uses:
        floors += 1
        ground = {name for name, used in uses.items() if not used & uses.keys()}
        assert ground, f"a circle among {sorted(uses)}"
        for name in ground:
            del uses[name]
    assert floors <= 12


@of_every_module
def test_every_module_belongs_to_a_layer(path: Path):
    assert path == PACKAGE / "__init__.py" or group(dotted(path)) is not None


@pytest.mark.parametrize("modules", [MODULES, CONTRACT, TARGETS], ids=lambda all_: dotted(all_[0]))
def test_modules_do_not_import_each_other_in_a_circle(modules: list[Path]):
    """Imports for type checkers alone count: a reader follows them, too."""
    known = {dotted(path): imports(path) for path in modules}
    edges = {
        name: {used for used in uses if used in known} - {name} for name, uses in known.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join((*trail, name))
        if name not in done:
            for used in edges[name]:
                # A package's __init__ is imported on the way to any module of it.
                if not name.startswith(used + "."):
                    visit(used, (*trail, name))
            done.add(name)

    for name in known:
        visit(name, ())


@pytest.mark.parametrize(
    ("library", "home"),
    [
        ("watchfiles", "sessiond.files.watch_source"),
        ("psycopg", "sessiond.postgres"),
        ("pygls", "sessiond.lsp"),
        ("lsprotocol", "sessiond.lsp"),
        ("zstandard", "sessiond.agents.zstd"),
        ("re2", "sessiond.catalog.search.expression"),
    ],
)
def test_a_framework_is_imported_in_one_place_only(library: str, home: str):
    users = {
        dotted(path)
        for path in MODULES
        if any(name.split(".")[0] == library for name in imports(path))
    }
    assert all(user.startswith(home) for user in users)


def test_the_contract_does_not_import_the_daemon():
    used = set().union(*(imports(path) for path in CONTRACT))
    assert not {name for name in used if name.split(".")[0] == "sessiond"}


def test_every_method_is_answered_from_the_package_of_its_family():
    homes: dict[str, str] = {}
    packages = {path.parent.name: path.parent for path in PACKAGE.glob("methods/*/__init__.py")}
    # An annex has methods of its own.
    packages |= {path.parent.name: path for path in PACKAGE.glob("*/methods") if path.is_dir()}
    for family, package in packages.items():
        for path in package.glob("*.py"):
            for name in getattr(import_module(dotted(path)), "METHODS", {}):
                assert name not in homes, f"{name} is answered twice"
                homes[name] = family
    families = {name: name.partition("/")[0] for name in METHODS}
    # The table names the annex that answers a method of another family.
    known = METHODS.keys() | packages.keys()
    annexes = {name: family.package.split(".")[1] for name, family in FAMILIES.items()}
    families |= {name: each for name, each in annexes.items() if {name, each} <= known}
    # Methods of the connection have names that LSP and OpenRPC chose; `rpc/` cancels by itself.
    wanted = {
        name: family if family in packages else "connection"
        for name, family in families.items()
        if name != "$/cancelRequest"
    }
    assert homes == wanted


def definitions(paths: list[Path], kind: type[ast.AST]) -> Iterator[tuple[Path, Any]]:
    for path in paths:
        for node in ast.walk(parsed(path)):
            if isinstance(node, kind):
                yield path, node


SPELLING = {
    *("session_info", "branch_summary", "context_edit", "custom_message", "model_change"),
    *("compactionSummary", "branchSummary", "toolResult", "bashExecution", "toolCall"),
    *("firstKeptEntryId", "targetId", "appendParentId", "fromId", "customType", "parentSession"),
}
"""Types, roles and members of session lines."""


@pytest.mark.parametrize(
    "package",
    ["files", "catalog", "gateway", "sessions", "methods", "postgres", "rpc", "shared"],
)
def test_only_the_format_knows_the_spelling_of_lines(package: str):
    for path in (PACKAGE / package).rglob("*.py"):
        texts = {node.value for _, node in definitions([path], ast.Constant)}
        assert not {text for text in texts if isinstance(text, str | bytes)} & SPELLING, path


def test_test_modules_outside_packages_have_names_of_their_own():
    """pytest imports them under their bare names."""
    homes: dict[str, list[str]] = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        if not (path.parent / "__init__.py").exists():
            homes.setdefault(path.name, []).append(str(path.relative_to(ROOT)))
    assert not {name: paths for name, paths in homes.items() if len(paths) > 1}


# Within other words the letters name nobody.
AGENT_NAMES = re.compile(
    rf"(?<![a-z])(?:{'|'.join(name for name in AGENTS if name != 'pi')})(?![a-z])"
)
SPELLED_ELSEWHERE = {
    # The word that keeps old versions of this agent from removing the locks of a shared daemon.
    "sessiond.shared.front.main": {"openclaw"},
    # The default profile of `sessiond gateway`.
    "sessiond.gateway.command": {"coderclaw"},
}


@of_every_module
def test_only_rooms_and_the_format_name_an_agent(path: Path):
    """In what runs: comments and docstrings may name whoever is meant."""
    name = dotted(path)
    if name.startswith(("sessiond.agents", "sessiond.format")):
        return
    tree = parsed(path)
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    spelled = {
        str(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in texts
    }
    spelled |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    spelled |= imports(path)
    found = {text for text in spelled if AGENT_NAMES.search(text.lower())}
    assert found == SPELLED_ELSEWHERE.get(name, set())


MEMBERS = {"role", "content", "usage", "tool_call", "toolCall", "parentSession", "parent_session"}


@of_every_module
def test_only_rooms_and_the_format_decode_members_of_lines(path: Path):
    """A struct decodes JSON: one with such a member would be another reading of lines.

    Those of MCP are answers to its clients.
    """
    if dotted(path).startswith(("sessiond.agents", "sessiond.format", "sessiond.mcp")):
        return
    for _, node in definitions([path], ast.ClassDef):
        if any(ast.unparse(base).endswith("Struct") for base in node.bases):
            fields = {
                each.target.id
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            }
            assert not fields & MEMBERS, node.name


OPENINGS = re.compile(r"(?:That|Those|Of|What|Whose|Who|Whoever)\b")


@of_every_module
def test_a_docstring_stands_alone(path: Path):
    """It begins with a verb, or a noun with its article. Attributes have docstrings, too."""
    texts = (
        node.value.value
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
    assert not [text for text in texts if isinstance(text, str) and OPENINGS.match(text)]


def test_the_walks_name_modules_that_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    walks = text.partition("## One request")[2].partition("\n## ")[0]
    walks += text.partition("## Two more walks")[2].partition("\n## ")[0]
    named = re.findall(r"`([\w/]+\.py)`", walks)
    assert len(named) > 30
    assert not [name for name in named if not (PACKAGE / name).is_file()]
