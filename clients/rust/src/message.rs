//! Constructors of common messages.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::nullable::Nullable;
use crate::types::{TextContent, UserMessage};

impl UserMessage {
    /// A message of the user, with the current time.
    pub fn text(text: impl Into<String>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        Self {
            content: Nullable::Value(text.into().into()),
            timestamp: now.and_then(|now| i64::try_from(now.as_millis()).ok()),
        }
    }
}

impl TextContent {
    /// A block of text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }
}
