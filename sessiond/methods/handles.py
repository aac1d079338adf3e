"""Create the handles of a client: on the engine's sessions, with notifications of changes."""

from __future__ import annotations

from sessiond.config import ClientConfig
from sessiond.engine import Engine
from sessiond.notify.live import Live
from sessiond.session.places import Places
from sessiond.session.table import Sessions


def sessions_of(engine: Engine, config: ClientConfig, places: Places, live: Live) -> Sessions:
    sessions = Sessions(places, engine.documents, engine.catalogue.find, read_only=config.read_only)
    sessions.attached, sessions.closed = live.follow, live.forget
    return sessions
