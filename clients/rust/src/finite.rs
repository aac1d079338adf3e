//! Numbers of the program: serde_json would write NaN and infinities as null.

use serde::ser::{Error, Serialize, Serializer};

use crate::nullable::Nullable;

/// Write a number that may be absent. Fails if JSON cannot hold it.
pub(crate) fn finite<N, S>(value: &N, serializer: S) -> Result<S::Ok, S::Error>
where
    N: Serialize + Copy + Into<Nullable<f64>>,
    S: Serializer,
{
    match (*value).into() {
        Nullable::Value(number) if !number.is_finite() => {
            Err(S::Error::custom(format!("JSON cannot hold {number}")))
        }
        _ => value.serialize(serializer),
    }
}
