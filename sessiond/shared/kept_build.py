"""Keep the build that a shared daemon runs, because another one may replace the installed files.

A daemon runs for days and imports much of its code when a client first needs it. The files of
another build would not fit the modules that are loaded already. So all code is read at the start,
and imported from memory; importing it all would double the time of the start. Clients that start
after an installation get a daemon of their own build: see `front.place`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from types import CodeType, ModuleType

PACKAGES = ("sessiond_protocol", "sessiond")


class KeptBuild(MetaPathFinder, Loader):
    """Finds and loads modules, and the files beside them, as they were when it was made."""

    def __init__(self) -> None:
        self._codes: dict[str, tuple[str, CodeType | None]] = {}
        """Path and code of each module, by name."""
        self._data: dict[str, bytes] = {}
        for package in PACKAGES:
            spec = find_spec(package)
            for directory in (spec and spec.submodule_search_locations) or ():
                self._read(package, directory)

    def _read(self, package: str, directory: str) -> None:
        for path in _files(directory):
            inside, kind = os.path.splitext(os.path.relpath(path, directory))
            if kind == ".py":
                name = ".".join([package, *inside.split(os.sep)]).removesuffix(".__init__")
                self._codes[name] = path, SourceFileLoader(name, path).get_code(name)
            else:
                with open(path, "rb") as file:
                    self._data[path] = file.read()

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self._codes:
            return None
        path, _ = self._codes[name]
        directory, file = os.path.split(path)
        inside = [directory] if file == "__init__.py" else None
        return spec_from_file_location(name, path, loader=self, submodule_search_locations=inside)

    def exec_module(self, module: ModuleType) -> None:
        _, code = self._codes[module.__name__]
        assert code is not None, "a module with source has code"  # noqa: S101
        exec(code, vars(module))  # noqa: S102 - our own code

    def get_data(self, path: str) -> bytes:
        """Return the content of a file, as `pkgutil.get_data` asks for it. Raises OSError."""
        if path not in self._data:
            raise FileNotFoundError(path)
        return self._data[path]


def _files(directory: str) -> Iterator[str]:
    for place, inside, names in os.walk(directory):
        if "__pycache__" in inside:
            inside.remove("__pycache__")
        for name in names:
            yield os.path.join(place, name)


def keep_build() -> None:
    """Import from memory from now on what belongs to this build. Raises OSError."""
    sys.meta_path.insert(0, KeptBuild())
