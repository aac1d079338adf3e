"""Session keys: taking them apart, telling them apart, and the one form a store keeps them in."""

from __future__ import annotations

import re
from typing import Literal

import attrs

from sessiond.gateway.config.dialect import CODERCLAW, Dialect
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys.identity import MAIN, UNKNOWN, default_agents, normal_main_key, trim
from sessiond.profiles import normal_agent_id

GLOBAL = "global"

Shape = Literal["missing", "agent", "malformed_agent", "legacy_or_alias"]
Kind = Literal["global", "unknown", "group", "direct"]

_CRON_RUN = re.compile(r"cron:[^:]+:run:[^:]+")
_SESSION_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_THREAD_MARKS = (":thread:", ":topic:")
_GROUP_MARKS = (":group:", ":channel:")
_THREAD = ":thread:"
# Ids whose case counts: of Signal's groups one part of a key, of Matrix' rooms all that follows.
_SIGNAL_GROUP = re.compile(r"(?:\A|:)signal:group:([^:]+)", re.IGNORECASE | re.ASCII)
_MATRIX_ROOM = re.compile(r"(?:agent:[^:]+:)?matrix:(?:channel|group):", re.IGNORECASE | re.ASCII)


@attrs.frozen
class AgentKey:
    """The parts of `agent:<agentId>:<rest>`, in the case they were given in."""

    agent_id: str
    rest: str


def parse(key: str) -> AgentKey | None:
    """Take an agent's key apart; empty parts between colons do not count."""
    parts = [part for part in trim(key).split(":") if part]
    if len(parts) < 3 or parts[0] != "agent":
        return None
    agent_id, rest = trim(parts[1]), ":".join(parts[2:])
    return AgentKey(agent_id, rest) if agent_id and rest else None


def shape(key: str) -> Shape:
    if not trim(key):
        return "missing"
    if parse(key) is not None:
        return "agent"
    return "malformed_agent" if _lower(key).startswith("agent:") else "legacy_or_alias"


def kind(key: str, chat_type: str | None = None) -> Kind:
    """What sort of session it is; `chat_type` is that of its entry, if any."""
    if key == GLOBAL:
        return "global"
    if key == UNKNOWN:
        return "unknown"
    grouped = chat_type in {"group", "channel"} or any(mark in key for mark in _GROUP_MARKS)
    return "group" if grouped else "direct"


def is_cron(key: str) -> bool:
    parsed = parse(key)
    return parsed is not None and parsed.rest.lower().startswith("cron:")


def is_cron_run(key: str) -> bool:
    """Whether it is the alias of one run of a job."""
    parsed = parse(key)
    return parsed is not None and _CRON_RUN.fullmatch(parsed.rest) is not None


def is_subagent(key: str) -> bool:
    return _begins(key, "subagent:")


def subagent_depth(key: str) -> int:
    return _lower(key).count(":subagent:")


def is_acp(key: str) -> bool:
    return _begins(key, "acp:")


def is_thread(key: str) -> bool:
    return any(mark in _lower(key) for mark in _THREAD_MARKS)


def thread_parent(key: str) -> str | None:
    """The key before the last mark of a thread or topic, whatever its case; None: there is none."""
    at = _last_mark(_lower(key))
    return trim(trim(key)[:at]) or None if at > 0 else None


def thread_info(key: str) -> tuple[str, str | None]:
    """The key before the last lower-case mark of a thread or topic, and the id behind it."""
    at = _last_mark(key)
    if at < 0:
        return key, None
    _, _, thread_id = key[at + 1 :].partition(":")
    return key[:at], trim(thread_id) or None


def looks_like_session_id(text: str) -> bool:
    return _SESSION_ID.fullmatch(text) is not None


def _last_mark(key: str) -> int:
    return max(key.rfind(mark) for mark in _THREAD_MARKS)


def _begins(key: str, start: str) -> bool:
    parsed = parse(key)
    return _lower(key).startswith(start) or (
        parsed is not None and parsed.rest.lower().startswith(start)
    )


def _lower(key: str) -> str:
    return trim(key).lower()


def folded(key: str, dialect: Dialect) -> str:
    """The key, trimmed and in the case in which it is stored."""
    given = trim(key)
    lower = given.lower()
    if not dialect.keeps_case or len(lower) != len(given):
        return lower
    spans = [match.span(1) for match in _SIGNAL_GROUP.finditer(given)]
    room = _MATRIX_ROOM.match(given)
    if room is not None:
        mark = lower.rfind(_THREAD, room.end())
        ends = (room.end(), len(given)) if mark < 0 else (room.end(), mark)
        spans.append(ends)
        if mark >= 0:
            spans.append((mark + len(_THREAD), len(given)))
    for start, end in spans:
        lower = lower[:start] + given[start:end] + lower[end:]
    return lower


@attrs.frozen
class KeyRules:
    """What a configuration says of keys."""

    is_global: bool = False
    main_key: str = MAIN
    main_agent: str = MAIN
    """Whose main key `main` is."""
    default_agent: str = MAIN
    """Whose all other keys without an agent are."""
    dialect: Dialect = CODERCLAW

    @classmethod
    def of(
        cls, config: Part, agent_id: str | None = None, dialect: Dialect = CODERCLAW
    ) -> KeyRules:
        """Those of a configuration; `agent_id` stands in for its default agent."""
        session = config.part("session")
        main_agent, default_agent = default_agents(config)
        given = None if agent_id is None else normal_agent_id(agent_id)
        return cls(
            session.choice("scope", ("per-sender", GLOBAL)) == GLOBAL,
            normal_main_key(session.text("mainKey")),
            given or main_agent,
            given or default_agent,
            dialect,
        )

    def main(self, agent: str) -> str:
        """The main key of a (normal) agent."""
        return f"agent:{agent}:{self.main_key}"


def canonical(key: str, rules: KeyRules) -> str:
    """The key under which a gateway keeps the session; blank keys give an empty one."""
    lower = folded(key, rules.dialect)
    if not lower or lower in {GLOBAL, UNKNOWN}:
        return lower
    parsed = parse(key)
    if parsed is not None:
        return main_alias(lower, normal_agent_id(parsed.agent_id), rules)
    if lower in {MAIN, rules.main_key}:
        return GLOBAL if rules.is_global else rules.main(rules.main_agent)
    return lower if lower.startswith("agent:") else f"agent:{rules.default_agent}:{lower}"


def main_alias(key: str, agent: str, rules: KeyRules) -> str:
    """The agent's main key (`global` where there is but one) in place of its other spellings."""
    known = {MAIN, rules.main_key, f"agent:{agent}:{MAIN}", rules.main(agent)}
    if trim(key) not in known:
        return key
    return GLOBAL if rules.is_global else rules.main(agent)


def store_key(agent_id: str, key: str, main_key: str | None = None) -> str:
    """The key of a request as the store of that agent has it."""
    agent, given = normal_agent_id(agent_id), trim(key)
    if given in {"", MAIN}:
        return f"agent:{agent}:{normal_main_key(main_key)}"
    lower = given.lower()
    return lower if lower.startswith("agent:") else f"agent:{agent}:{lower}"


def request_key(key: str) -> str | None:
    """A store's key without its agent; None for a blank one."""
    parsed = parse(key)
    return parsed.rest if parsed is not None else trim(key) or None


def agent_of(key: str, rules: KeyRules) -> str:
    """The agent whose store has a canonical key."""
    parsed = parse(key)
    return rules.default_agent if parsed is None else normal_agent_id(parsed.agent_id)


def aliases(found: str, key: str, rules: KeyRules) -> list[str]:
    """Other keys, in any case, under which an older store may have `found`, asked for as `key`."""
    others = [trim(key)]
    agent = agent_of(found, rules)
    if found == rules.main(agent):
        others.append(f"agent:{agent}:{MAIN}")
    return [other for other in dict.fromkeys(others) if other and other != found]
