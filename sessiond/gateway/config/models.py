"""Which model a session uses, according to its entry and the configuration.

Names of models are not checked, because there is no catalogue of models here.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.gateway.config.reader import Part, finite
from sessiond.gateway.keys.identity import token, trim
from sessiond.gateway.rules.memory_flush import DEFAULT_WINDOW
from sessiond.gateway.store.entry import StoreEntry


@attrs.frozen
class ModelRef:
    """A model and its provider; None where unknown."""

    provider: str | None = None
    model: str | None = None


@attrs.frozen
class Models:
    """The models that a configuration gives one agent."""

    default: ModelRef = attrs.field(factory=ModelRef)
    aliases: Mapping[str, str] = attrs.field(factory=dict)
    """Short name in lower case → `provider/model`."""
    context_tokens: float = DEFAULT_WINDOW

    @classmethod
    def of(cls, config: Part, agent_id: str | None = None) -> Models:
        """Read `agents.defaults`; the agent's own `model` in `agents.list` overrides it."""
        agents = config.part("agents")
        defaults = agents.part("defaults")
        aliases = _aliases(defaults.part("models"))
        named = _model_in(defaults)
        for item in agents.items("list") if agent_id is not None else ():
            if item.present and normal_agent_id(item.text("id")) == agent_id:
                named = _model_in(item) or named
                break
        default = _parsed(aliases.get(token(named), named or ""), None)
        window = defaults.number("contextTokens") or _window(config, default)
        return cls(default, aliases, window or DEFAULT_WINDOW)

    def parse(self, text: str) -> ModelRef:
        """Parse `provider/model`, an alias, or the name of a model of the default provider.

        The model is None if one side of the slash is empty.
        """
        named = trim(text)
        return _parsed(self.aliases.get(token(named), named), self.default.provider)

    def used_by(self, entry: StoreEntry) -> ModelRef:
        """The model of the last run, else the override, else the default."""
        last = trim(entry.string("model") or "")
        if last:
            provider = trim(entry.string("modelProvider") or "")
            return ModelRef(provider, last) if provider else _parsed(last, None)
        chosen = trim(entry.string("modelOverride") or "")
        if chosen:
            provider = trim(entry.string("providerOverride") or "")
            return ModelRef(provider or self.default.provider, chosen)
        return self.default


def _parsed(named: str, provider: str | None) -> ModelRef:
    before, slash, after = named.partition("/")
    if not slash:
        return ModelRef(provider, trim(named) or None) if trim(named) else ModelRef()
    return ModelRef(token(before), trim(after)) if trim(before) and trim(after) else ModelRef()


def _model_in(part: Part) -> str | None:
    """`model`: a name, or an object with the name in `primary`."""
    value = (part.members or {}).get("model")
    named = part.part("model").text("primary") if isinstance(value, dict) else part.text("model")
    return trim(named or "") or None


def _window(config: Part, wanted: ModelRef) -> float | None:
    """Context window of a model in `models.providers`: its own provider's, else another's."""
    providers = config.part("models").part("providers")
    windows: dict[str, float] = {}
    for name in providers.members or {} if wanted.model else ():
        for model in providers.part(name).items("models"):
            window = finite(model.number("contextWindow"))
            if model.text("id") == wanted.model and window is not None and window > 0:
                windows[token(name)] = window
    return windows.get(wanted.provider or "", next(reversed(windows.values()), None))


def _aliases(models: Part) -> dict[str, str]:
    aliases: dict[str, str] = {}
    for name in models.members or {}:
        alias = token(models.part(name).text("alias"))
        if alias:
            aliases.setdefault(alias, name)
    return aliases
