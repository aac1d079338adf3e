"""Confine a client to its `--root`, and make what resolves its paths."""

from __future__ import annotations

from collections.abc import Mapping

from sessiond.agents.agent import Agent
from sessiond.agents.directories import Directories, directories
from sessiond.agents.registry import AGENTS
from sessiond.agents.sessions import further_places, is_place
from sessiond.config import ClientConfig
from sessiond.files import disk
from sessiond.home import absolute
from sessiond.session.places import Places, Roots


def places_of(config: ClientConfig, env: Mapping[str, str]) -> Places:
    """Confine the current context, and return what resolves the paths of its client."""
    profile = AGENTS[config.profile]
    where = directories(profile, env, config.agent_dir, config.agent_id)
    given = None if config.roots is None else [absolute(root, env) for root in config.roots]
    roots = Roots(given)
    disk.confine(roots.real)
    places = Places(where, roots, env)
    if config.all_agents:
        places.others = others_than(profile, env)
    return places


def stored_places_of(config: ClientConfig, env: Mapping[str, str]) -> Places:
    """The same for a store: `--root` names namespaces, and no file of a session can be reached."""
    from sessiond.session.store_places import Namespaces, StorePlaces  # noqa: PLC0415

    where = directories(AGENTS[config.profile], env, config.agent_dir, config.agent_id)
    namespaces = Namespaces(config.roots)
    disk.confine(None if namespaces.real is None else ())
    return StorePlaces(where, namespaces, env)


def others_than(agent: Agent, env: Mapping[str, str]) -> list[Directories]:
    """Return the directories of all other agents that are there."""
    found = (directories(each, env) for each in AGENTS.values() if each is not agent)
    return [where for where in found if _is_there(where.listed_dir)]


def _is_there(listed_dir: str) -> bool:
    """Return whether an agent has sessions, perhaps only beside its usual database."""
    if disk.exists(listed_dir):
        return True
    return is_place(listed_dir) and bool(further_places(listed_dir))
