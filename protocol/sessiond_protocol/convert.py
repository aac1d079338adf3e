"""Convert parsed JSON to typed values and back, for clients.

Values are never coerced: if a string is expected, 3 is an error and does not become "3". Entries,
messages and content blocks are built by their tag; a value with an unknown tag, or one that does
not fit its class, becomes the unknown class with the whole value. Every other value that does not
fit raises `Misfit`.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar, cast, get_args, get_origin

import attrs
import msgspec
from cattrs import BaseValidationError, Converter, transform_error
from cattrs.cols import list_structure_factory
from cattrs.gen import make_dict_structure_fn
from cattrs.v import format_exception
from msgspec import UNSET, Meta, Raw, UnsetType

from sessiond_protocol.connection.progress import PartialSessions, WorkDoneProgress
from sessiond_protocol.content import BLOCKS, Block, Content, UnknownBlock, Usage
from sessiond_protocol.entries import (
    ENTRIES,
    Entry,
    Header,
    Replacement,
    SessionHeader,
    UnknownEntry,
)
from sessiond_protocol.messages import MESSAGES, Message, UnknownMessage
from sessiond_protocol.session.read import OutlineNode, TreeNode
from sessiond_protocol.wire import SCHEMAS

T = TypeVar("T")


class Misfit(ValueError):
    """A JSON value that does not fit its type; the message has a JSON path to it."""


def structure(value: Any, cls: type[T]) -> T:
    """Build a class of the contract (or a list or dict of such) from parsed JSON.

    Raises `Misfit`. Members that the class does not have are left out.
    """
    try:
        return _converter.structure(value, cls)
    except BaseValidationError as error:
        raise Misfit("; ".join(transform_error(error, "$", _explain))) from error


def unstructure(value: Any) -> Any:
    """Turn a value of the contract into JSON values; unset members are left out."""
    return _converter.unstructure(value)


def structure_entry(value: Any) -> Entry:
    """Build an entry by its `type`; never fails."""
    return cast("Entry", _by_tag(value, "type", ENTRIES, UnknownEntry))


def structure_header(value: Any) -> Header:
    """Build a header; one that does not fit is an `UnknownEntry`."""
    return cast("Header", _by_tag(value, "type", {"session": SessionHeader}, UnknownEntry))


def structure_message(value: Any) -> Message:
    """Build a message by its `role`; never fails."""
    return cast("Message", _by_tag(value, "role", MESSAGES, UnknownMessage))


def structure_block(value: Any) -> Block:
    """Build a content block by its `type`; never fails."""
    return cast("Block", _by_tag(value, "type", BLOCKS, UnknownBlock))


def structure_content(value: Any) -> Content:
    """Build content: text, or a list of blocks. Raises `Misfit`."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return [structure_block(block) for block in value]
    raise _misfit("text or a list of blocks", value)


def _structure_node(value: Any) -> TreeNode | OutlineNode:
    if isinstance(value, dict) and "entry" in value:
        return _converter.structure(value, TreeNode)
    return _converter.structure(value, OutlineNode)


def _structure_progress(value: Any) -> WorkDoneProgress | PartialSessions:
    if isinstance(value, dict) and "sessions" in value:
        return _converter.structure(value, PartialSessions)
    return _converter.structure(value, WorkDoneProgress)


def _structure_usage(value: Any) -> Usage:
    return _converter.structure(value, Usage)


def _structure_replacement(value: Any) -> Replacement:
    return _converter.structure(value, Replacement)


_COMPONENTS: dict[str, Callable[[Any], Any]] = {
    "Header": structure_header,
    "Entry": structure_entry,
    "Message": structure_message,
    "Block": structure_block,
    "Content": structure_content,
    "Node": _structure_node,
    "ProgressValue": _structure_progress,
    "Usage": _structure_usage,
    "Replacement": _structure_replacement,
}
"""Component of the OpenRPC document → function that builds it, for members that the daemon keeps
as raw JSON."""


def _by_tag(value: Any, tag: str, classes: dict[str, type[Any]], unknown: type[Any]) -> Any:
    name = value.get(tag) if isinstance(value, dict) else None
    cls = classes.get(name) if isinstance(name, str) else None
    if cls is None:
        return unknown(value)
    try:
        return _converter.structure(value, cls)
    except (Misfit, BaseValidationError):
        return unknown(value)


def _explain(error: BaseException, kind: type[Any] | None) -> str:
    return str(error) if isinstance(error, Misfit) else format_exception(error, kind)


def _misfit(expected: str, value: Any) -> Misfit:
    return Misfit(f"expected {expected}, got {type(value).__name__}")


def _exactly(expected: str, *types: type[Any]) -> Callable[[Any, Any], Any]:
    def check(value: Any, _: Any) -> Any:
        # Types are compared by identity, because isinstance accepts a bool as an int.
        if type(value) not in types:
            raise _misfit(expected, value)
        return value

    return check


def _component(annotation: Any) -> str | None:
    """Return the component that a raw member's annotation names."""
    if get_origin(annotation) is not Annotated:
        return None
    for meta in get_args(annotation)[1:]:
        ref = (meta.extra_json_schema or {}).get("$ref") if isinstance(meta, Meta) else None
        if ref is not None:
            return cast("str", ref).removeprefix(SCHEMAS)
    return None


def _names_component(annotation: Any) -> bool:
    return _component(annotation) is not None


def _component_hook(annotation: Any) -> Callable[[Any, Any], Any]:
    build = _COMPONENTS[cast("str", _component(annotation))]
    return lambda value, _: build(value)


def _record_hook(cls: type[Any], converter: Converter) -> Callable[[Any, Any], Any]:
    build = make_dict_structure_fn(cls, converter)

    def check(value: Any, _: Any) -> Any:
        if not isinstance(value, dict):
            raise _misfit("an object", value)
        return build(value, cls)

    return check


def _list_hook(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    build = list_structure_factory(kind, converter)

    def check(value: Any, _: Any) -> Any:
        if not isinstance(value, list):
            raise _misfit("a list", value)
        return build(value, kind)

    return check


def _dict_hook(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    of = get_args(kind)[1]

    def check(value: Any, _: Any) -> Any:
        if not isinstance(value, dict):
            raise _misfit("an object", value)
        return {key: converter.structure(item, of) for key, item in value.items()}

    return check


def _union_hook(union: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    arms = [arm for arm in get_args(union) if arm is not UnsetType]
    nullable = type(None) in arms
    hooks = [(arm, converter.get_structure_hook(arm)) for arm in arms if arm is not type(None)]

    def check(value: Any, _: Any) -> Any:
        if value is None and nullable:
            return None
        if len(hooks) == 1:
            arm, hook = hooks[0]
            return hook(value, arm)
        for arm, hook in hooks:
            try:
                return hook(value, arm)
            except (Misfit, BaseValidationError):
                continue
        raise _misfit(" or ".join(getattr(arm, "__name__", str(arm)) for arm, _ in hooks), value)

    return check


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in {typing.Union, types.UnionType}


def _is_list(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is list


def _is_dict(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is dict


def _record_members(value: Any) -> dict[str, Any]:
    members = ((field.name, getattr(value, field.name)) for field in attrs.fields(type(value)))
    return {name: unstructure(member) for name, member in members if member is not UNSET}


def _new_converter() -> Converter:
    converter = Converter()
    converter.register_structure_hook(str, _exactly("a string", str))
    converter.register_structure_hook(int, _exactly("an integer", int))
    converter.register_structure_hook(float, _exactly("a number", float, int))
    converter.register_structure_hook(bool, _exactly("true or false", bool))
    # A member that the daemon keeps as raw JSON may be any value in a client.
    converter.register_structure_hook(Raw, lambda value, _: value)
    converter.register_structure_hook_factory(attrs.has, _record_hook)
    converter.register_structure_hook_factory(_is_list, _list_hook)
    converter.register_structure_hook_factory(_is_dict, _dict_hook)
    converter.register_structure_hook_factory(_is_union, _union_hook)
    converter.register_structure_hook_factory(_names_component, _component_hook)
    converter.register_unstructure_hook_func(attrs.has, _record_members)
    for unknown in (UnknownEntry, UnknownMessage, UnknownBlock):
        converter.register_unstructure_hook(unknown, lambda value: value.raw)
    converter.register_unstructure_hook(Raw, msgspec.json.decode)
    return converter


_converter: Final = _new_converter()
