"""Generate the files of the TypeScript client."""

from __future__ import annotations

from typing import Any

from targets import reading
from targets.typescript.methods import methods
from targets.typescript.shapes import shapes
from targets.typescript.types import errors, types

FOLDER = "clients/typescript/src/generated"


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    return {
        f"{FOLDER}/types.ts": types(contract),
        f"{FOLDER}/errors.ts": errors(contract),
        f"{FOLDER}/methods.ts": methods(contract),
        f"{FOLDER}/shapes.ts": shapes(contract),
    }
