"""Decide which optional members are plain values, whose zero value means absent.

Only members that programs write can be: of what the daemon answers, an empty string is a value.
"""

from __future__ import annotations

from targets import model
from targets.go.types import is_text
from targets.reach import names_in, reached

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
    sent = reached(contract, (each.params for each in contract.methods if each.params))
    results = (each.result for each in contract.methods if each.result is not None)
    received = reached(contract, (name for each in results for name in names_in(each)))
    received |= reached(contract, (each.params for each in contract.notifications if each.params))
    return frozenset(sent - received)


def is_plain(member: model.Member, cls: str, sent: frozenset[str]) -> bool:
    """Whether the zero value of an optional member means that it is absent."""
    match member.type:
        case model.Primitive("boolean"):
            return member.default is False and member.client_default is None
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
