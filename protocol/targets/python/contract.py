"""Generate the Python client's types for the contract's classes, and a class per kind of error."""

from __future__ import annotations

from targets import model
from targets.model import Contract
from targets.python.types import HEADER, Spelling, carriers, docstring, module_of, python_name


def contract_module(contract: Contract) -> str:
    """Return the text of `contract.py`."""
    spelled = Spelling(contract)
    narrowed = carriers(contract)
    params = {each.params for each in contract.methods}
    aliases = {
        name: each for name, each in contract.definitions.items() if isinstance(each, model.Alias)
    }
    plain = [
        name
        for name, each in contract.definitions.items()
        if name not in params and name not in narrowed and name not in aliases
    ]
    lines = [
        HEADER,
        '"""The classes of the contract for clients: entries and messages are typed.',
        "",
        "At run time they are the shared classes, whose members may also be `Raw`.",
        '"""',
        '\n# mypy: disable-error-code="assignment"\n',
        "from __future__ import annotations\n",
        "from typing import TYPE_CHECKING, Any, TypeAlias\n",
        "from msgspec import UnsetType\n",
        *(f"import {each}" for each in sorted({module_of(contract, name) for name in narrowed})),
        *_imports(contract, plain, ""),
        "\nif TYPE_CHECKING:",
    ]
    for name, members in narrowed.items():
        lines += [f"\n    class {name}({module_of(contract, name)}.{name}):"]
        lines += docstring(contract.definition(name).doc, indent=8)
        lines += [""]
        lines += [f"        {each.name}: {spelled.member(each)}" for each in members]
    lines += [
        "\nelse:",
        *_imports(contract, list(narrowed), "    "),
        "\nEXACT: dict[str, tuple[str, ...]] = {",
        *(
            f'    "{name}": ({" ".join(f"{each.name!r}," for each in members)}),'
            for name, members in narrowed.items()
        ),
        "}",
        '"""Class → its members with stored JSON, or with classes that have such members."""',
        *(f"\n{name}: TypeAlias = {spelled.of(each.type)}" for name, each in aliases.items()),
        "\n__all__ = [",
        *(f'    "{name}",' for name in sorted(["EXACT", *plain, *narrowed, *aliases])),
        "]",
    ]
    return "\n".join([*lines, ""])


def errors_module(contract: Contract) -> str:
    """Return the text of `errors.py`."""
    spelled = Spelling(contract)
    kinds = contract.errors.values()
    lines = [
        HEADER,
        '"""A class for every kind of error that the daemon may answer."""\n',
        "from __future__ import annotations\n",
        "from typing import cast\n",
        "from sessiond_client.failures import ErrorAnswer\n",
    ]
    for kind in kinds:
        lines += [f"\nclass {kind.name}(ErrorAnswer):", *docstring(kind.doc, indent=4)]
        for each in kind.data:
            lines += [
                "\n    @property",
                f"    def {python_name(each.name)}(self) -> {spelled.member(each)}:",
                *docstring(each.doc, indent=8),
                f'        return cast("{spelled.member(each)}", self.data["{each.name}"])',
            ]
        lines += [""]
    lines += [
        "\nKINDS: dict[str, type[ErrorAnswer]] = {",
        *(f'    "{each.name}": {each.name},' for each in kinds if each.retryable is not None),
        "}",
        '"""`data.kind` → class."""',
        "\nCODES: dict[int, type[ErrorAnswer]] = {",
        *(f"    {each.code}: {each.name}," for each in kinds if each.retryable is None),
        "}",
        '"""Code → class, of the errors that belong to JSON-RPC itself."""',
        "\n__all__ = [",
        *(f'    "{name}",' for name in sorted(["CODES", "KINDS", *(e.name for e in kinds)])),
        "]",
    ]
    return "\n".join([*lines, ""])


def _imports(contract: Contract, names: list[str], space: str) -> list[str]:
    modules = sorted({module_of(contract, name) for name in names})
    return [
        "\n".join(
            [
                f"{space}from {module} import (",
                *(f"{space}    {name}," for name in names if module_of(contract, name) == module),
                f"{space})",
            ]
        )
        for module in modules
    ]
