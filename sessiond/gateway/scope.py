"""The stores of a subscription, and the directories to watch for them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable

import attrs

from sessiond.files import disk
from sessiond.files.watch.plan import Asked
from sessiond.gateway.config.layout import Layout


@attrs.frozen(eq=False)
class StoreScope:
    """The store of one agent, or those of all present and future agents."""

    layout: Layout
    agent_id: str | None
    """None means all agents, or the store they share."""
    is_allowed: Callable[[str], bool]
    """Whether a path is inside the roots; other stores are left out."""

    def stores(self) -> dict[str, str]:
        """The agents by the absolute path of their store, the default agent first.

        Reads the disk, because stores may have appeared.
        """
        agents: dict[str, str] = {}
        for agent in self._agents():
            path = self.layout.store_path(agent)
            if path is not None and self.is_allowed(path):
                agents.setdefault(path, agent)
        return agents

    def _agents(self) -> list[str]:
        if self.agent_id is not None:
            return [self.agent_id]
        return [self.layout.rules.default_agent] if self.layout.shared else self.layout.agents()

    def watched(self, files: Iterable[str]) -> set[Asked]:
        """The directories to watch for changes of these files, and for stores of new agents."""
        above = self._agents_dir
        directories = {
            directory
            for path in files
            for directory in (os.path.dirname(path), os.path.dirname(disk.realname(path)))
            if above is None or posixpath.dirname(posixpath.dirname(directory)) != above
        }
        watched = {(directory, False) for directory in directories}
        return watched if above is None else {*watched, (above, True)}

    @property
    def _agents_dir(self) -> str | None:
        """The directory in which directories of new agents appear; stores lie two levels below."""
        state = self.layout.state_dir
        if self.agent_id is not None or self.layout.shared or state is None:
            return None
        return posixpath.join(state, "agents")
