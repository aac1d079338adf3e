"""Read the entries of conversations: what `sessions.json` holds in a gateway without database."""

from __future__ import annotations

import apsw

from sessiond.agents.openclaw import connection as connections

# As bytes, because damage can make a text that is not UTF-8; without a value there are none.
_NODES = """
SELECT coalesce(CAST(session_key AS BLOB), x''), coalesce(CAST(entry_json AS BLOB), x'')
FROM session_nodes ORDER BY rowid
"""


def read_nodes(database: str) -> dict[str, bytes]:
    """The entry of each conversation as JSON, by its key. Blocking.

    Raises as `connection.read` does.
    """

    def work(connection: apsw.Connection) -> dict[str, bytes]:
        return {key.decode(errors="replace"): entry for key, entry in connection.execute(_NODES)}

    return connections.read(database, work)
