"""Install the reference for the tests: python3 install.py DIRECTORY.

The packed tarball of pi 1.6.0 holds a bundle that runs by itself, so its dependencies are not
installed. It needs a newer Node than many systems have, which comes as a
package where there is one for the platform. Only the standard library is used, because this runs
before the virtual environment exists.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "@earendil-works/pi-coding-agent"
VERSION = "1.6.0"
HERE = Path(__file__).resolve().parent


def install(directory: Path) -> None:
    """The packages of package.json, and pi; `directory/installed` marks that all of it is there."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", ".npmrc", "installed"):
        # A copy of a checkout may share its files with the original through hard links.
        (directory / name).unlink(missing_ok=True)
    for name in ("package.json", ".npmrc"):
        shutil.copy(HERE / name, directory)
    npm(directory, "install", "--no-package-lock")
    unpack(directory, PACKAGE, VERSION, f"pi-{VERSION}")
    # For their types, which those of pi import, and for what pi does before it sends messages.
    for name in ("pi-ai", "pi-agent-core"):
        unpack(directory, f"@earendil-works/{name}", VERSION, f"{name}-{VERSION}")
    (directory / "installed").touch()


def unpack(directory: Path, package: str, version: str, name: str) -> None:
    """The published tarball of a package as `directory/name`, unless it is there already."""
    if (directory / name).exists():
        return
    with tempfile.TemporaryDirectory(dir=directory) as made:
        npm(directory, "pack", f"{package}@{version}", "--pack-destination", made)
        (tarball,) = Path(made).glob("*.tgz")
        # Python 3.11.4 and later ask for a filter, earlier ones know none.
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        with tarfile.open(tarball) as archive:
            archive.extractall(made, **safely)  # noqa: S202 - npm has checked what it packed
        (Path(made) / "package").rename(directory / name)


def npm(directory: Path, *arguments: str) -> None:
    """npm in `directory`, with its configuration and only its errors shown."""
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    command = [shutil.which("npm") or "npm", *arguments, *quiet]
    subprocess.run(command, cwd=directory, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("node or npm is missing: the tests that compare with npm's pi will be skipped")
        return
    try:
        install(Path(sys.argv[1]).resolve())
    except subprocess.CalledProcessError as error:
        sys.exit(f"could not install the reference: {error}")


if __name__ == "__main__":
    main()
