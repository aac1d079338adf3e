"""Generate the Rust client's kinds of errors."""

from __future__ import annotations

from collections.abc import Iterator

from targets import model
from targets.model import ErrorKind
from targets.rust.names import doc, snake
from targets.rust.types import Types


def lines(types: Types) -> Iterator[str]:
    errors = types.contract.errors.values()
    yield "//! The kinds of errors that the daemon answers."
    yield ""
    rust = [types.rust(field.type, error.name) for error in errors for field in error.data]
    yield "use crate::json::{member, Raw};"
    if "Id" in rust:
        yield "use crate::nullable::Id;"
    yield ""
    yield "/// The kind of an error answer, with its data."
    yield "#[derive(Clone, Debug, PartialEq)]"
    yield "#[non_exhaustive]"
    yield "pub enum ErrorKind {"
    for each in errors:
        yield from doc(f"{each.doc} Code {each.code}.", "    ")
        if not each.data:
            yield f"    {each.name},"
            continue
        yield f"    {each.name} {{"
        for field in each.data:
            yield from doc(field.doc or f"`{field.name}`.", "        ")
            yield f"        {snake(field.name)}: {_data(types, each, field)},"
        yield "    },"
    yield "    /// A kind that this version does not know, or whose data does not fit."
    yield "    Other {"
    yield "        /// The kind as it is spelled in JSON; empty if there is none."
    yield "        kind: String,"
    yield "    },"
    yield "}"
    yield from _readers(types)


def _readers(types: Types) -> Iterator[str]:
    errors = types.contract.errors.values()
    yield ""
    yield "impl ErrorKind {"
    yield "    pub(crate) fn read(code: i64, data: Option<&Raw>) -> Self {"
    yield "        Self::of_code(code)"
    yield "            .or_else(|| Self::of_data(data?.text()))"
    yield "            .unwrap_or_else(|| Self::Other {"
    yield "                kind: data"
    yield '                    .and_then(|data| member::<String>(data.text(), "kind"))'
    yield "                    .unwrap_or_default(),"
    yield "            })"
    yield "    }"
    yield ""
    yield "    fn of_code(code: i64) -> Option<Self> {"
    yield "        Some(match code {"
    for each in errors:
        if each.retryable is None:
            yield f"            {each.code} => Self::{each.name},"
    yield "            _ => return None,"
    yield "        })"
    yield "    }"
    yield ""
    yield "    fn of_data(data: &str) -> Option<Self> {"
    yield '        Some(match member::<String>(data, "kind")?.as_str() {'
    for each in errors:
        if each.retryable is None:
            continue
        if not each.data:
            yield f'            "{each.name}" => Self::{each.name},'
            continue
        yield f'            "{each.name}" => Self::{each.name} {{'
        for field in each.data:
            yield f"                {snake(field.name)}: {_read(types, each, field)},"
        yield "            },"
    yield "            _ => return None,"
    yield "        })"
    yield "    }"
    yield "}"


def _data(types: Types, error: ErrorKind, field: model.Member) -> str:
    rust = types.rust(field.type, f"{error.name}.{field.name}")
    return f"Option<{rust}>" if field.nullable or not field.required else rust


def _read(types: Types, error: ErrorKind, field: model.Member) -> str:
    rust = _data(types, error, field)
    inner = rust.removeprefix("Option<").removesuffix(">") if rust.startswith("Option<") else rust
    end = "" if rust.startswith("Option<") else "?"
    return f'member::<{inner}>(data, "{field.name}"){end}'
