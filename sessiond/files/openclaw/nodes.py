"""Read the entries of conversations: what `sessions.json` holds in a gateway without database."""

from __future__ import annotations

import apsw

from sessiond.files.openclaw import connection as connections

_NODES = "SELECT session_key, CAST(entry_json AS BLOB) FROM session_nodes ORDER BY rowid"


def read_nodes(database: str) -> dict[str, bytes]:
    """The entry of each conversation as JSON, by its key. Blocking.

    Raises as `connection.read` does.
    """

    def work(connection: apsw.Connection) -> dict[str, bytes]:
        return {str(key): entry for key, entry in connection.execute(_NODES)}

    return connections.read(database, work)
