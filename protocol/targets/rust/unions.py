"""Generate the Rust client's enumerations for values of one of several types."""

from __future__ import annotations

from collections.abc import Iterator

from targets.model import Alias, Array, Class, Primitive, Ref, Tagged, Type
from targets.rust.names import doc, pascal, snake
from targets.rust.types import Types


def tagged(types: Types, union: Tagged) -> Iterator[str]:
    arms = [(pascal(tag), tag, name) for tag, name in union.classes.items()]
    yield from _union(types, union.name, union.doc, [(arm, name) for arm, _, name in arms])
    yield ""
    yield f"impl Union for {union.name} {{"
    yield "    fn read(raw: &Raw) -> Self {"
    yield f'        let read = match raw.member::<String>("{union.member}").as_deref() {{'
    for arm, tag, _ in arms:
        yield f'            Some("{tag}") => raw.parse().map(Self::{arm}),'
    yield "            _ => return Self::Unknown(raw.clone()),"
    yield "        };"
    yield "        read.unwrap_or_else(|_| Self::Unknown(raw.clone()))"
    yield "    }"
    yield "}"
    yield from _common(types, union)
    for arm, _, name in arms:
        yield from _into(union.name, arm, name, name)


def one_of(types: Types, alias: Alias, found: tuple[Type, ...]) -> Iterator[str]:
    arms = [(_arm(each), types.rust(each, alias.name)) for each in found]
    yield from _union(types, alias.name, alias.doc, arms)
    yield ""
    yield f"impl Union for {alias.name} {{"
    yield "    fn read(raw: &Raw) -> Self {"
    yield "        raw.parse()"
    for index, (arm, _) in enumerate(arms):
        call = "map" if index == 0 else "or_else"
        body = f"Self::{arm}" if index == 0 else f"|_| raw.parse().map(Self::{arm})"
        yield f"            .{call}({body})"
    yield "            .unwrap_or_else(|_: serde_json::Error| Self::Unknown(raw.clone()))"
    yield "    }"
    yield "}"
    for arm, rust in arms:
        yield from _into(alias.name, arm, rust, rust)
        if rust == "String":
            yield from _into(alias.name, arm, "&str", rust)


def _union(types: Types, name: str, text: str, arms: list[tuple[str, str]]) -> Iterator[str]:
    yield ""
    yield from doc(text)
    yield "#[derive(Clone, Debug, PartialEq, Serialize)]"
    yield "#[serde(untagged)]"
    yield "#[non_exhaustive]"
    yield f"pub enum {name} {{"
    for arm, rust in arms:
        definition = types.contract.definitions.get(rust)
        yield from doc(definition.doc if definition else f"`{rust}`.", "    ")
        yield f"    {arm}({rust}),"
    yield "    /// A value that is unknown or does not fit: its text, unchanged."
    yield "    Unknown(Raw),"
    yield "}"


def _common(types: Types, union: Tagged) -> Iterator[str]:
    """Yield functions that read one member: the tag, and strings that all classes have."""
    classes = [types.contract.definition(name) for name in union.classes.values()]
    first, *others = [each for each in classes if isinstance(each, Class)]
    names = [union.member]
    if others:
        names += [
            each.name
            for each in first.members
            if each.type == Primitive("string")
            and all(other.member(each.name) == each for other in others)
        ]
    yield ""
    yield f"impl Json<{union.name}> {{"
    for index, name in enumerate(names):
        yield from [""] if index else []
        yield f"    /// Reads only the member `{name}`; works for unknown values as well."
        yield "    #[must_use]"
        yield f"    pub fn {snake(name)}(&self) -> Option<String> {{"
        yield f'        self.member("{name}")'
        yield "    }"
    yield "}"


def _arm(kind: Type) -> str:
    match kind:
        case Primitive("string"):
            return "Text"
        case Primitive(name):
            return name.capitalize()
        case Ref(name):
            return name
        case Array(Ref(name)):
            return f"{name}s"
    return "Other"


def _into(union: str, arm: str, source: str, rust: str) -> Iterator[str]:
    """Implement conversions from an arm to the union, and to the union's JSON."""
    given = "value" if source == rust else "value.into()"
    yield ""
    yield f"impl From<{source}> for {union} {{"
    yield f"    fn from(value: {source}) -> Self {{"
    yield f"        Self::{arm}({given})"
    yield "    }"
    yield "}"
    yield ""
    yield f"impl From<{source}> for Json<{union}> {{"
    yield f"    fn from(value: {source}) -> Self {{"
    yield f"        Self::from({union}::from(value))"
    yield "    }"
    yield "}"
