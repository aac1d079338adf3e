"""Commands and links in the documentation work."""

import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
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
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", OURS, re.MULTILINE | re.DOTALL)


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


def run(place: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = f"{place / 'bin'}:{os.environ['PATH']}"
    env = isolated_environment(place, PYTHONUTF8="1", PATH=path)
    return subprocess.run(
        command, cwd=place, env=env, capture_output=True, text=True, timeout=60, check=True
    )


def test_the_quick_start_in_the_shell_works(place: Path):
    done = run(place, "sh", "-c", block("sh", "session/inMemory"))
    assert '"messages":[{"role":"user","content":"hello"}]' in done.stdout.splitlines()[-1]
    assert done.stderr == ""


def test_the_quick_start_in_python_works(place: Path):
    encoded = str(place.resolve()).lstrip("/").replace("/", "-")
    folder = place / ".pi/agent/sessions" / f"--{encoded}--"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text(
        '{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n'
        '{"type":"custom","customType":"c","id":"one","parentId":null}\n'
    )
    program = block("python", "session/continueRecent") + "\ndaemon.communicate()\n"
    assert run(place, sys.executable, "-c", program).stdout == "custom one\n"


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
        assert own == "" or (ROOT / own).is_file(), link
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
