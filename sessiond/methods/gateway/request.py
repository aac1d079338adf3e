"""CoderClaw's session layer: which store a request means, and what it holds."""

from __future__ import annotations

import os
from collections.abc import Iterable

from msgspec import UNSET, UnsetType
from sessiond_protocol.gateway import store as contract
from sessiond_protocol.wire import given

from sessiond.errors import InvalidParams, PathNotAllowed, ReadOnly
from sessiond.gateway.config.dialect import dialect_of
from sessiond.gateway.config.file import config_path
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.identity import MAIN
from sessiond.gateway.keys.lookup import find
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.store.agent_store import AgentStore
from sessiond.gateway.store.snapshot import StoreProblem
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway.rules import config_of, problems_of
from sessiond.profiles import absolute


def layout_of(app: App, params: contract.StoreParams) -> Layout:
    """Directories and rules for a request. Raises InvalidParams."""
    where = app.directories
    is_gateway = where.profile.layout == "gateway"
    config = _config(app, params)
    named = given(params.agentId)
    agent = named if named is not None else _connection_agent(app)
    template = given(params.storePath) or config.part("session").text("store")
    if template is not None and not _is_path(template):
        raise InvalidParams("expected a path that a file can have", "$.storePath")
    return Layout(
        config,
        KeyRules.of(config, agent, dialect_of(where.profile.name)),
        where.profile.home_env(app.env),
        where.agent_dir if is_gateway else None,
        _legacy_dir(app) if is_gateway else None,
        template or None,
        app.places.roots.allow,
    )


def _is_path(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _config(app: App, params: contract.StoreParams) -> Part:
    where = app.directories
    if given(params.config) is not None or where.profile.layout != "gateway":
        return config_of(params.config)
    env = where.profile.home_env(app.env)
    path = config_path(where.profile, where.agent_dir, env)
    try:
        app.places.roots.check(path)
        return app.gateway.stores.config(path).read()
    except PathNotAllowed as error:
        return Part("", {}, {"": f"{error.message}; ignored"})


def _connection_agent(app: App) -> str | None:
    # Everybody is `main` who does not say otherwise; then the configuration has its say.
    agent = app.directories.agent_id
    return None if agent == MAIN else agent


def _legacy_dir(app: App) -> str | None:
    """Where transcripts lay before each agent had a directory; only with the default ones."""
    if app.config.agent_dir is not None:
        return None
    profile = app.directories.profile
    return absolute(f"~/.{profile.name}/sessions", profile.home_env(app.env))


def store_of(app: App, layout: Layout, agent_id: str) -> AgentStore:
    """The store of an agent. Raises PathNotAllowed, and InvalidParams if it has none."""
    path = layout.store_path(agent_id)
    if path is None:
        name = app.directories.profile.name
        raise InvalidParams(
            f"expected a store: agents of the profile {name} have none of their own", "$.storePath"
        )
    app.places.roots.check(path)
    return AgentStore(app.gateway.stores.get(path), layout, agent_id)


def store_to_change(app: App, layout: Layout, agent_id: str) -> AgentStore:
    """The same, to be written.

    Raises ReadOnly if the daemon only reads, and Unsupported if a database has replaced the store.
    """
    store = store_of(app, layout, agent_id)
    if app.config.read_only:
        raise ReadOnly(store.path)
    store.check_in_use()
    return store


def key_of(layout: Layout, key: str, name: str = "sessionKey") -> str:
    """The key as stores have it. Raises InvalidParams for a blank one."""
    found = session_key.canonical(key, layout.rules)
    if not found:
        raise InvalidParams("key required", f"$.{name}")
    return found


def store_problems(found: Iterable[StoreProblem]) -> list[contract.StoreProblem] | UnsetType:
    return [
        contract.StoreProblem(
            kind=problem.kind,
            message=problem.message,
            sessionKey=UNSET if problem.session_key is None else problem.session_key,
            path=UNSET if problem.path is None else problem.path,
        )
        for problem in found
    ] or UNSET


async def get(app: App, params: contract.StoreGetParams) -> contract.StoreGetResult:
    layout = layout_of(app, params)
    key = key_of(layout, params.sessionKey)
    store = store_of(app, layout, session_key.agent_of(key, layout.rules))
    snapshot = await store.read()
    entry = find(snapshot.items, key, params.sessionKey, layout.rules)
    return contract.StoreGetResult(
        sessionKey=key,
        entry=None if entry is None else entry.compact(),
        storePath=store.path,
        problems=store_problems(snapshot.problems),
        configProblems=problems_of(layout.config),
    )


METHODS: dict[str, Handler] = {"gateway/get": get}
