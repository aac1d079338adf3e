"""Commands and links in the documentation work."""

import importlib
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner
from support.process import isolated_environment

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = {
    path: path.read_text()
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("clients/*/README.md"),
        *ROOT.glob("protocol/**/README.md"),
    )
}
OURS = README + "".join(text for path, text in PAGES.items() if path.parent.name == "docs")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(OURS)
README_BLOCKS = {
    kind: [text for language, text in BLOCK.findall(README) if language == kind]
    for kind in ("sh", "console", "python")
}


def block(language: str, mark: str) -> str:
    (found,) = [text for kind, text in BLOCKS if kind == language and mark in text]
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory; `sessiond` on its path is the daemon under test."""
    program = tmp_path / "bin/sessiond"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m sessiond "$@"\n')
    program.chmod(0o755)
    return tmp_path


def run(
    place: Path, *command: str, cwd: Path | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    path = f"{place / 'bin'}:{os.environ['PATH']}"
    env = isolated_environment(place, PYTHONUTF8="1", PATH=path)
    return subprocess.run(
        command,
        cwd=cwd or place,
        env=env,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=True,
    )


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home directory of somebody who did what "Install" says, in an environment of its own."""
    home = tmp_path_factory.mktemp("visitor")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    sessions = importlib.import_module("sessions")
    sessions.write(home)
    commands = next(text for text in README_BLOCKS["sh"] if "pip install" in text)
    done = run(home, "sh", "-ec", commands, cwd=ROOT, timeout=600)
    assert "Race condition in the checkout" in done.stdout
    assert (home / "share/man/man1/sessiond.1").is_file()
    return home


@pytest.mark.slow
@pytest.mark.timeout(700)
def test_what_the_readme_shows_in_a_terminal_is_what_an_installation_prints(visitor: Path):
    (shown,) = README_BLOCKS["console"]
    terminal = importlib.import_module("terminal")
    times = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d|^ *\d+[mhd] ", re.MULTILINE)
    examples = re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", shown, re.MULTILINE)
    assert len(examples) > 2
    for command, expected in examples:
        words = ["sh", "-c", f"PATH={visitor}/bin:$PATH {command}"]
        printed = terminal.STYLES.sub("", terminal.output(words, visitor))
        lines = [line.rstrip() for line in times.sub("", printed).splitlines()]
        assert lines == [line.rstrip() for line in times.sub("", expected).splitlines()], command


@pytest.mark.slow
@pytest.mark.timeout(700)
def test_every_command_of_the_readme_works_after_its_installation(visitor: Path):
    for commands in README_BLOCKS["sh"]:
        if "pip install" not in commands:
            done = run(visitor, "sh", "-ec", commands)
            assert done.stderr == ""
    assert '"messages":[{"role":"user","content":"hello"}]' in done.stdout.splitlines()[-1]
    assert "Race condition" in (visitor / "race.html").read_text()
    (program,) = README_BLOCKS["python"]
    printed = run(visitor, "python", "-c", f"{program}\ndaemon.communicate()").stdout
    assert printed.splitlines()[0].startswith("/home/me/shop Two checkouts at once")
    assert len(printed.splitlines()) == 3


def test_the_readme_is_short_and_its_ids_are_not_ambiguous():
    assert len(README.splitlines()) <= 150
    (shown,) = README_BLOCKS["console"]
    ids = re.findall(r"^ *\d+[mhd] +(\w+) ", shown, re.MULTILINE)
    named = re.findall(r"sessiond (?:show|tree|export) (\w+)", "".join(README_BLOCKS["sh"]))
    assert named
    assert all(len([each for each in ids if each.startswith(name)]) == 1 for name in named)


def test_the_question_to_a_gateway_works(place: Path):
    done = run(place, "sh", "-c", block("sh", "gateway/begin"))
    result = json.loads(done.stdout)["result"]
    assert result["sessionKey"] == "agent:main:telegram:group:-100"
    assert (result["isNewSession"], result["bodyStripped"]) == (True, "plan the release")
    assert Path(result["sessionFile"]).is_relative_to(place / ".coderclaw/agents/main/sessions")
    assert Path(result["sessionFile"]).exists()


def test_installing_needs_nothing_but_a_checkout():
    """No repository and no package index has sessiond."""
    text = OURS + (ROOT / "pyproject.toml").read_text()
    assert "github.com/sessiond" not in text
    named = set(re.findall(r"(?:pip|pipx|uv tool) install ['\"]?([^-\s`'\"\[]+)", OURS))
    assert named == {"."}


def files_for_users() -> Iterator[Path]:
    """The files of the daemon, of the clients and of the documentation."""
    skipped = {"node_modules", "dist", "build", "target", "media", "__pycache__", ".cache"}
    for root in (ROOT / "sessiond", ROOT / "clients", ROOT / "docs"):
        for folder, names, files in os.walk(root):
            names[:] = [name for name in names if name not in skipped]
            yield from (Path(folder) / name for name in files)


def test_nothing_names_a_place_where_sessiond_is_not_published():
    named = re.compile(
        rb"github\.com/sessiond|['\"]sessiond/sessiond"
        rb"|(?:pip|pipx|uv tool) install ['\"]?sessiond|npm install sessiond"
    )
    found = [path for path in files_for_users() if named.search(path.read_bytes())]
    assert found == []


def test_every_target_the_readme_names_is_in_the_makefile():
    targets = set(re.findall(r"(?:^|`)make ([a-z-]+)", OURS, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text()
    assert targets
    assert [name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def anchors(text: str) -> set[str]:
    """The ids that headings get where the pages are shown."""
    titles = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_into_the_repository_leads_somewhere(page: Path):
    links = re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", PAGES[page])
    broken = []
    for link in links:
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            broken.append(link)
    assert not broken


def test_the_package_index_shows_the_readme_with_links_that_lead_there(
    monkeypatch: pytest.MonkeyPatch,
):
    # The build backend is not installed here.
    interface = ModuleType("hatchling.metadata.plugin.interface")
    monkeypatch.setattr(interface, "MetadataHookInterface", object, raising=False)
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    hook = runpy.run_path(str(ROOT / "dev/release/long_description.py"))
    repository = "https://example.com/repository"
    shown = hook["without_relative_links"](README, repository)
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", shown)
    assert len(links) > 20
    for image, link in links:
        assert re.match("https?:|#", link)
        kind = "raw" if image else "blob"
        own = link.partition(f"{repository}/{kind}/main/")[2]
        assert own == "" or (ROOT / own.partition("#")[0]).is_file(), link
    assert shown.count("/raw/main/") == README.count("![")
    plain = hook["without_relative_links"](README, None)
    assert not re.search(r"\]\((?!https?:|#)", plain)
    assert "documentation" in plain.lower()


@pytest.mark.parametrize("client", ["python", "rust", "typescript"])
def test_registries_show_no_relative_links(client: str):
    text = (ROOT / "clients" / client / "README.md").read_text()
    assert not re.search(r"\]\((?!https?:|#)", text)


def test_commands_the_readme_shows_exist(place: Path):
    shells = "".join(text for kind, text in BLOCKS if kind in {"sh", "console"})
    shown = set(re.findall(r"^(?:\$ )?sessiond ([a-z]+)", shells, re.MULTILINE))
    assert len(shown) > 10
    known = run(place, "sessiond", "help").stdout
    for name in shown - {"help"}:
        assert re.search(rf"^  (?:[a-z]+, )*{name}[, ]", known, re.MULTILINE)


def words(text: str) -> int:
    """Return how many words a page has by hand, code and output included."""
    by_hand = re.sub(r"<!-- methods -->.*<!-- /methods -->", "", text, flags=re.DOTALL)
    return sum(any(map(str.isalnum, word)) for word in by_hand.split())


def test_the_pages_are_no_longer_than_somebody_reads():
    # Pages that came later have limits of their own.
    limits = {
        "docs/development.md": 1500,
        "docs/acp.md": 700,
        "docs/masks.md": 600,
        "docs/reference.md": 100,
        "docs/sync.md": 900,
        "CONTRIBUTING.md": 700,
        "ARCHITECTURE.md": 2500,
    }
    counts = {str(path.relative_to(ROOT)): words(text) for path, text in PAGES.items()}
    assert {path: counts[path] for path, limit in limits.items() if counts[path] > limit} == {}
    docs = {
        path: n for path, n in counts.items() if path.startswith("docs/") and path not in limits
    }
    assert sum(docs.values()) <= 15_000, docs


def test_every_command_has_an_example_that_it_understands():
    page = PAGES[ROOT / "docs/commands.md"]
    blocks = [text for kind, text in BLOCK.findall(page) if kind == "sh"]
    rows = re.findall(r"^\| (`.*`) \| .* \| `(sessiond .*)` \|$", page, re.MULTILINE)
    examples = [*"".join(blocks).splitlines(), *(example for _, example in rows)]
    commands = importlib.import_module("sessiond.cli.main").command_line
    for example in examples:
        program, *words = shlex.split(example)
        assert program == "sessiond"
        # The command prints its help instead, but first it refuses options that it does not have.
        done = CliRunner().invoke(commands, [*words, "--help"])
        assert done.exit_code == 0, (example, done.output)
    shown = {shlex.split(example)[1] for example in examples}
    shown |= {name for names, _ in rows for name in re.findall(r"`([a-z]+)", names)}
    assert shown == set(commands.list_commands(click.Context(commands))) - {"serve"}


def test_the_tasks_of_clients_are_those_of_their_programs():
    page = ROOT / "docs/clients.md"
    section = page.read_text().partition("## How do I")[2].partition("\n## ")[0]
    programs = [page.parent / each for each in re.findall(r"\((\.\./clients/[^)]*)\)", section)]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:2] == "| "]
    assert (len(programs), len(rows)) == (6, 1 + 12)
    for task, *cells in rows[1:]:
        for program, cell in zip(programs, cells, strict=True):
            assert cell == "nothing" or cell.strip("`") in program.read_text(), (task, program)


def test_the_tests_that_show_security_exist():
    text = (ROOT / "SECURITY.md").read_text()
    named = set(re.findall(r"`(tests/[^`]+)`", text))
    assert len(named) > 30
    for name in named:
        path, *parts = name.split("::")
        source = (ROOT / path).read_text()
        for part in parts:
            kind = "class" if part[0].isupper() else "(?:async )?def"
            assert re.search(rf"^ *{kind} {part}\b", source, re.MULTILINE), name
    rows = [line for line in text.splitlines() if line.startswith("| ") and "threat" not in line]
    threats = [row for row in rows if row.count("|") == 3 and not row.startswith("| who")]
    assert [row for row in threats if "`tests/" not in row] == []
