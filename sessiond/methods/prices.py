"""The member `prices` of params and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import UNSET, UnsetType
from sessiond_protocol.prices import PriceData

from sessiond.files import workers

if TYPE_CHECKING:
    # Most answers have the recorded costs.
    from sessiond.catalog.usage.prices import Prices


class _Params(Protocol):
    @property
    def prices(self) -> bool | None: ...


async def prices_for(params: _Params) -> Prices | None:
    """Return the prices if params want them. Raises Unsupported where there are none."""
    if not params.prices:
        return None
    from sessiond.catalog.usage.prices import Prices

    return await workers.scanning(Prices.load)


def price_data(prices: Prices | None) -> PriceData | UnsetType:
    """Return which prices an answer used."""
    return UNSET if prices is None else PriceData(package=prices.package, version=prices.version)
