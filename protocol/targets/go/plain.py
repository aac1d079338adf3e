"""Decide which optional members are plain values, whose zero value means absent.

Only members that programs write can be: of what the daemon answers, an empty string is a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from targets import model
from targets.go.types import is_text

_EMPTY_IS_A_VALUE = {
    # A model may answer nothing; absent means that it was not asked.
    "FinishBranchSummaryParams": {"summary"},
    "FinishCompactionParams": {"historySummary", "prefixSummary"},
    # The gateways use the first text that is not absent, even if it is empty.
    "MessageContext": {"Body", "BodyForCommands", "CommandBody", "RawBody"},
}
"""Members of params whose empty string does not mean absent."""

_ZERO_IS_ABSENT = {"limit", "tokenBudget"}
"""Integers that limit something; zero means without limit."""


def sent_only(contract: model.Contract) -> frozenset[str]:
    """Return the names of the classes that only occur in params of requests."""
    sent = _reached(contract, (each.params for each in contract.methods if each.params))
    results = (each.result for each in contract.methods if each.result is not None)
    received = _reached(contract, (name for each in results for name in _refs(each)))
    received |= _reached(contract, (each.params for each in contract.notifications if each.params))
    return frozenset(sent - received)


def is_plain(member: model.Member, cls: str, sent: frozenset[str]) -> bool:
    """Whether the zero value of an optional member means that it is absent."""
    match member.type:
        case model.Primitive("boolean"):
            return member.default is False
        case _ if cls not in sent or member.null_means == "value":
            return False
        case model.Primitive("integer"):
            refused = member.minimum is not None and member.minimum > 0
            return refused or member.default == 0 or member.name in _ZERO_IS_ABSENT
        case model.Primitive("string"):
            return member.name not in _EMPTY_IS_A_VALUE.get(cls, ())
        case model.Literal(values) | model.KnownStrings(values):
            return is_text(values) and "" not in values
    return False


def _reached(contract: model.Contract, names: Iterable[str]) -> set[str]:
    """Return these definitions and all that they contain."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        match contract.definition(name):
            case model.Class(members=members):
                waiting += (ref for each in members for ref in _refs(each.type))
            case model.Tagged(classes=classes, unknown=unknown):
                waiting += [*classes.values(), unknown]
            case model.Alias(type=kind):
                waiting += _refs(kind)
    return found


def _refs(kind: model.Type) -> Iterator[str]:
    """Yield the names of the definitions in a type."""
    match kind:
        case model.Ref(name):
            yield name
        case model.Array(inner) | model.Map(inner) | model.Nullable(inner):
            yield from _refs(inner)
        case model.OneOf(inners) | model.Tuple(inners):
            for inner in inners:
                yield from _refs(inner)
