"""Calculate the cost of entries for which the agent has recorded none.

The prices are those that the package genai-prices carries: by provider and model, by the time of
the request, and by the size of the prompt. Pricing one request with it takes 250 us, so the rates
of a model are taken from it, and multiplied here; a test compares the two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self, TypeAlias, cast

import attrs
from msgspec.structs import replace

from sessiond.catalog.usage.count import QUARTER_MS, FileUsage, Sums, counted
from sessiond.format.describe.usage_line import Amounts, EntryUsage
from sessiond.runtime.errors import Unsupported, how_to_install

if TYPE_CHECKING:
    from decimal import Decimal

    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelPrice, TieredPrices

Model = tuple[str, str]
"""Provider and model."""

_Entry = tuple[Model, int | None, Sums]
"""An entry: its model, when it was written (a quarter of an hour), and its amounts."""

_KEYS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")


class Tokens(NamedTuple):
    """Tokens of one request; `cache_write_hour` is the part of `cache_write` kept for an hour."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    cache_write_hour: int

    @property
    def prompt(self) -> int:
        """The size of the whole prompt."""
        return self.input + self.cache_read + self.cache_write


class _Rates(NamedTuple):
    """US dollars per token of each kind, for prompts of more than `above` tokens."""

    above: int
    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_hour: float

    def dollars(self, used: Tokens) -> tuple[float, float, float, float]:
        written = (used.cache_write - used.cache_write_hour) * self.cache_write
        return (
            used.input * self.input,
            used.output * self.output,
            used.cache_read * self.cache_read,
            written + used.cache_write_hour * self.cache_write_hour,
        )


_Price: TypeAlias = "Decimal | TieredPrices | None"


@attrs.frozen
class Prices:
    """The prices of models, and which data they are from."""

    package: ClassVar[str] = "genai-prices"
    version: str
    """The version of the package, which says how old they are."""
    _data: DataSnapshot
    _models: dict[tuple[Model, int | None], list[_Rates]] = attrs.field(factory=dict)

    @classmethod
    def load(cls) -> Self:
        """Return the prices that are installed. Raises Unsupported without the package."""
        try:
            from genai_prices.data_snapshot import get_snapshot
        except ModuleNotFoundError as error:
            how = how_to_install(cls.package, "prices")
            message = f"The package for prices is not installed; {how}"
            raise Unsupported(message, error.name or "", how) from None
        return cls(version(cls.package), get_snapshot())

    def dollars(
        self, model: Model, quarter: int | None, used: Tokens
    ) -> tuple[float, float, float, float] | None:
        """Return the cost of input, output, and reading from and writing to a cache.

        None for a model without a price. `quarter`: when it was used; None: now.
        """
        rates = self._rates(model, quarter)
        return next((each.dollars(used) for each in rates if used.prompt > each.above), None)

    def fill(self, usage: FileUsage) -> FileUsage:
        """Return the usage of a file with the cost of the entries for which none is recorded."""
        entries = usage.all_entries()
        filled = self._fill([(usage.models[index], when, own) for _, when, index, own in entries])
        if not filled:
            return usage
        return usage.with_entries(
            [(*entry[:3], filled.get(at, entry[3])) for at, entry in enumerate(entries)]
        )

    def fill_each(self, usages: Sequence[EntryUsage]) -> list[EntryUsage]:
        """Return the usage of all entries of a session with the cost of those that have none."""
        filled = self._fill([(usage.model, *counted(usage)) for usage in usages])
        return [
            _with_cost(usage, filled[at]) if at in filled else usage
            for at, usage in enumerate(usages)
        ]

    def _fill(self, entries: Sequence[_Entry]) -> dict[int, Sums]:
        """Return the amounts of the entries that get a cost, by their place."""
        filled = {}
        for at in _without_cost(entries):
            model, quarter, sums = entries[at]
            dollars = self.dollars(model, quarter, Tokens(*sums[2:6], sums[-2]))
            if dollars is not None:
                # An entry without tokens, such as an answer of Codex, costs what others have.
                calculated = sums[1] if any(sums[2:6]) else 0
                costs = (*dollars, sum(dollars))
                filled[at] = (sums[0], 0, *sums[2:6], *costs, sums[-2], calculated)
        return filled

    def _rates(self, model: Model, quarter: int | None) -> list[_Rates]:
        """Return the rates of a model at a time, those of the largest prompts first."""
        rates = self._models.get((model, quarter))
        if rates is None:
            price = self._price(model, quarter)
            rates = [] if price is None else sorted(_rates_of(price), reverse=True)
            self._models[model, quarter] = rates
        return rates

    def _price(self, model: Model, quarter: int | None) -> ModelPrice | None:
        provider, name = model
        try:
            _, info = self._data.find_provider_model(name, None, provider or None, None)
        except LookupError:
            return None
        at = datetime.now(UTC)
        if quarter is not None:
            at = datetime.fromtimestamp(quarter * QUARTER_MS / 1000, UTC)
        return info.get_prices(at)


def _rates_of(price: ModelPrice) -> Iterator[_Rates]:
    """Yield the rates for each size of a prompt; none of a model that is not paid by tokens."""
    given, output, read, written, hour = (cast("_Price", getattr(price, key)) for key in _KEYS)
    if given is None or output is None:
        return
    # Without a price of its own, a token costs what its next more general kind does.
    read = given if read is None else read
    written = given if written is None else written
    prices = (given, output, read, written, written if hour is None else hour)
    starts = {tier.start for each in prices for tier in getattr(each, "tiers", ())}
    for start in (-1, *starts):
        yield _Rates(start, *(_rate(each, start) / 1_000_000 for each in prices))


def _rate(price: Decimal | TieredPrices, above: int) -> float:
    """Return what a million tokens cost in prompts of more than `above` tokens."""
    tiers = getattr(price, "tiers", None)
    if tiers is None:
        return float(cast("Decimal", price))
    tiered = cast("TieredPrices", price)
    reached = [tier.price for tier in tiers if tier.start <= above]
    return float(reached[-1] if reached else tiered.base)


def _without_cost(entries: Iterable[_Entry]) -> Iterator[int]:
    """Yield the numbers of the entries whose cost no entry of the session records.

    One may record the cost of all answers of its model before it, and of other models' if it stands
    for more answers.
    """
    waiting = defaultdict[Model, list[int]](list)
    answers = Counter[Model]()
    for number, (model, _, (count, without_cost, *used)) in enumerate(entries):
        if without_cost < 0:
            if -without_cost > answers[model]:
                waiting.clear()
                answers.clear()
            waiting.pop(model, None)
            answers.pop(model, None)
        elif without_cost or (not count and waiting[model] and any(used[:4])):
            # Or it continues an answer.
            waiting[model].append(number)
            answers[model] += count
    for numbers in waiting.values():
        yield from numbers


def _with_cost(usage: EntryUsage, sums: Sums) -> EntryUsage:
    amounts = Amounts(
        tokens=sums[2:6],
        dollars=sums[6:10],
        total=sums[10],
        has_cost=True,
        for_an_hour=sums[11],
    )
    return replace(usage, amounts=amounts, calculated=sums[12])
