//! JSON that stays as it came.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::lossy::{without_lone_surrogates, Lenient};

/// The text of one JSON value, exactly as it was received or is to be sent: key order, spelling of
/// numbers, unknown members and lone surrogate escapes included. Any depth.
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// The value of this text. Fails unless it is one JSON value.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// The text of this value. Fails where JSON cannot hold it, as maps with keys that are no
    /// strings.
    pub fn from_value(value: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The value as a type of yours. Fails where the type cannot hold it: a `String` no lone
    /// surrogate, an `i64` no larger number, and `serde_json::Value` no more than 128 levels.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.text())
    }

    /// One member of an object, read without decoding the others; the last one of that name.
    /// `None` if there is none, or if it does not fit.
    pub fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        member(self.text(), name)
    }

    /// The same value with U+FFFD in place of lone surrogates, which Rust's strings cannot hold.
    #[must_use]
    pub fn lossy(&self) -> Self {
        Self::from_text(without_lone_surrogates(self.text())).unwrap_or_else(|_| self.clone())
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(value: Box<RawValue>) -> Self {
        Self(value)
    }
}

impl From<Raw> for Box<RawValue> {
    fn from(raw: Raw) -> Self {
        raw.0
    }
}

impl From<&serde_json::Value> for Raw {
    fn from(value: &serde_json::Value) -> Self {
        Self::from_value(value).expect("a JSON value has a text")
    }
}

impl From<serde_json::Value> for Raw {
    fn from(value: serde_json::Value) -> Self {
        Self::from(&value)
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Raw {}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

/// A value whose JSON can have one of several shapes. Reading never fails: what has none of them
/// lands in the arm that keeps the text.
pub trait Union: Sized {
    /// Decode the text.
    fn read(raw: &Raw) -> Self;
}

/// The text of a `T`, decoded when asked for.
///
/// Entries and messages come and go like this, so that nothing of them is lost: an entry handed on
/// is the entry that was stored. [`Json::read`] gives the typed view.
pub struct Json<T> {
    raw: Raw,
    shape: PhantomData<fn() -> T>,
}

impl<T> Json<T> {
    /// Take this text for a `T`, whatever it is.
    pub fn from_raw(raw: Raw) -> Self {
        Self {
            raw,
            shape: PhantomData,
        }
    }

    /// Take this text for a `T`. Fails unless it is one JSON value.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        Raw::from_text(text).map(Self::from_raw)
    }

    /// The text as it came.
    pub fn text(&self) -> &str {
        self.raw.text()
    }

    /// The text as a value of its own.
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    /// The text as a value of its own.
    pub fn into_raw(self) -> Raw {
        self.raw
    }

    /// One member, as [`Raw::member`] reads it; works for unknown shapes as well.
    pub fn member<M: DeserializeOwned>(&self, name: &str) -> Option<M> {
        self.raw.member(name)
    }

    /// The same with U+FFFD in place of lone surrogates, as [`Raw::lossy`].
    #[must_use]
    pub fn lossy(&self) -> Self {
        Self::from_raw(self.raw.lossy())
    }
}

impl<T: Union> Json<T> {
    /// The typed view. Members that the type does not know are in the text only.
    pub fn read(&self) -> T {
        T::read(&self.raw)
    }
}

impl<T: DeserializeOwned> Json<T> {
    /// The typed view, where there is one shape only.
    pub fn parse(&self) -> Result<T, serde_json::Error> {
        self.raw.parse()
    }
}

impl<T> Clone for Json<T> {
    fn clone(&self) -> Self {
        Self::from_raw(self.raw.clone())
    }
}

impl<T> fmt::Debug for Json<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(out)
    }
}

impl<T> PartialEq for Json<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<T> Eq for Json<T> {}

impl<T: Serialize> From<T> for Json<T> {
    fn from(value: T) -> Self {
        Self::from_raw(Raw::from_value(&value).expect("types of the contract are JSON"))
    }
}

impl<T> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Json<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Raw::deserialize(deserializer).map(Self::from_raw)
    }
}

/// One member of the object in a text; the last of that name.
pub(crate) fn member<T: DeserializeOwned>(text: &str, name: &str) -> Option<T> {
    struct Member<'n, T>(&'n str, PhantomData<T>);

    impl<'de, T: DeserializeOwned> Visitor<'de> for Member<'_, T> {
        type Value = Option<T>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<T>, A::Error> {
            let mut found = None;
            while let Some(name) = map.next_key::<Lenient<String>>()? {
                if name.0 == self.0 {
                    found = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }

    serde_json::Deserializer::from_str(text)
        .deserialize_map(Member(name, PhantomData))
        .ok()?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_keeps_depth_numbers_and_lone_surrogates() {
        let deep = format!("{}{}", "[".repeat(600), "]".repeat(600));
        for text in [
            deep.as_str(),
            r#""cut \ud83d""#,
            "1e400",
            "123456789012345678901234567890",
        ] {
            let object = Raw::from_text(format!(r#"{{"a":{text}}}"#)).unwrap();
            assert_eq!(object.member::<Raw>("a").unwrap().text(), text);
        }
    }

    #[test]
    fn the_last_member_of_a_name_counts() {
        let raw = Raw::from_text(r#"{"a":1,"\ud83d":{},"a":2}"#).unwrap();
        assert_eq!(raw.member::<i64>("a"), Some(2));
        assert_eq!(raw.member::<i64>("b"), None);
        assert_eq!(raw.member::<String>("a"), None);
    }
}
