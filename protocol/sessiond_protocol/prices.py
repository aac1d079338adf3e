"""Costs that agents have not recorded."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, UnsetType

from sessiond_protocol.wire import wire

WithPrices = Annotated[
    bool | None,
    Meta(
        description=(
            "Whether to calculate the cost of entries that record none, with the prices of the"
            " package genai-prices; refused (`Unsupported`) where that is not installed."
        )
    ),
]


Calculated = Annotated[
    int | UnsetType,
    Meta(
        description=(
            "Number of entries whose cost was not recorded, but calculated for `prices`. Absent:"
            " there are none."
        )
    ),
]


@wire
class PriceData:
    """The prices with which costs were calculated."""

    package: Annotated[str, Meta(description="The package that carries them.")]
    version: Annotated[str, Meta(description="Its version, which says how old they are.")]


PricesUsed = Annotated[
    PriceData | UnsetType, Meta(description="The prices that were used; only with `prices`.")
]
