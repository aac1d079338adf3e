"""Count the tokens and dollars of a session of Claude Code once.

Each line of an answer has the usage of the whole answer so far; older versions, and subagents,
write the first lines before the model has finished. So an answer counts what its figures have
grown by.
From version 2.1.33x on, the program records the dollars at the end of each run (`cost-state`): a
sum over the whole session by model, which includes the runs before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Self

import attrs
import msgspec

from sessiond.agents.messages import Count
from sessiond.text.lenient import lenient

Tokens = tuple[int, int, int, int, int]
"""Input, output, read from the cache, written to the cache, and of the last those for an hour."""

NO_TOKENS: Tokens = (0, 0, 0, 0, 0)


class _ModelCost(msgspec.Struct, rename="camel", gc=False):
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cost_dollars: float | None = msgspec.field(default=None, name="costUSD")


class _CostState(msgspec.Struct, rename="camel", gc=False):
    total_dollars: float | None = msgspec.field(default=None, name="totalCostUSD")
    model_usage: dict[str, _ModelCost] = {}
    has_unknown_model_cost: bool | None = None


_cost_state = lenient(_CostState)


@attrs.frozen
class Paid:
    """The amount that a run adds to the recorded costs of a session, for one model."""

    model: str
    tokens: Tokens
    """Tokens that no line of the session has, as those of compactions."""
    dollars: float
    answers: int
    """The number of answers of the session that these dollars cover."""


@attrs.define
class Tally:
    """The tokens of the answers of a session, and the dollars, as far as they were counted."""

    answers: dict[str, Tokens] = attrs.field(factory=dict)
    """By the id of an answer: the highest figures of its lines."""
    models: dict[str, Tokens] = attrs.field(factory=dict)
    """By model: the tokens of its answers, and those that only the recorded costs have."""
    unpaid: Counter[str] = attrs.field(factory=Counter)
    """By model: the number of answers since the last recorded cost."""
    dollars: dict[str, float] = attrs.field(factory=dict)
    """By model: what is recorded."""
    delegates: bool = False
    """Whether the session has called an agent, whose tokens are in a file of its own."""

    def copy(self) -> Self:
        return attrs.evolve(
            self,
            answers=self.answers.copy(),
            models=self.models.copy(),
            unpaid=self.unpaid.copy(),
            dollars=self.dollars.copy(),
        )

    def growth(self, answer_id: str | None, model: str, tokens: Tokens) -> Tokens:
        """Return by what the figures of an answer have grown with a line."""
        before = None if answer_id is None else self.answers.get(answer_id)
        if before == tokens:
            return NO_TOKENS
        if before is None:
            self.unpaid[model] += 1
            grown = before = tokens
        else:
            grown = _above(tokens, before)
            before = _sum(before, grown)
        if answer_id is not None:
            self.answers[answer_id] = before
        self.models[model] = _sum(self.models.get(model, NO_TOKENS), grown)
        return grown

    def pay(self, line: bytes, model: str) -> Iterator[Paid]:
        """Yield what a line of recorded costs adds, for each of its models in their order.

        Dollars that it gives for no model count for `model`.
        """
        state = _cost_state(line)
        if state is None:
            return
        dollars = {model: cost.cost_dollars or 0.0 for model, cost in state.model_usage.items()}
        if state.total_dollars is not None:
            first = next(iter(dollars), model)
            dollars[first] = dollars.get(first, 0.0) + state.total_dollars - sum(dollars.values())
        for number, name in enumerate(dict.fromkeys((*dollars, *self.dollars))):
            added = dollars.get(name, 0.0) - self.dollars.get(name, 0.0)
            tokens = self._missing(name, state.model_usage.get(name))
            answers = 0
            if not state.has_unknown_model_cost:
                # The first model also stands for those that the line does not list.
                others = [each for each in self.unpaid if each not in dollars and not number]
                answers = sum(self.unpaid.pop(each, 0) for each in (name, *others))
            if added or answers or tokens != NO_TOKENS:
                yield Paid(name, tokens, added, answers)
        self.dollars = dollars

    def _missing(self, model: str, cost: _ModelCost | None) -> Tokens:
        """Return the tokens of a model that no line has; none if agents may have used them."""
        if self.delegates or cost is None:
            return NO_TOKENS
        recorded = (
            cost.input_tokens,
            cost.output_tokens,
            cost.cache_read_input_tokens,
            cost.cache_creation_input_tokens,
            0,
        )
        counted = self.models.get(model, NO_TOKENS)
        missing = _above(recorded, counted)
        self.models[model] = _sum(counted, missing)
        return missing


def _above(tokens: Tokens, before: Tokens) -> Tokens:
    """Return by how much each figure is above the known one; 0 if it is below."""
    (a, b, c, d, e), (v, w, x, y, z) = tokens, before
    return max(0, a - v), max(0, b - w), max(0, c - x), max(0, d - y), max(0, e - z)


def _sum(one: Tokens, other: Tokens) -> Tokens:
    (a, b, c, d, e), (v, w, x, y, z) = one, other
    return a + v, b + w, c + x, d + y, e + z
