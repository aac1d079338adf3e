//! Members that can be absent, null or a value, and ids that are numbers or strings.

use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::json::Json;

/// A member that can be absent, null or a value, where null and absent differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nullable<T> {
    /// The member is absent.
    #[default]
    Absent,
    /// The member is null.
    Null,
    /// The member has a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// The value; `None` if the member is absent or null.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Convert into the value; `None` if the member is absent or null.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Whether the member is absent.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

/// `None` is null.
impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl From<&str> for Nullable<String> {
    fn from(value: &str) -> Self {
        Self::Value(value.to_owned())
    }
}

impl<T: Serialize> From<T> for Nullable<Json<T>> {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<T>::deserialize(deserializer).map(Self::from)
    }
}

/// An id or token: a number or a string.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// A number.
    Integer(i64),
    /// A string.
    String(String),
}

impl From<i64> for Id {
    fn from(id: i64) -> Self {
        Self::Integer(id)
    }
}

impl From<&str> for Id {
    fn from(id: &str) -> Self {
        Self::String(id.to_owned())
    }
}

impl From<String> for Id {
    fn from(id: String) -> Self {
        Self::String(id)
    }
}

/// Read a member that exists, even if it is null.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nullable_member_has_three_states() {
        #[derive(Serialize, Deserialize, Debug, PartialEq)]
        struct Params {
            #[serde(default, skip_serializing_if = "Nullable::is_absent")]
            id: Nullable<String>,
        }
        for (text, id) in [
            ("{}", Nullable::Absent),
            (r#"{"id":null}"#, Nullable::Null),
            (r#"{"id":"x"}"#, "x".into()),
        ] {
            let params = Params { id };
            assert_eq!(serde_json::to_string(&params).unwrap(), text);
            assert_eq!(serde_json::from_str::<Params>(text).unwrap(), params);
        }
    }
}
