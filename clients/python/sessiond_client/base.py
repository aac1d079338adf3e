"""The base class of the generated calls of a session."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeVar

T = TypeVar("T")


class SessionBase(ABC):
    """Sends requests.

    `repeat` says whether the request may be sent again if the daemon ends before it answers.
    """

    @abstractmethod
    async def _request(
        self, method: str, params: dict[str, Any], result: type[T], *, repeat: bool
    ) -> T: ...
