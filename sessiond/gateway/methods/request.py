"""The store and the session of a request, and what several methods read and answer."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, cast

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import rules as keeping
from sessiond_protocol.gateway import store as contract
from sessiond_protocol.gateway.keys import ConfigProblem, JsonObject
from sessiond_protocol.wire import given

from sessiond.agents.dialect import Dialect
from sessiond.agents.sessions import database_at
from sessiond.gateway import expiry, keys
from sessiond.gateway.config import Part, config_path, read_config
from sessiond.gateway.database import database_of
from sessiond.gateway.entry import Items, StoreEntry
from sessiond.gateway.keys import MAIN, KeyRules
from sessiond.gateway.maintenance import Locate
from sessiond.gateway.places import Layout, candidates
from sessiond.gateway.state import state_of
from sessiond.gateway.store import (
    Draft,
    Store,
    claim_session,
    find_session,
)
from sessiond.methods.client import Client
from sessiond.runtime.errors import InvalidParams, PathNotAllowed, ReadOnly, Unsupported
from sessiond.text.spans import loads

_READ = ("session", "agents", "channels", "cron")


def config_of(sent: JsonObject | UnsetType | None) -> Part:
    return Part.root(members_of(sent, _READ))


def members_of(sent: JsonObject | UnsetType | None, names: Iterable[str]) -> Mapping[str, Any]:
    """The decoded values of the named members of an object; other members are ignored."""
    members = given(sent) or {}
    return {name: loads(bytes(cast("bytes", members[name]))) for name in names if name in members}


def dialect(client: Client) -> Dialect:
    """The dialect of the connection's profile."""
    return client.directories.agent.dialect


def problems_of(config: Part) -> list[ConfigProblem] | UnsetType:
    problems = config.problems.items()
    return [ConfigProblem(path=path, message=text) for path, text in problems] or UNSET


def policy_object(policy: expiry.ResetPolicy) -> keeping.ResetPolicy:
    """The policy in the form of the contract."""
    return keeping.ResetPolicy(
        mode=policy.mode,
        atHour=policy.at_hour,
        idleMinutes=UNSET if policy.idle_minutes is None else policy.idle_minutes,
    )


def moments_of(judged: expiry.Freshness) -> tuple[int | UnsetType, float | UnsetType]:
    """`dailyResetAt` and `idleExpiresAt` in the form of the contract."""
    daily, idle = judged.daily_reset_at, judged.idle_expires_at
    return (
        UNSET if daily is None else daily,
        UNSET if idle is None else int(idle) if idle == int(idle) else idle,
    )


def layout_of(client: Client, params: contract.StoreParams) -> Layout:
    """The directories and rules of a request. Raises InvalidParams."""
    where = client.directories
    is_gateway = where.agent.has_gateway
    config = _config(client, params)
    named = given(params.agentId)
    agent = named if named is not None else _connection_agent(client)
    template = given(params.storePath) or config.part("session").text("store")
    if template is not None and not _is_path(template):
        raise InvalidParams("expected a valid path of a file", "$.storePath")
    return Layout(
        config,
        KeyRules.of(config, agent, where.agent.dialect),
        where.agent.home_env(client.env),
        where.agent_dir if is_gateway else None,
        template or None,
        client.places.roots.allow,
    )


def _is_path(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _config(client: Client, params: contract.StoreParams) -> Part:
    where = client.directories
    if given(params.config) is not None or not where.agent.has_gateway:
        return config_of(params.config)
    env = where.agent.home_env(client.env)
    path = config_path(where.agent, where.agent_dir, env)
    try:
        client.places.roots.check(path)
        return read_config(path)
    except PathNotAllowed as error:
        return Part("", {}, {"": f"{error.message}; ignored"})


def _connection_agent(client: Client) -> str | None:
    # `main` is the default for clients that name no agent, so the configuration decides.
    agent = client.directories.agent_id
    return None if agent == MAIN else agent


class ReportedProblems(TypedDict):
    """The members of a result that report problems."""

    problems: list[contract.StoreProblem] | UnsetType
    configProblems: list[ConfigProblem] | UnsetType


@attrs.frozen
class StoreRequest:
    """A request on the store of one agent: the connection, the directories and the rules."""

    client: Client
    layout: Layout
    agent_id: str

    @classmethod
    def of(cls, client: Client, params: contract.StoreParams) -> StoreRequest:
        """A request on the store of the default agent. Raises InvalidParams."""
        layout = layout_of(client, params)
        return cls(client, layout, layout.rules.default_agent)

    @classmethod
    def of_all_agents(cls, client: Client, params: contract.StoreParams) -> StoreRequest:
        """A request in which `agentId` selects sessions and is not the agent of short keys."""
        named = contract.StoreParams(storePath=params.storePath, config=params.config)
        return cls.of(client, named)

    @property
    def rules(self) -> KeyRules:
        return self.layout.rules

    def for_agent(self, agent_id: str) -> StoreRequest:
        """The same request on the store of another agent."""
        return attrs.evolve(self, agent_id=agent_id)

    def for_session(self, key: str, name: str = "sessionKey") -> SessionRequest:
        """A request on a session, by any spelling of its key; `name` is that of the parameter.

        Raises InvalidParams for a blank key.
        """
        canonical = keys.canonical(key, self.rules)
        if not canonical:
            raise InvalidParams("key required", f"$.{name}")
        agent_id = keys.agent_of(canonical, self.rules)
        return SessionRequest(self.client, self.layout, agent_id, key, canonical)

    def store(self) -> Store:
        """The store. Raises PathNotAllowed, and Unsupported if the agent has none."""
        path = self.layout.store_path(self.agent_id)
        if path is None:
            name = self.client.directories.agent.name
            raise Unsupported(
                f"Agents of the profile {name} have no store of gateway sessions",
                self.client.directories.sessions_dir,
                "name a store with storePath, or initialize with the profile of a gateway",
            )
        self.client.places.roots.check(path)
        return Store(path, self.layout, self.agent_id, state_of(self.client).stores)

    def store_to_change(self) -> Store:
        """The store, for writing. Raises as `store`.

        Also raises ReadOnly in a read-only daemon, and Unsupported if a database has replaced the
        store.
        """
        store = self.store()
        if self.client.config.read_only:
            raise ReadOnly(store.path)
        store.check_in_use()
        return store

    def locate(self) -> Locate:
        """A function from a key and its entry to the paths at which its transcript may lie.

        The most likely path is the first. Paths may lie outside the roots.
        """
        store_path, layout = self.store().path, self.layout

        @functools.cache
        def database(agent_id: str) -> str | None:
            return database_of(layout, agent_id, store_path)

        def located(key: str, entry: StoreEntry) -> list[str]:
            agent_id = keys.agent_of(key, layout.rules) if layout.shared else self.agent_id
            session_id = entry.string("sessionId") or ""
            directories = layout.directories(agent_id, store_path)
            paths = candidates(session_id, entry.string("sessionFile"), directories)
            place = database(agent_id) if session_id else None
            if place is not None:
                paths = [database_at(place).transcript_path(place, session_id), *paths]
            # `sessionFile` of an entry may name the store itself.
            return [path for path in paths if path != store_path]

        return located

    def reported(self, problems: Iterable[contract.StoreProblem]) -> ReportedProblems:
        """Problems of the store and those of the configuration, as members of a result."""
        return {
            "problems": list(problems) or UNSET,
            "configProblems": problems_of(self.layout.config),
        }


@attrs.frozen
class SessionRequest(StoreRequest):
    """A request on one session of a store."""

    key_as_sent: str
    """The key as the client spelled it."""
    key: str
    """The canonical key."""

    def find(self, items: Items) -> StoreEntry | None:
        """The entry of the session, under any spelling of its key."""
        return find_session(items, self.key, self.key_as_sent, self.rules)

    def claim(self, draft: Draft) -> StoreEntry | None:
        """The entry of the session, moved to its canonical key."""
        return claim_session(draft, self.key, self.key_as_sent, self.rules)
