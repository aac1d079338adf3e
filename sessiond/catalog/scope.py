"""A set of sessions that is kept current: which files belong to it, and what they say now."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Literal

import attrs

from sessiond.catalog.discover import SUFFIX, is_of, session_directories, session_files
from sessiond.catalog.kept import Kept
from sessiond.catalog.store import Store
from sessiond.catalog.summaries import Summary, resume, summarise
from sessiond.errors import SessiondError
from sessiond.files.identity import FileState

Progress = Callable[[int, int, Mapping[str, Summary]], None]
"""Gets how many files were looked at, of how many, and the sessions found so far by path."""


@attrs.frozen
class Scope:
    """The sessions of a directory, or (`below`) of every directory in it; of one cwd, or of all."""

    directory: str
    below: bool = False
    cwd: str | None = None
    roots: tuple[str, ...] | None = None
    """Real directories that a file must lie in, links followed; None: anywhere."""

    def directories(self) -> list[str]:
        """The directories that hold the files, as they are now."""
        return session_directories(self.directory) if self.below else [self.directory]

    def files(self) -> Iterable[str]:
        return (path for directory in self.directories() for path in session_files(directory))

    def allows(self, path: str) -> bool:
        """Whether a name leads to a file inside the roots."""
        if self.roots is None:
            return True
        real = os.path.realpath(path)
        return any(real.startswith(f"{root.rstrip('/')}/") for root in self.roots)

    def holds(self, path: str) -> bool:
        """Whether a file of that name would belong to it, by its place alone."""
        folder, _, name = path.rpartition("/")
        if self.below:
            folder = folder.rpartition("/")[0]
        return folder == self.directory and name.endswith(SUFFIX)


@attrs.frozen
class Changed:
    """What became of one file; `summary` is None for one that is gone."""

    kind: Literal["added", "changed", "removed"]
    path: str
    summary: Summary | None = None


@attrs.frozen
class Listing:
    """A scope as it was read: a value, which workers take and return."""

    scope: Scope
    sessions: dict[str, Summary] = attrs.field(factory=dict)
    others: dict[str, FileState] = attrs.field(factory=dict)
    """Files that are no sessions (of that cwd), so that they are not read for every change."""

    def newest_first(self) -> list[Summary]:
        return newest_first(self.sessions.values())

    def read(
        self,
        reported: Collection[str] | None = None,
        *,
        with_text: bool = False,
        progress: Progress | None = None,
        store: Store | None = None,
    ) -> Listing:
        """The same scope as it is now. Blocking.

        `reported` says where something may have changed: files, or directories as a whole; None is
        everywhere. What has not changed is not read, and of what has grown only the growth.
        `with_text` keeps the text of messages; a listing has it for all sessions or for none. What
        `progress` raises comes out. The `store` knows files from earlier, which changes nothing but
        the time it takes.
        """
        if reported is None or not all(self.scope.holds(path) for path in reported):
            looked_at = set(self.scope.files())
            gone = self.sessions.keys() - looked_at
        else:
            looked_at, gone = set(reported), set()
        sessions, others = dict(self.sessions), dict(self.others)
        # Names begin with times, and who waits wants to see the newest first.
        paths = sorted(looked_at | gone, reverse=True)
        # The store holds no lists of texts.
        with Kept(None if with_text else store) as kept:
            for number, path in enumerate(paths, 1):
                self._look(path, sessions, others, kept, with_text=with_text)
                if progress is not None:
                    progress(number, len(paths), sessions)
        return Listing(self.scope, sessions, others)

    def _look(
        self,
        path: str,
        sessions: dict[str, Summary],
        others: dict[str, FileState],
        kept: Kept,
        *,
        with_text: bool,
    ) -> None:
        try:
            seen = os.stat(path)
            known = sessions.get(path)
            if known is not None and known.state.matches(seen):
                return
            state = FileState.of(seen)
            if others.get(path) == state:
                return
            if known is None:
                known = kept.find(path, state)
            if known is not None and known.state == state:
                summary: Summary | None = known
            else:
                summary = summarise(path, with_text=with_text) if known is None else resume(known)
                if summary is not None:
                    kept.keep(summary)
        except (OSError, SessiondError):
            sessions.pop(path, None)
            others.pop(path, None)
            return
        if summary is None or not self._belongs(summary):
            sessions.pop(path, None)
            others[path] = state
            return
        others.pop(path, None)
        sessions[path] = summary

    def _belongs(self, summary: Summary) -> bool:
        cwd = self.scope.cwd
        if cwd is not None and not is_of(summary.header, cwd):
            return False
        return self.scope.allows(summary.path)

    def since(self, before: Listing) -> list[Changed]:
        """What has changed from `before` to this, removals first."""
        old, new = before.sessions, self.sessions
        removed = [Changed("removed", path) for path in old if path not in new]
        return removed + [
            Changed("changed" if path in old else "added", path, summary)
            for path, summary in new.items()
            if old.get(path) is not summary
        ]


def newest_first(summaries: Iterable[Summary]) -> list[Summary]:
    """Latest `modified` first; of the same time, later names first (as pi 1.5.2)."""
    return sorted(summaries, key=lambda item: (item.modified, item.path), reverse=True)
