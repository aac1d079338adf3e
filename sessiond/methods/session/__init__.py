"""The family `session/`: the SessionManager API on open sessions, and finding sessions."""

from __future__ import annotations

from sessiond.methods.client import Client
from sessiond.methods.handlers import Handlers


def load(_client: Client) -> list[Handlers]:
    """Return the methods, by their names on the wire."""
    # Here, because the command `list` imports one of the modules alone.
    from sessiond.methods.session import append, read  # noqa: PLC0415
    from sessiond.methods.session.list import METHODS as LIST  # noqa: PLC0415
    from sessiond.methods.session.open import METHODS as OPEN  # noqa: PLC0415

    return [OPEN, LIST, append.METHODS, read.METHODS]
