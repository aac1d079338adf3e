//! JSON as exact text.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Error, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::lossy::without_lone_surrogates;

/// The exact text of one JSON value, received or to be sent, including key order, spelling of
/// numbers, unknown members and escapes of lone surrogates. Any depth.
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Create a value from text. Fails unless the text is one JSON value.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self)
    }

    pub(crate) fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// Encode a value. Fails if JSON cannot hold it, such as a map whose keys are not strings. NaN and
    /// infinities become null, except in the types of the contract, which fail.
    pub fn from_value(value: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Decode the value. Fails if the type cannot hold it: a `String` cannot hold lone surrogates,
    /// an `i64` cannot hold larger numbers, and `serde_json::Value` is limited to 128 levels.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.text())
    }

    /// Decode one member of an object, but not the others. If the name repeats, the last one
    /// counts. `None` if there is no such member, or it does not fit.
    pub fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        member(self.text(), name)
    }

    /// Return the value with lone surrogates, which Rust's strings cannot hold, replaced by U+FFFD.
    #[must_use]
    pub fn lossy(&self) -> Self {
        Self::from_text(without_lone_surrogates(self.text())).unwrap_or_else(|_| self.clone())
    }
}

impl From<serde_json::Value> for Raw {
    fn from(value: serde_json::Value) -> Self {
        Self::from_value(&value).expect("a JSON value can be encoded")
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

/// A value whose JSON has one of several shapes. Reading never fails: a variant keeps the text of
/// values with an unknown shape.
pub trait Union: Sized {
    /// Decode the text.
    fn read(raw: &Raw) -> Self;
}

/// The exact text of a `T`, decoded on request.
///
/// Entries and messages are received and sent like this, so that nothing is lost: an entry that is
/// passed on is identical to the stored one. [`Json::read`] returns the typed value.
///
/// If JSON cannot hold a value, such as a cost that is NaN, its text is `null`, and a call with it fails
/// with [`Error::Params`](crate::Error::Params).
pub struct Json<T> {
    raw: Raw,
    /// Why JSON cannot hold the value.
    misfit: Option<Arc<serde_json::Error>>,
    shape: PhantomData<fn() -> T>,
}

impl<T> Json<T> {
    /// Use this text as a `T`, without checking it.
    pub fn from_raw(raw: Raw) -> Self {
        Self {
            raw,
            misfit: None,
            shape: PhantomData,
        }
    }

    /// Use this text as a `T`. Fails unless it is one JSON value.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        Raw::from_text(text).map(Self::from_raw)
    }

    /// The exact text.
    pub fn text(&self) -> &str {
        self.raw.text()
    }

    /// The text as a `Raw`.
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    /// Convert into a `Raw`.
    pub fn into_raw(self) -> Raw {
        self.raw
    }

    /// Decode one member, as [`Raw::member`] does; this works for unknown shapes, too.
    pub fn member<M: DeserializeOwned>(&self, name: &str) -> Option<M> {
        self.raw.member(name)
    }

    /// Return the value with lone surrogates replaced by U+FFFD, as [`Raw::lossy`] does.
    #[must_use]
    pub fn lossy(&self) -> Self {
        Self {
            raw: self.raw.lossy(),
            ..self.clone()
        }
    }
}

impl<T: Union> Json<T> {
    /// The typed value, without members that the type does not have.
    pub fn read(&self) -> T {
        T::read(&self.raw)
    }
}

impl<T: DeserializeOwned> Json<T> {
    /// The typed value, for types with one shape.
    pub fn parse(&self) -> Result<T, serde_json::Error> {
        self.raw.parse()
    }
}

impl<T> Clone for Json<T> {
    fn clone(&self) -> Self {
        Self {
            raw: self.raw.clone(),
            misfit: self.misfit.clone(),
            shape: PhantomData,
        }
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
        match Raw::from_value(&value) {
            Ok(raw) => Self::from_raw(raw),
            Err(error) => Self {
                raw: Raw::null(),
                misfit: Some(Arc::new(error)),
                shape: PhantomData,
            },
        }
    }
}

impl<T> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.misfit {
            Some(error) => Err(S::Error::custom(error)),
            None => self.raw.serialize(serializer),
        }
    }
}

impl<'de, T> Deserialize<'de> for Json<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Raw::deserialize(deserializer).map(Self::from_raw)
    }
}

/// Decode one member of the object in a text. If the name repeats, the last one counts.
pub(crate) fn member<T: DeserializeOwned>(text: &str, name: &str) -> Option<T> {
    struct Member<'n, T>(&'n str, PhantomData<T>);

    impl<'de, T: DeserializeOwned> Visitor<'de> for Member<'_, T> {
        type Value = Option<T>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<T>, A::Error> {
            let mut value = None;
            while let Some(name) = map.next_key::<String>()? {
                if name == self.0 {
                    value = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(value)
        }
    }

    fn read<T: DeserializeOwned>(text: &str, name: &str) -> Result<Option<T>, serde_json::Error> {
        serde_json::Deserializer::from_str(text).deserialize_map(Member(name, PhantomData))
    }

    read(text, name)
        .or_else(|_| read(&without_lone_surrogates(text), name))
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
