"""Which texts of a session a search looks into."""

from __future__ import annotations

import posixpath
from collections.abc import Collection

import attrs

from sessiond.format.line_texts import SAID, MessageText
from sessiond.text.spelling import plain_spelling


@attrs.frozen
class WantedTexts:
    """A text is searched if it has all that is named here; empty: any."""

    fields: tuple[str, ...] = (SAID,)
    roles: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    """In lower case."""
    files: tuple[str, ...] = ()
    """Normal paths; see `is_file`."""
    since: float | None = None
    """Milliseconds since the epoch. A text without a time is neither before nor after."""
    until: float | None = None
    """Milliseconds since the epoch; excluded."""
    model: str = ""
    """A part of the id of the model, in lower case."""
    of_current_branch: bool = False
    """Only texts of the branch that the session is opened at, which `has` cannot tell."""

    @property
    def is_all_that_was_said(self) -> bool:
        """Whether this is the default, with which names and directories count, too."""
        return self == DEFAULT

    def has(self, text: MessageText) -> bool:
        """Whether a text is searched."""
        return (
            text.field in self.fields
            and (not self.roles or text.role in self.roles)
            and (not self.tools or (text.tool or "").lower() in self.tools)
            and (not self.files or self.is_file(text.file))
            and self.model in (text.model or "").lower()
            and self._is_then(text.time)
        )

    def is_file(self, touched: str | None) -> bool:
        """Whether a path, as a tool got it, is one of the files.

        A relative path is that of any file that ends with it.
        """
        if touched is None:
            return False
        path = plain_spelling(touched)
        return any(
            path == file or path.endswith(f"/{file}") or file.endswith(f"/{path}")
            for file in self.files
        )

    def _is_then(self, time: float | None) -> bool:
        if self.since is None and self.until is None:
            return True
        return (
            time is not None
            and (self.since is None or self.since <= time)
            and (self.until is None or time < self.until)
        )


DEFAULT = WantedTexts()


def normal_files(paths: Collection[str]) -> tuple[str, ...]:
    """Paths as the index has them: without `.`, `..` and doubled slashes, in the usual spelling."""
    return tuple(plain_spelling(posixpath.normpath(path)) for path in paths if path)
