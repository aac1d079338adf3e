//! Numbers of the program: serde_json would write NaN and infinities as null.

use serde::ser::{Error, Serialize, Serializer};

use crate::nullable::Nullable;

/// Write a number. Fails if JSON cannot hold it.
pub(crate) fn finite<S: Serializer>(value: &impl Number, serializer: S) -> Result<S::Ok, S::Error> {
    match value.number() {
        Some(number) if !number.is_finite() => {
            Err(S::Error::custom(format!("JSON cannot hold {number}")))
        }
        _ => value.serialize(serializer),
    }
}

pub(crate) trait Number: Serialize {
    fn number(&self) -> Option<f64>;
}

impl Number for f64 {
    fn number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Number for Option<f64> {
    fn number(&self) -> Option<f64> {
        *self
    }
}

impl Number for Nullable<f64> {
    fn number(&self) -> Option<f64> {
        self.value().copied()
    }
}
