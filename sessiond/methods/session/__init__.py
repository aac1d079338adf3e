"""Methods of the family `session/`: the SessionManager API, and finding sessions."""

from __future__ import annotations

from sessiond.methods.client import Client
from sessiond.methods.handlers import Handlers


def load(_client: Client) -> list[Handlers]:
    """Return the methods, by their names on the wire."""
    # Imported here, because the command `list` needs only one of these modules.
    from sessiond.methods.session import append, read  # noqa: PLC0415
    from sessiond.methods.session.list import METHODS as LIST  # noqa: PLC0415
    from sessiond.methods.session.open import METHODS as OPEN  # noqa: PLC0415

    return [OPEN, LIST, append.METHODS, read.METHODS]
