//! Constructors of common messages.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::types::UserMessage;

impl UserMessage {
    /// A message of the user, with the current time.
    pub fn text(text: impl Into<String>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let milliseconds = now.and_then(|now| i64::try_from(now.as_millis()).ok());
        Self::new(text.into()).timestamp(milliseconds)
    }
}
