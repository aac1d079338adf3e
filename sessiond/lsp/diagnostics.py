"""The problems of open files: told when they change, or asked for by the editor."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from lsprotocol import types

from sessiond.format.entries import Diagnostic
from sessiond.lsp.documents import SessionFile, SessionFiles
from sessiond.runtime.errors import SessiondError
from sessiond.text.safe import visible

logger = logging.getLogger(__name__)

_MOST = 1_000
SOURCE = "sessiond"
_STAYS = {"missingTarget", "invalidTimestamp", "unknownVersion", "malformedEntry"}
"""Problems that a repair leaves, because only the author could solve them."""


def is_repairable(problem: Diagnostic) -> bool:
    """Return whether `catalog/repair` solves a problem."""
    return problem.kind not in _STAYS


async def problems_of(file: SessionFile) -> list[types.Diagnostic]:
    """Return the problems of a file as the editor shows them; the first thousand."""
    problems = await file.problems()
    diagnostics = [
        types.Diagnostic(
            file.range_of_line(problem.line - 1),
            visible(problem.message),
            severity=types.DiagnosticSeverity.Warning,
            code=problem.kind,
            source=SOURCE,
        )
        for problem in problems[:_MOST]
    ]
    if len(problems) > _MOST:
        text = f"There are {len(problems) - _MOST:,} more problems; `sessiond check` lists them."
        diagnostics.append(types.Diagnostic(file.range_of_line(0), text, source=SOURCE))
    return diagnostics


class Diagnostics:
    """Tells the problems of the files that the editor has open, whenever they have changed."""

    def __init__(
        self,
        files: SessionFiles,
        tell: Callable[[SessionFile, list[types.Diagnostic]], None],
        later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._files = files
        self._tell = tell
        self._later = later
        self._sent: dict[SessionFile, list[types.Diagnostic] | None] = {}
        self._due: dict[SessionFile, bool] = {}
        """Files that are being checked, and whether they have changed since that began."""

    def open(self, file: SessionFile) -> None:
        """Tell the problems of a file from now on."""
        if file not in self._sent:
            self._sent[file] = None
            self.check(file)

    def close(self, file: SessionFile) -> None:
        """Tell no more problems of a file."""
        self._sent.pop(file, None)

    def check(self, file: SessionFile) -> None:
        """Check a file, and tell its problems if they are others than before."""
        if file not in self._sent:
            return
        if file in self._due:
            self._due[file] = True
            return
        self._due[file] = True
        self._later(self._check(file))

    async def _check(self, file: SessionFile) -> None:
        try:
            if file not in self._sent:
                # The editor has closed it before this began.
                return
            with self._files.holding(file):
                while self._due[file]:
                    self._due[file] = False
                    diagnostics = await problems_of(file)
                    if self._sent.get(file, diagnostics) != diagnostics:
                        self._sent[file] = diagnostics
                        self._tell(file, diagnostics)
        except SessiondError as error:
            # A request about the file gets the same error.
            logger.info("%s", error.message)
        finally:
            del self._due[file]
