//! Constructors of common messages.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::json::Json;
use crate::types::{AssistantMessage, AssistantMessageStopReason, Block, Cost, Usage, UserMessage};

impl UserMessage {
    /// A message of the user, with the current time.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(text.into()).timestamp(now())
    }
}

impl AssistantMessage {
    /// An answer of a model with all members that pi needs, with the current time. Set its `usage`; until
    /// then it has no tokens, at a price that is not known.
    pub fn answer(
        content: Vec<Json<Block>>,
        provider: impl Into<String>,
        model: impl Into<String>,
    ) -> Self {
        let calls = |block: &Json<Block>| matches!(block.read(), Block::ToolCall(_));
        let reason = if content.iter().any(calls) {
            AssistantMessageStopReason::ToolUse
        } else {
            AssistantMessageStopReason::Stop
        };
        let usage = Usage::new(0, 0, 0, 0, Cost::new(None, None, None, None, None)).total_tokens(0);
        Self::new(content, "", provider, model, usage, reason).timestamp(now())
    }
}

/// The current time in milliseconds, if the clock has one.
fn now() -> Option<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    now.and_then(|now| i64::try_from(now.as_millis()).ok())
}
