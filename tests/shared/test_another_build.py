"""`pip install` of another build beside a running daemon: old clients keep theirs, new ones get it."""

import asyncio
import base64
import hashlib
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import sessiond_protocol
from support.client import Client, spawned
from support.every_method import Filling, every_request, lay
from support.fronts import Home

import sessiond
from sessiond import __version__

PACKAGES = [Path(package.__path__[0]) for package in (sessiond, sessiond_protocol)]
INFO = f"sessiond-{__version__}.dist-info"
METADATA = f"Metadata-Version: 2.1\nName: sessiond\nVersion: {__version__}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"

# The other build names differently what modules import from each other, early and late ones.
RENAMED = re.compile(rb"\b(go_on|in_context|Faults|Summary|Stamp|Moment)\b")


def wheel(directory: Path, *, renamed: bool) -> Path:
    """A wheel of this code, or of a build of the same version that works alike."""
    directory.mkdir()
    made = directory / f"sessiond-{__version__}-py3-none-any.whl"
    recorded = []
    with zipfile.ZipFile(made, "w") as archive:

        def add(name: str, data: bytes) -> None:
            archive.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            recorded.append(f"{name},sha256={digest},{len(data)}")

        for package in PACKAGES:
            for path in package.rglob("*"):
                if path.is_dir() or "__pycache__" in path.parts:
                    continue
                data = path.read_bytes()
                if renamed and path.suffix == ".py":
                    data = RENAMED.sub(rb"\1_of_another_build", data)
                add(str(path.relative_to(package.parent)), data)
        add(f"{INFO}/METADATA", METADATA.encode())
        add(f"{INFO}/WHEEL", WHEEL.encode())
        archive.writestr(f"{INFO}/RECORD", "\n".join([*recorded, f"{INFO}/RECORD,,", ""]))
    return made


class Installation:
    """A virtual environment with one build, and the libraries of this one."""

    def __init__(self, directory: Path) -> None:
        venv.create(directory, with_pip=False)
        self.python = str(directory / "bin" / "python")
        (site,) = directory.glob("lib/python*/site-packages")
        (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def install(self, built: Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check"]
        options = ["--no-index", "--no-deps", "--no-compile", "--force-reinstall", "--quiet"]
        subprocess.run([*pip, "install", *options, str(built)], check=True, timeout=120)

    @asynccontextmanager
    async def front(self, home: Home, *options: str) -> AsyncIterator[tuple[Client, int]]:
        command = [self.python, "-P", "-m", "sessiond", "--shared", *options]
        async with spawned(command, env=home.env()) as (client, _):
            status = await client.request("daemon/status")
            assert status["shared"]
            home.daemons.add(status["pid"])
            yield client, status["pid"]


async def test_another_build_is_installed_over_a_running_daemon(home: Home, tmp_path: Path):
    state = home.path / "state"
    lay(state)
    where = ("--profile", "coderclaw", "--agent-dir", str(state))
    one, other = (wheel(tmp_path / name, renamed=name == "other") for name in ("one", "other"))
    installed = Installation(tmp_path / "venv")
    await asyncio.to_thread(installed.install, one)
    async with installed.front(home, *where) as (old, first):
        await asyncio.to_thread(installed.install, other)
        await served(old, state)
        async with installed.front(home, *where) as (new, second):
            assert second != first
            assert (await new.request("session/listAll"))["total"] > 0
        await old.request("session/listAll")


async def served(client: Client, state: Path) -> None:
    """Call every method that a client can call at this daemon."""
    filling = Filling()
    await client.request("initialize", {})
    for asked in every_request(state):
        filling.keep(asked.method, await client.request(asked.method, filling.filled(asked.params)))
    regex = {"query": "s.id", "mode": "regex"}
    assert (await client.request("catalog/search", regex))["total"] > 0
