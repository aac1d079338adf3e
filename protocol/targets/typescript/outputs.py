"""Generate the files of the TypeScript client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from targets import reading
from targets.typescript.methods import methods
from targets.typescript.session_methods import session_methods
from targets.typescript.types import errors, types

CLIENT = "clients/typescript"
FOLDER = f"{CLIENT}/src/generated"
ROOT = Path(__file__).resolve().parents[3]


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    return {
        f"{FOLDER}/types.ts": types(contract),
        f"{FOLDER}/errors.ts": errors(contract),
        f"{FOLDER}/methods.ts": methods(contract),
        f"{FOLDER}/session-methods.ts": session_methods(contract),
        f"{FOLDER}/version.ts": _version(),
    }


def _version() -> str:
    """Return the version of the package as a constant, which bundlers can include."""
    package = json.loads((ROOT / CLIENT / "package.json").read_text(encoding="utf-8"))
    head = (
        "// Generated from package.json by protocol/generate.py.\n"
        "// Do not edit; run `make generate`.\n"
    )
    return f"{head}\nexport const VERSION = {json.dumps(package['version'])};\n"
