"""Build every artifact into `dist/` and prove each one: `make dist`, or `dist.py NAME...` for some.

A proof installs the artifact in an empty directory, as its users do, and holds one conversation
with the daemon of the wheel: create a session in memory, append a message, read it back. An
artifact is skipped with a message if its toolchain is missing; if `CI` is set, that is a failure.
What the registry of a package checks before it takes one is checked, too, and nothing is uploaded.

The same commit gives the same bytes: times in archives are those of the commit, or what the
variable SOURCE_DATE_EPOCH says. `SHA256SUMS` has the digests, and `sessiond-VERSION.cdx.json` names
everything that an installation of the daemon consists of (CycloneDX).
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "clients"
CONVERSATIONS = ROOT / "dev/release/conversations"
CONSTRAINTS = ROOT / "constraints.txt"
TOOLS = ROOT / "dev/release/requirements.txt"
DIST = ROOT / "dist"
SUMS = DIST / "SHA256SUMS"
EXPECTED = "user: hello"
"""The line that every conversation prints."""

Environment = Mapping[str, str]


def main(wanted: list[str]) -> int:
    if unknown := set(wanted) - set(ARTIFACTS):
        print(f"no such artifact: {', '.join(sorted(unknown))}; choose from {', '.join(ARTIFACTS)}")
        return 2
    if not wanted:
        shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir(exist_ok=True)
    os.environ.setdefault("SOURCE_DATE_EPOCH", run("git", "log", "-1", "--format=%ct", cwd=ROOT))
    said = {}
    with tempfile.TemporaryDirectory(prefix="sessiond-dist-") as directory:
        environment = daemon(Path(directory))
        for name in wanted or ARTIFACTS:
            tools, prove = ARTIFACTS[name]
            missing = [tool for tool in tools if shutil.which(tool) is None]
            if missing:
                said[name] = f"missing ({', '.join(missing)} not found)"
                continue
            place = Path(directory, name)
            place.mkdir()
            began = time.monotonic()
            said[name] = outcome(prove, place, environment)
            print(f"{name}: {said[name]} ({time.monotonic() - began:.0f} s)", flush=True)
    SUMS.write_text(sums())
    print("\nartifacts:")
    for name, result in said.items():
        print(f"  {name:<12} {result}")
    failures = ("failed", "missing") if os.environ.get("CI") else ("failed",)
    return 1 if any(result.startswith(failures) for result in said.values()) else 0


def outcome(prove: Callable[[Path, Environment], Path], place: Path, env: Environment) -> str:
    try:
        artifact = prove(place, env)
    except (subprocess.CalledProcessError, AssertionError) as error:
        output = getattr(error, "stdout", None) or ""
        return f"failed: {error}\n{output}"
    return str(artifact.relative_to(ROOT))


def run(*command: str | Path, cwd: Path, env: Environment | None = None) -> str:
    """Return the standard output and error of a command; raises CalledProcessError."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=dict(env or os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout)
    return done.stdout


def sums() -> str:
    """Return a line for every file in `dist/`, as `sha256sum --check` reads it."""
    files = sorted(path for path in DIST.iterdir() if path != SUMS)
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files
    )


def converses(output: str) -> None:
    assert EXPECTED in output.splitlines(), f"the conversation printed {output!r}"


# --- Python ---------------------------------------------------------------------------------------


def built(project: Path, pattern: str) -> Path:
    """Build and check wheel and source distribution of a project; returns the wheel."""
    kinds = (f"{pattern}.whl", f"{pattern}.tar.gz")
    for old in [path for kind in kinds for path in DIST.glob(kind)]:
        old.unlink()
    constrained = {**os.environ, "PIP_CONSTRAINT": str(TOOLS)}
    run(sys.executable, "-m", "build", "--outdir", DIST, project, cwd=ROOT, env=constrained)
    ((wheel,), (source,)) = (DIST.glob(kind) for kind in kinds)
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, source, cwd=ROOT)
    return wheel


def environment_with(place: Path, *requirements: str | Path) -> Path:
    """Create a virtual environment with these requirements; returns its directory of programs."""
    run(sys.executable, "-m", "venv", "--without-pip", place, cwd=ROOT)
    pip = [sys.executable, "-m", "pip", "--python", place / "bin/python", "--quiet"]
    run(*pip, "install", "-c", CONSTRAINTS, *requirements, cwd=place)
    return place / "bin"


def daemon(directory: Path) -> Environment:
    """Build the daemon and install its wheel; returns the environment in which clients find it."""
    wheel = built(ROOT, "sessiond-[0-9]*")
    programs = environment_with(directory / "installed", wheel)
    assert (programs.parent / "share/man/man1/sessiond.1").is_file()
    bill_of_materials(programs)
    home = directory / "home"
    home.mkdir()
    return {
        **os.environ,
        "HOME": str(home),
        "SESSIOND": str(programs / "sessiond"),
        "SESSIOND_NO_CATALOG_CACHE": "1",
        # The editors share a daemon by default, which would outlive the conversation.
        "SESSIOND_SHARED": "0",
        # Toolchains with files below the home directory must still find them.
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(Path.home() / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
        "GOPATH": os.environ.get("GOPATH", str(Path.home() / "go")),
        "GOCACHE": os.environ.get("GOCACHE", str(Path.home() / ".cache/go-build")),
    }


def bill_of_materials(programs: Path) -> None:
    """Write what is installed in an environment, and nothing that differs between two runs."""
    document = DIST / f"sessiond-{version()}.cdx.json"
    maker = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
    described = ("--pyproject", ROOT / "pyproject.toml", "--output-file", document)
    run(*maker, *described, programs / "python", cwd=ROOT)


def prove_daemon(place: Path, env: Environment) -> Path:
    """Install the source distribution; all other proofs use the wheel."""
    (source,) = DIST.glob("sessiond-[0-9]*.tar.gz")
    with tarfile.open(source) as tar:
        names = tar.getnames()
    strays = [name for name in names if "/clients/" in name or "/tests/" in name]
    assert not strays, f"the source distribution holds {strays[:3]}"
    programs = environment_with(place / "venv", source)
    converses(
        run(
            programs / "python",
            CONVERSATIONS / "plain.py",
            cwd=place,
            env={
                **env,
                "SESSIOND": str(programs / "sessiond"),
            },
        )
    )
    return source


def prove_python(place: Path, env: Environment) -> Path:
    wheel = built(CLIENTS / "python", "sessiond_client-*")
    (with_daemon,) = DIST.glob("sessiond-[0-9]*.whl")
    programs = environment_with(place / "venv", wheel, with_daemon)
    converses(run(programs / "python", CONVERSATIONS / "client.py", cwd=place, env=env))
    return wheel


# --- other languages ------------------------------------------------------------------------------


def prove_typescript(place: Path, env: Environment) -> Path:
    source = CLIENTS / "typescript"
    run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", cwd=source)
    run("npm", "pack", "--pack-destination", DIST, cwd=source)
    (packed,) = DIST.glob("sessiond-client-*.tgz")
    run("npm", "publish", "--dry-run", packed, cwd=source)
    (place / "package.json").write_text('{"type": "module", "private": true}\n')
    run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", packed, cwd=place)
    shutil.copy(CONVERSATIONS / "client.mjs", place)
    converses(run("node", "client.mjs", cwd=place, env=env))
    return packed


def prove_rust(place: Path, env: Environment) -> Path:
    target = ROOT / ".cache" / "dist-target"
    source = CLIENTS / "rust"
    allowed = ("--allow-dirty", "--target-dir", target)
    run("cargo", "publish", "--dry-run", *allowed, cwd=source)
    # The rehearsal keeps no crate.
    run("cargo", "package", "--no-verify", *allowed, cwd=source)
    crate = target / "package" / f"sessiond-client-{version()}.crate"
    packed = Path(shutil.copy(crate, DIST))
    unpack(packed, place)
    (crate_directory,) = place.glob("sessiond-client-*")
    (place / "src").mkdir()
    shutil.copy(CONVERSATIONS / "client.rs", place / "src" / "main.rs")
    (place / "Cargo.toml").write_text(
        '[package]\nname = "conversation"\nversion = "0.0.0"\nedition = "2021"\n'
        f'[dependencies]\nsessiond-client = {{ path = "{crate_directory.name}" }}\n'
        'tokio = { version = "1.38", features = ["rt", "macros"] }\n'
        "[workspace]\n"
    )
    converses(run("cargo", "run", "--quiet", "--target-dir", target, cwd=place, env=env))
    return packed


def prove_go(place: Path, env: Environment) -> Path:
    packed = packed_tree("go", "sessiond-go", lambda name: not name.endswith("_test.go"))
    unpack(packed, place)
    (module,) = place.glob("sessiond-go-*")
    run("go", "vet", "./...", cwd=module, env=env)
    run("go", "mod", "verify", cwd=module, env=env)
    program = place / "conversation"
    program.mkdir()
    shutil.copy(CONVERSATIONS / "client.go", program / "main.go")
    run("go", "mod", "init", "conversation", cwd=program, env=env)
    run("go", "mod", "edit", f"-replace=sessiond={module}", cwd=program, env=env)
    run("go", "mod", "tidy", cwd=program, env=env)
    converses(run("go", "run", ".", cwd=program, env=env))
    return packed


def prove_neovim(place: Path, env: Environment) -> Path:
    packed = packed_tree("neovim", "sessiond.nvim", lambda name: not name.startswith("tests/"))
    # A manager clones the repository that was made of the archive, and loads it by its name.
    unpack(packed, place)
    (source,) = place.glob("sessiond.nvim-*")
    run("git", "init", "--quiet", cwd=source)
    run("git", "add", ".", cwd=source)
    user = ("-c", "user.name=sessiond", "-c", "user.email=sessiond@localhost")
    run("git", *user, "commit", "--quiet", "--message", "Release", cwd=source)
    packages = place / "data/nvim/site/pack/manager/opt"
    packages.mkdir(parents=True)
    run("git", "clone", "--quiet", source, packages / "sessiond.nvim", cwd=place)
    own = {**env, "XDG_DATA_HOME": str(place / "data"), "XDG_STATE_HOME": str(place / "state")}

    def edit(*commands: str) -> str:
        words = [word for command in commands for word in ("-c", command)]
        return run("nvim", "--headless", *words, cwd=place, env=own)

    loaded = ("packadd sessiond.nvim", "helptags ALL")
    converses(edit(*loaded, f"luafile {CONVERSATIONS / 'client.lua'}"))
    written = place / "written.txt"
    for command, expected in {
        "help sessiond": "Sessions of coding agents, in Neovim",
        "checkhealth sessiond": "command: ",
    }.items():
        edit(*loaded, command, f"write! {written}", "quitall!")
        assert expected in written.read_text(), f":{command} shows {written.read_text()!r}"
    return packed


def prove_emacs(place: Path, env: Environment) -> Path:
    source = CLIENTS / "emacs"
    name = f"sessiond-{version()}"
    packed = DIST / f"{name}.tar"
    # Emacs reads no other format, and looks for the directory first.
    with tarfile.open(packed, "w", format=tarfile.GNU_FORMAT) as tar:
        tar.add(source, name, recursive=False, filter=the_same_everywhere)
        for path in (*sorted(source.glob("*.el")), source / "README.md", source / "LICENSE"):
            tar.add(path, f"{name}/{path.name}", filter=the_same_everywhere)
        description = place / "sessiond-pkg.el"
        description.write_text(
            f'(define-package "sessiond" "{version()}"\n'
            '  "Browse, read and rename coding-agent sessions" \'((emacs "28.1")))\n'
        )
        tar.add(description, f"{name}/sessiond-pkg.el", filter=the_same_everywhere)
    directory = f'(setq package-user-dir "{place}/elpa" package-archives nil)'
    install = f'(progn (require (quote package)) (package-install-file "{packed}"))'
    converses(
        run(
            "emacs",
            "-Q",
            "--batch",
            "--eval",
            directory,
            "--eval",
            install,
            "-l",
            CONVERSATIONS / "client.el",
            cwd=place,
            env=env,
        )
    )
    return packed


def packed_tree(client: str, name: str, chosen: Callable[[str], bool]) -> Path:
    """Pack tracked files of a client into a tar archive, below one directory."""
    source = CLIENTS / client
    packed = DIST / f"{name}-{version()}.tar.gz"
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for line in run("git", "ls-files", cwd=source).splitlines():
            if line not in {"run-tests", "toolchain"} and chosen(line):
                inside = f"{name}-{version()}/{line}"
                tar.add(source / line, inside, filter=the_same_everywhere)
    packed.write_bytes(gzip.compress(plain.getvalue(), mtime=0))
    return packed


def the_same_everywhere(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Give a file of an archive the owner, mode and time that it has in every build."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o755 if member.mode & 0o100 else 0o644
    member.mtime = int(os.environ["SOURCE_DATE_EPOCH"])
    return member


def unpack(archive: Path, place: Path) -> None:
    with tarfile.open(archive) as tar:
        tar.extractall(place, filter="data")


def version() -> str:
    """Return the version of all packages."""
    stated = runpy.run_path(str(ROOT / "sessiond/__init__.py"))["__version__"]
    return str(stated)


def prove_vscode(place: Path, env: Environment) -> Path:
    """Package the extension; its proof runs the bundle in the package without VS Code."""
    source = CLIENTS / "vscode"
    # The packager needs a newer Node than many systems have; the reference brings one.
    newer = sorted((ROOT / ".cache/reference/node_modules").glob("node-*/bin"))
    own = {**env, "PATH": os.pathsep.join([*map(str, newer), env["PATH"]])}
    run("npm", "install", cwd=source, env=own)
    for script in ("build", "package"):
        run("npm", "run", script, cwd=source, env=own)
    packed = DIST / f"sessiond-vscode-{version()}.vsix"
    shutil.copy(source / "dist/sessiond.vsix", packed)
    shutil.unpack_archive(packed, place, "zip")
    bundle = place / "extension/dist/extension.cjs"
    converses(run("node", CONVERSATIONS / "extension.cjs", bundle, cwd=place, env=own))
    return packed


ARTIFACTS: dict[str, tuple[tuple[str, ...], Callable[[Path, Environment], Path]]] = {
    "daemon": ((), prove_daemon),
    "python": ((), prove_python),
    "typescript": (("node", "npm"), prove_typescript),
    "rust": (("cargo",), prove_rust),
    "go": (("go",), prove_go),
    "neovim": (("nvim", "git"), prove_neovim),
    "emacs": (("emacs",), prove_emacs),
    "vscode": (("node", "npm"), prove_vscode),
}
"""Name → the tools it needs and the function that builds and proves it."""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
