"""The database that replaces a store (`sessions.json`), which must not be written then.

Its agent no longer reads the store, or only when it imports one: then an entry found there replaces
the current session of its key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from sessiond.agents.sessions import databases_beside_store
from sessiond.files import disk
from sessiond.gateway.places import Layout


def database_of(layout: Layout, agent_id: str, store_path: str) -> str | None:
    """The database that has replaced an agent's store; None if the store is in use.

    Reads the disk each time, because the agent may be upgraded while the daemon runs. A path that
    cannot be examined counts as a database, because a wrong write does the harm. A shared store is
    replaced as soon as one agent has a database.
    """
    return next(filter(_is_there, places(layout, agent_id, store_path)), None)


def places(layout: Layout, agent_id: str, store_path: str) -> Iterator[str]:
    """The paths at which the database of a store may lie."""
    directory = os.path.dirname(store_path)
    for sessions in dict.fromkeys((directory, disk.realname(directory))):
        yield from databases_beside_store(sessions)
    for agent in layout.agents() if layout.shared else [agent_id]:
        sessions_dir = layout.sessions_dir(agent)
        if sessions_dir is not None:
            yield from databases_beside_store(sessions_dir)


def _is_there(path: str) -> bool:
    try:
        # The roots may include only the directory of the store, so look outside them too.
        os.lstat(path)  # noqa: TID251
    except OSError as error:
        return not isinstance(error, FileNotFoundError | NotADirectoryError)
    return True
