"""Generate the Python client's types for the contract's classes, and a class per kind of error."""

from __future__ import annotations

from targets import model
from targets.model import Class, Contract, Member, Tagged
from targets.python.types import (
    HEADER,
    Spelling,
    carriers,
    docstring,
    python_name,
    stored_classes,
    values_name,
)

_TIMES = {
    "timestamp": "time",
    "created": "created_time",
    "modified": "modified_time",
    "firstActivity": "first_activity_time",
    "lastActivity": "last_activity_time",
    "updatedAt": "updated_time",
}
"""Member with a time → the property that returns it as a `datetime`."""


_KIND = [
    "\n    @property",
    "    def kind(self) -> Literal['changed']:",
    '        """What tells it from `reconnected` and `lost` in the changes of a subscription."""',
    "        return 'changed'",
]


def contract_module(contract: Contract) -> str:
    """Return the text of `contract.py`."""
    spelled = Spelling(contract, number="int | float", named=True)
    definitions = contract.definitions
    # `Sessiond(settings=…)` takes the params of `initialize`; those of other methods are arguments.
    params = {each.params for each in contract.methods} - {"InitializeParams"}
    classes = {
        name: each
        for name, each in definitions.items()
        if isinstance(each, Class) and name not in params
    }
    unions = {
        name: each for name, each in definitions.items() if isinstance(each, Tagged | model.Alias)
    }
    unknown = [name for name, each in definitions.items() if isinstance(each, model.Unknown)]
    stored = stored_classes(contract)
    lines = [
        HEADER,
        '"""The classes of the contract. Members are in snake case, in JSON in camel case."""\n',
        "from __future__ import annotations\n",
        "from datetime import datetime",
        "from typing import TYPE_CHECKING, Any, Literal, TypeAlias\n",
        "from msgspec import UNSET, UnsetType, field\n",
        "from sessiond_client.objects import (",
        *(f"    {name}," for name in sorted(["StoredObject", "WireObject", *unknown])),
        "    tagged,",
        "    untagged,",
        ")",
        "from sessiond_client.times import as_datetime, as_optional_datetime",
    ]
    values = {
        values_name(name, member): member.type.values
        for name, each in classes.items()
        for member in each.members
        if isinstance(member.type, model.KnownStrings) and len(each.forms) == 1
    }
    lines += ["\nif TYPE_CHECKING:", "    # Later versions may add values."]
    for name, known in values.items():
        lines += [f"    {name}: TypeAlias = Literal[{', '.join(map(repr, known))}] | str"]
    lines += ["else:", *(f"    {name} = str" for name in values)]
    reported = {each.params for each in contract.notifications if each.takes("subscription")}
    for name, each in classes.items():
        for form in each.forms:
            lines += _class(form, spelled, stored=name in stored)
            lines += _KIND if name in reported else []
    chosen = [each for each in classes.values() if len(each.forms) > 1]
    named = {name for each in classes.values() for name in (each.name, *_forms(each))}
    lines += ["\n\nif TYPE_CHECKING:"]
    lines += [f"    {name}: TypeAlias = {_union(union, spelled)}" for name, union in unions.items()]
    lines += [f"    {e.name}: TypeAlias = {' | '.join(_forms(e))}" for e in chosen]
    lines += ["else:"]
    # A union that is part of another one comes first.
    ordered = sorted(unions.values(), key=lambda union: isinstance(union, model.Alias))
    lines += [f"    {union.name} = {_run_time_union(union, spelled)}" for union in ordered]
    lines += [f'    {e.name} = untagged("{e.name}", {", ".join(_forms(e))})' for e in chosen]
    lines += [
        "\nEXACT: dict[str, tuple[tuple[str, str], ...]] = {",
        *(
            f'    "{form}": ({" ".join(_pair(each) for each in members)}),'
            for name, members in carriers(contract).items()
            for form in _forms(classes[name])
        ),
        "}",
        '"""Class → its members with stored JSON, or with classes that have such members.\n',
        "Each member is there with its name in the JSON.",
        '"""',
        "\n__all__ = [",
        *(f'    "{name}",' for name in sorted(["EXACT", *named, *unions, *unknown, *values])),
        "]",
    ]
    return "\n".join([*lines, ""])


def _forms(cls: Class) -> list[str]:
    return [each.name for each in cls.forms]


def _pair(member: Member) -> str:
    return f'("{python_name(member.name)}", "{member.name}"),'


def _class(cls: Class, spelled: Spelling, *, stored: bool) -> list[str]:
    base = "StoredObject" if stored else "WireObject"
    lines = [f"\n\nclass {cls.name}({base}, kw_only=True):", *docstring(cls.doc, indent=4), ""]
    names = {python_name(each.name) for each in cls.members}
    # As pi writes them: the tag is the first member.
    for each in sorted(cls.members, key=lambda member: member.constant is None):
        if each.type == model.KnownStrings(()):
            lines += _unknown_tag(each)
            continue
        lines.append(
            f"    {python_name(each.name)}: {spelled.member(each, cls.name)}{_default(each)}"
        )
        if each.doc:
            lines += docstring(each.doc, indent=4)
    for each in cls.members:
        if each.type == model.KnownStrings(()):
            lines += [
                "\n    @property",
                f"    def {python_name(each.name)}(self) -> None:",
                '        """None, by which a type checker tells it from the known ones."""',
            ]
        if each.name not in _TIMES:
            continue
        name, member = _TIMES[each.name], python_name(each.name)
        if name in names:
            raise model.Unreadable(f"{cls.name}.{name} is a member and a property")
        always = each.required and not each.nullable
        lines += [
            "\n    @property",
            f"    def {name}(self) -> datetime{'' if always else ' | None'}:",
            f'        """`{member}` as a `datetime`. Raises `ValueError`."""',
            f"        return as_{'' if always else 'optional_'}datetime(self.{member})",
        ]
    return lines


def _unknown_tag(member: Member) -> list[str]:
    return [
        f'    unknown_{python_name(member.name)}: str = field(name="{member.name}")',
        f'    """The `{member.name}`: this version does not know it, or a member is missing."""',
    ]


def _default(member: Member) -> str:
    """Return the default value of a member, and its JSON name if that is not in camel case."""
    name = python_name(member.name)
    first, *rest = name.split("_")
    renamed = first + "".join(word.capitalize() for word in rest) != member.name
    default = repr(member.constant if member.constant is not None else member.default)
    if member.required and member.constant is None:
        return f' = field(name="{member.name}")' if renamed else ""
    default = "UNSET" if default == "None" else default
    return f' = field(default={default}, name="{member.name}")' if renamed else f" = {default}"


def _union(union: Tagged | model.Alias, spelled: Spelling) -> str:
    if isinstance(union, model.Alias):
        return spelled.of(union.type)
    return " | ".join([*union.classes.values(), union.unknown])


def _run_time_union(union: Tagged | model.Alias, spelled: Spelling) -> str:
    if isinstance(union, Tagged):
        classes = ", ".join(f'"{tag}": {cls}' for tag, cls in union.classes.items())
        return f'tagged("{union.name}", "{union.member}", {{{classes}}}, {union.unknown})'
    match union.type:
        case model.OneOf(arms) if all(isinstance(arm, model.Ref) for arm in arms):
            return f'untagged("{union.name}", {", ".join(map(spelled.of, arms))})'
    return spelled.of(union.type)


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
