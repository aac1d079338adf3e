"""Generate the Rust client's types, calls, notifications and kinds of errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from targets import reading
from targets.model import (
    Alias,
    Class,
    Contract,
    Method,
    OneOf,
    Ref,
    Tagged,
)
from targets.rust import calls, classes, errors, unions
from targets.rust.names import doc
from targets.rust.types import Types

FOLDER = "clients/rust/src/generated"
HEADER = (
    "// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.\n"
    "// Do not edit; run `make generate`.\n"
)


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    types = Types(contract)
    return {
        f"{FOLDER}/types.rs": _file(_types(types)),
        f"{FOLDER}/methods.rs": _file(_methods(types.contract)),
        f"{FOLDER}/calls.rs": _file(calls.asynchronous(types)),
        f"{FOLDER}/errors.rs": _file(errors.lines(types)),
        "clients/rust/tests/future/answers.rs": _file(_answers(types.contract)),
    }


def _file(lines: Iterable[str]) -> str:
    return HEADER + "\n".join(lines) + "\n"


def _types(types: Types) -> Iterator[str]:
    yield "//! The params, results, entries and messages of the contract."
    yield ""
    yield "use std::collections::BTreeMap;"
    yield ""
    yield "use serde::{Deserialize, Serialize};"
    yield ""
    yield "use crate::finite;"
    yield "use crate::json::{Json, Raw, Union};"
    yield "use crate::nullable::{self, Id, Nullable};"
    yield "use crate::setters::setters;"
    yield "use crate::values::values;"
    yield from _definitions(types)
    yield from types.enumerations()
    yield from _notifications(types.contract)


def _definitions(types: Types) -> Iterator[str]:
    for definition in types.contract.definitions.values():
        match definition:
            case Class():
                yield from classes.struct(types, definition)
            case Tagged():
                yield from unions.tagged(types, definition)
            case Alias(type=OneOf() as union):
                yield from unions.one_of(types, definition, union.arms)
            case Alias():
                rust = types.rust(definition.type, definition.name)
                yield from ["", *doc(definition.doc), f"pub type {definition.name} = {rust};"]


def _notifications(contract: Contract) -> Iterator[str]:
    yield ""
    yield "/// A notification of the daemon."
    yield "#[derive(Clone, Debug, PartialEq)]"
    yield "#[non_exhaustive]"
    yield "pub enum Notification {"
    for each in contract.notifications:
        yield from doc(f"`{each.name}`. {each.doc}", "    ")
        yield f"    {_variant(each)}({each.params}),"
    yield "    /// An unknown notification, or one that does not fit its type."
    yield "    Unknown {"
    yield "        /// Name of the notification."
    yield "        method: String,"
    yield "        /// Its params."
    yield "        params: Raw,"
    yield "    },"
    yield "}"
    yield ""
    yield "impl Notification {"
    yield "    pub(crate) fn read(method: &str, params: &Raw) -> Self {"
    yield "        let read = match method {"
    for each in contract.notifications:
        yield f'            "{each.name}" => params.parse().map(Self::{_variant(each)}).ok(),'
    yield "            _ => None,"
    yield "        };"
    yield "        read.unwrap_or_else(|| Self::Unknown {"
    yield "            method: method.to_owned(),"
    yield "            params: params.clone(),"
    yield "        })"
    yield "    }"
    yield "}"


def _answers(contract: Contract) -> Iterator[str]:
    """Yield, for tests, the type of each answer and notification."""
    yield "//! The type of each answer and notification, for tests."
    yield ""
    yield "use sessiond_client::types::*;"
    yield ""
    yield "use crate::{again, Again};"
    yield ""
    yield "pub(crate) const ANSWERS: &[(&str, Again)] = &["
    read = {each.name: each.result for each in contract.requests}
    read |= {each.name: Ref(str(each.params)) for each in contract.notifications}
    for name, kind in read.items():
        if isinstance(kind, Ref):
            yield f'    ("{name}", again::<{kind.name}>),'
    yield "];"


def _variant(method: Method) -> str:
    return "".join(word.capitalize() for word in method.words)


# Calls


def _methods(contract: Contract) -> Iterator[str]:
    """Yield the table of methods, which does not depend on the client that uses it."""
    requests = calls.requests(contract)
    yield "//! Every method of the contract, and the effect of its answer on handles."
    yield ""
    yield "use crate::method::{Method, Tracks};"
    for each in requests:
        yield ""
        yield f"pub(crate) const {calls.constant(each)}: Method = Method {{"
        yield f'    name: "{each.name}",'
        yield f"    repeatable: {str(each.repeatable).lower()},"
        yield f"    tracks: {_tracks(contract, each)},"
        yield "};"
    yield ""
    yield "/// Every method of the contract."
    yield "const METHODS: &[&Method] = &["
    for each in requests:
        yield f"    &{calls.constant(each)},"
    yield "];"
    yield ""
    yield "/// The method with this name, if the contract has one."
    yield "pub(crate) fn named(name: &str) -> Option<&'static Method> {"
    yield "    METHODS.iter().find(|method| method.name == name).copied()"
    yield "}"


def _tracks(contract: Contract, method: Method) -> str:
    match method.result:
        case Ref("SessionState"):
            return "Tracks::State" if method.needs("session") else "Tracks::Opens"
        case result if calls.has(contract, result, "subscription"):
            group = method.name.rpartition("/")[0]
            ends = next(
                each.name
                for each in contract.requests
                if each.name.startswith(f"{group}/") and each.needs("subscription")
            )
            told = calls.notification_of(contract, method)
            return f'Tracks::Subscribes {{ told: "{told.name}", ends: "{ends}" }}'
        case _ if method.name == "session/close":
            return "Tracks::Closes"
        case result if method.appends:
            return "Tracks::Appends"
        case result if calls.has(contract, result, "leafId") and method.needs("session"):
            return "Tracks::Leaf"
    return "Tracks::Nothing"
