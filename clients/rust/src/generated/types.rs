// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.
//! Params, results, entries and messages, as the contract has them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::json::{Json, Raw, Union};
use crate::lossy;
use crate::nullable::{self, Id, Nullable};

/// A summary in place of everything before the first kept entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendCompactionParams {
    /// `summary`.
    pub summary: String,
    /// Tokens of the context before compaction.
    #[serde(rename = "tokensBefore")]
    pub tokens_before: i64,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// First entry to stay in the context; absent or null keeps nothing, and so does, as in pi, an id that is not on the branch.
    #[serde(rename = "firstKeptEntryId", skip_serializing_if = "Nullable::is_absent")]
    pub first_kept_entry_id: Nullable<String>,
    /// Anything; never sent to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Raw>,
    /// Whether an extension made the summary.
    #[serde(rename = "fromHook", skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// What making the summary took.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub usage: Nullable<Json<Usage>>,
}

impl AppendCompactionParams {
    /// With what is required.
    pub fn new(summary: impl Into<String>, tokens_before: i64) -> Self {
        Self {
            summary: summary.into(),
            tokens_before,
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            first_kept_entry_id: Default::default(),
            details: Default::default(),
            from_hook: Default::default(),
            usage: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }

    /// First entry to stay in the context; absent or null keeps nothing, and so does, as in pi, an id that is not on the branch.
    #[must_use]
    pub fn first_kept_entry_id(mut self, first_kept_entry_id: impl Into<Nullable<String>>) -> Self {
        self.first_kept_entry_id = first_kept_entry_id.into();
        self
    }

    /// Anything; never sent to a model.
    #[must_use]
    pub fn details(mut self, details: impl Into<Raw>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Whether an extension made the summary.
    #[must_use]
    pub fn from_hook(mut self, from_hook: bool) -> Self {
        self.from_hook = Some(from_hook);
        self
    }

    /// What making the summary took.
    #[must_use]
    pub fn usage(mut self, usage: impl Into<Nullable<Json<Usage>>>) -> Self {
        self.usage = usage.into();
        self
    }
}

/// Another content for an earlier entry of the branch, in the context only.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendContextEditParams {
    /// A user, assistant or toolResult message or a custom message on the active branch, else `NotEditable`.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// null takes the target out of the context.
    pub replacement: Option<Json<Replacement>>,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
}

impl AppendContextEditParams {
    /// With what is required.
    pub fn new(target_id: impl Into<String>, replacement: impl Into<Option<Json<Replacement>>>) -> Self {
        Self {
            target_id: target_id.into(),
            replacement: replacement.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }
}

/// State of an extension, never part of the context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendCustomEntryParams {
    /// Names the extension.
    #[serde(rename = "customType")]
    pub custom_type: String,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// Anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Raw>,
}

impl AppendCustomEntryParams {
    /// With what is required.
    pub fn new(custom_type: impl Into<String>) -> Self {
        Self {
            custom_type: custom_type.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            data: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }

    /// Anything.
    #[must_use]
    pub fn data(mut self, data: impl Into<Raw>) -> Self {
        self.data = Some(data.into());
        self
    }
}

impl From<&str> for AppendCustomEntryParams {
    fn from(custom_type: &str) -> Self {
        Self::new(custom_type)
    }
}

impl From<&String> for AppendCustomEntryParams {
    fn from(custom_type: &String) -> Self {
        Self::new(custom_type)
    }
}

impl From<String> for AppendCustomEntryParams {
    fn from(custom_type: String) -> Self {
        Self::new(custom_type)
    }
}

/// A message of an extension, part of the context as a user message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendCustomMessageEntryParams {
    /// Names the extension.
    #[serde(rename = "customType")]
    pub custom_type: String,
    /// Text, or text and image blocks.
    pub content: Json<Content>,
    /// Whether front ends show it.
    pub display: bool,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// Anything; never sent to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Raw>,
}

impl AppendCustomMessageEntryParams {
    /// With what is required.
    pub fn new(custom_type: impl Into<String>, content: impl Into<Json<Content>>, display: bool) -> Self {
        Self {
            custom_type: custom_type.into(),
            content: content.into(),
            display,
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            details: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }

    /// Anything; never sent to a model.
    #[must_use]
    pub fn details(mut self, details: impl Into<Raw>) -> Self {
        self.details = Some(details.into());
        self
    }
}

/// A label for an entry, or its removal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendLabelChangeParams {
    /// The entry to label.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// Absent, null or empty clears the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl AppendLabelChangeParams {
    /// With what is required.
    pub fn new(target_id: impl Into<String>) -> Self {
        Self {
            target_id: target_id.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            label: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }

    /// Absent, null or empty clears the label.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}

impl From<&str> for AppendLabelChangeParams {
    fn from(target_id: &str) -> Self {
        Self::new(target_id)
    }
}

impl From<&String> for AppendLabelChangeParams {
    fn from(target_id: &String) -> Self {
        Self::new(target_id)
    }
}

impl From<String> for AppendLabelChangeParams {
    fn from(target_id: String) -> Self {
        Self::new(target_id)
    }
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendMessageParams {
    /// An object with a string `role` other than `compactionSummary` and `branchSummary`, which have entries of their own. Nothing else in it is checked.
    pub message: Json<Message>,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
}

impl AppendMessageParams {
    /// With what is required.
    pub fn new(message: impl Into<Json<Message>>) -> Self {
        Self {
            message: message.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }
}

impl From<Json<Message>> for AppendMessageParams {
    fn from(message: Json<Message>) -> Self {
        Self::new(message)
    }
}

impl From<Message> for AppendMessageParams {
    fn from(message: Message) -> Self {
        Self::new(message)
    }
}

impl From<UserMessage> for AppendMessageParams {
    fn from(message: UserMessage) -> Self {
        Self::new(message)
    }
}

impl From<AssistantMessage> for AppendMessageParams {
    fn from(message: AssistantMessage) -> Self {
        Self::new(message)
    }
}

impl From<ToolResultMessage> for AppendMessageParams {
    fn from(message: ToolResultMessage) -> Self {
        Self::new(message)
    }
}

impl From<BashExecutionMessage> for AppendMessageParams {
    fn from(message: BashExecutionMessage) -> Self {
        Self::new(message)
    }
}

impl From<CustomMessage> for AppendMessageParams {
    fn from(message: CustomMessage) -> Self {
        Self::new(message)
    }
}

impl From<BranchSummaryMessage> for AppendMessageParams {
    fn from(message: BranchSummaryMessage) -> Self {
        Self::new(message)
    }
}

impl From<CompactionSummaryMessage> for AppendMessageParams {
    fn from(message: CompactionSummaryMessage) -> Self {
        Self::new(message)
    }
}

impl From<SystemMessage> for AppendMessageParams {
    fn from(message: SystemMessage) -> Self {
        Self::new(message)
    }
}

/// Another model from here on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendModelChangeParams {
    /// `provider`.
    pub provider: String,
    /// `modelId`.
    #[serde(rename = "modelId")]
    pub model_id: String,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
}

impl AppendModelChangeParams {
    /// With what is required.
    pub fn new(provider: impl Into<String>, model_id: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            model_id: model_id.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }
}

/// The entry that was appended, now the handle's leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AppendResult {
    /// `id`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub id: String,
    /// null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "lossy::lossy")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(deserialize_with = "lossy::lossy")]
    pub timestamp: String,
    /// Whether it is in the file; false in memory and while the file waits for its first user or assistant message. What was written survives the death of the process, not of the machine.
    pub written: bool,
}

/// A name for the session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendSessionInfoParams {
    /// Line breaks become a space, ends are trimmed; empty: no name.
    pub name: String,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
}

impl AppendSessionInfoParams {
    /// With what is required.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }
}

impl From<&str> for AppendSessionInfoParams {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<&String> for AppendSessionInfoParams {
    fn from(name: &String) -> Self {
        Self::new(name)
    }
}

impl From<String> for AppendSessionInfoParams {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// Another thinking level from here on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendThinkingLevelChangeParams {
    /// As the agent names it, such as `high`.
    #[serde(rename = "thinkingLevel")]
    pub thinking_level: String,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
}

impl AppendThinkingLevelChangeParams {
    /// With what is required.
    pub fn new(thinking_level: impl Into<String>) -> Self {
        Self {
            thinking_level: thinking_level.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }
}

impl From<&str> for AppendThinkingLevelChangeParams {
    fn from(thinking_level: &str) -> Self {
        Self::new(thinking_level)
    }
}

impl From<&String> for AppendThinkingLevelChangeParams {
    fn from(thinking_level: &String) -> Self {
        Self::new(thinking_level)
    }
}

impl From<String> for AppendThinkingLevelChangeParams {
    fn from(thinking_level: String) -> Self {
        Self::new(thinking_level)
    }
}

/// Usage beside the conversation: counted in totals, never part of the context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendUsageParams {
    /// What it was for, such as `cache_warm`.
    pub kind: String,
    /// `provider`.
    pub provider: String,
    /// `model`.
    pub model: String,
    /// `usage`.
    pub usage: Json<Usage>,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// For people; an empty one is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl AppendUsageParams {
    /// With what is required.
    pub fn new(kind: impl Into<String>, provider: impl Into<String>, model: impl Into<String>, usage: impl Into<Json<Usage>>) -> Self {
        Self {
            kind: kind.into(),
            provider: provider.into(),
            model: model.into(),
            usage: usage.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            note: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }

    /// For people; an empty one is left out.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "assistant")]
pub struct AssistantMessage {
    /// Text, thinking and toolCall blocks.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub content: Nullable<Json<Content>>,
    /// Such as `anthropic-messages`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// `provider`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model that answered, as the provider says.
    #[serde(rename = "responseModel", default, skip_serializing_if = "Option::is_none")]
    pub response_model: Option<String>,
    /// The provider's.
    #[serde(rename = "responseId", default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// `providerThinkingLevel`.
    #[serde(rename = "providerThinkingLevel", default, skip_serializing_if = "Option::is_none")]
    pub provider_thinking_level: Option<String>,
    /// `thinkingLevel`.
    #[serde(rename = "thinkingLevel", default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
    /// Of the provider's answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub diagnostics: Option<Raw>,
    /// `usage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why the answer ended; `error` and `aborted` answers are not whole. Known: `pending`, `stop`, `length`, `toolUse`, `error`, `aborted`, `deferred`.
    #[serde(rename = "stopReason", default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Where a deferred answer can be fetched.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub deferred: Option<Raw>,
    /// `errorMessage`.
    #[serde(rename = "errorMessage", default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The provider's word.
    #[serde(rename = "rawStopReason", default, skip_serializing_if = "Option::is_none")]
    pub raw_stop_reason: Option<String>,
    /// `endTurn`.
    #[serde(rename = "endTurn", default, skip_serializing_if = "Option::is_none")]
    pub end_turn: Option<bool>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// A shell command a person ran (`!` in pi).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "bashExecution")]
pub struct BashExecutionMessage {
    /// `command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// `output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Absent or null: it did not end by itself.
    #[serde(rename = "exitCode", default, skip_serializing_if = "Nullable::is_absent")]
    pub exit_code: Nullable<i64>,
    /// `cancelled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<bool>,
    /// Whether `output` is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// File with the whole output, if it was cut.
    #[serde(rename = "fullOutputPath", default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
    /// Never sent to a model (`!!` in pi).
    #[serde(rename = "excludeFromContext", default, skip_serializing_if = "Option::is_none")]
    pub exclude_from_context: Option<bool>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// A content block, by its `type`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(ImageContent),
    /// A model's thinking.
    Thinking(ThinkingContent),
    /// A model's wish to call a tool.
    ToolCall(ToolCall),
    /// Not known here, or not of the shape known: the text as it came.
    Unknown(Raw),
}

impl Union for Block {
    fn read(raw: &Raw) -> Self {
        let read = match raw.member::<String>("type").as_deref() {
            Some("text") => raw.parse().map(Self::Text),
            Some("image") => raw.parse().map(Self::Image),
            Some("thinking") => raw.parse().map(Self::Thinking),
            Some("toolCall") => raw.parse().map(Self::ToolCall),
            _ => return Self::Unknown(raw.clone()),
        };
        read.unwrap_or_else(|_| Self::Unknown(raw.clone()))
    }
}

impl Json<Block> {
    /// Its `type`, read without decoding the rest; of unknown shapes as well.
    #[must_use]
    pub fn type_(&self) -> Option<String> {
        self.member("type")
    }
}

impl From<TextContent> for Block {
    fn from(value: TextContent) -> Self {
        Self::Text(value)
    }
}

impl From<TextContent> for Json<Block> {
    fn from(value: TextContent) -> Self {
        Self::from(Block::from(value))
    }
}

impl From<ImageContent> for Block {
    fn from(value: ImageContent) -> Self {
        Self::Image(value)
    }
}

impl From<ImageContent> for Json<Block> {
    fn from(value: ImageContent) -> Self {
        Self::from(Block::from(value))
    }
}

impl From<ThinkingContent> for Block {
    fn from(value: ThinkingContent) -> Self {
        Self::Thinking(value)
    }
}

impl From<ThinkingContent> for Json<Block> {
    fn from(value: ThinkingContent) -> Self {
        Self::from(Block::from(value))
    }
}

impl From<ToolCall> for Block {
    fn from(value: ToolCall) -> Self {
        Self::ToolCall(value)
    }
}

impl From<ToolCall> for Json<Block> {
    fn from(value: ToolCall) -> Self {
        Self::from(Block::from(value))
    }
}

/// Where to go on from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BranchParams {
    /// The new leaf.
    #[serde(rename = "entryId")]
    pub entry_id: String,
}

impl BranchParams {
    /// With what is required.
    pub fn new(entry_id: impl Into<String>) -> Self {
        Self {
            entry_id: entry_id.into(),
        }
    }
}

impl From<&str> for BranchParams {
    fn from(entry_id: &str) -> Self {
        Self::new(entry_id)
    }
}

impl From<&String> for BranchParams {
    fn from(entry_id: &String) -> Self {
        Self::new(entry_id)
    }
}

impl From<String> for BranchParams {
    fn from(entry_id: String) -> Self {
        Self::new(entry_id)
    }
}

/// A summary of a branch that was left; its parent is where the conversation went on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "branch_summary")]
pub struct BranchSummaryEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The leaf that was left, or `root`; until pi 0.84.2 the one gone to.
    #[serde(rename = "fromId", default, skip_serializing_if = "Nullable::is_absent")]
    pub from_id: Nullable<String>,
    /// `summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// `{readFiles, modifiedFiles}` from pi; else the extension's.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
    /// What making the summary took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether an extension made the summary.
    #[serde(rename = "fromHook", default, skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
}

/// A summary of a branch that was left; made from a `branch_summary` entry, never stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "branchSummary")]
pub struct BranchSummaryMessage {
    /// `summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// As in the entry it was made from.
    #[serde(rename = "fromId", default, skip_serializing_if = "Nullable::is_absent")]
    pub from_id: Nullable<String>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// A move of the leaf with a summary of what is left behind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BranchWithSummaryParams {
    /// Entry to go on from; null: before any entry.
    #[serde(rename = "entryId")]
    pub entry_id: Option<String>,
    /// `summary`.
    pub summary: String,
    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// Anything; never sent to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Raw>,
    /// Whether an extension made the summary.
    #[serde(rename = "fromHook", skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// What making the summary took.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub usage: Nullable<Json<Usage>>,
}

impl BranchWithSummaryParams {
    /// With what is required.
    pub fn new(entry_id: impl Into<Option<String>>, summary: impl Into<String>) -> Self {
        Self {
            entry_id: entry_id.into(),
            summary: summary.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            details: Default::default(),
            from_hook: Default::default(),
            usage: Default::default(),
        }
    }

    /// Id for the entry, for safe retries: if an entry with it is there already, that one is answered and nothing is written. Absent: 8 hexadecimal digits.
    #[must_use]
    pub fn new_entry_id(mut self, new_entry_id: impl Into<String>) -> Self {
        self.new_entry_id = Some(new_entry_id.into());
        self
    }

    /// Write only if the handle's leaf is this (null: before any entry), else `LeafConflict`.
    #[must_use]
    pub fn expected_leaf_id(mut self, expected_leaf_id: impl Into<Nullable<String>>) -> Self {
        self.expected_leaf_id = expected_leaf_id.into();
        self
    }

    /// Write only if the file's last entry is this (null: there is none), so that nobody else has written meanwhile; else `LeafConflict`.
    #[must_use]
    pub fn expected_tip_id(mut self, expected_tip_id: impl Into<Nullable<String>>) -> Self {
        self.expected_tip_id = expected_tip_id.into();
        self
    }

    /// Anything; never sent to a model.
    #[must_use]
    pub fn details(mut self, details: impl Into<Raw>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Whether an extension made the summary.
    #[must_use]
    pub fn from_hook(mut self, from_hook: bool) -> Self {
        self.from_hook = Some(from_hook);
        self
    }

    /// What making the summary took.
    #[must_use]
    pub fn usage(mut self, usage: impl Into<Nullable<Json<Usage>>>) -> Self {
        self.usage = usage.into();
        self
    }
}

/// The branch whose context is built.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BuildParams {
    /// Last entry of the branch; absent: the handle's leaf; null: before any entry, so that the context is empty.
    #[serde(rename = "leafId", skip_serializing_if = "Nullable::is_absent")]
    pub leaf_id: Nullable<String>,
}

impl BuildParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Last entry of the branch; absent: the handle's leaf; null: before any entry, so that the context is empty.
    #[must_use]
    pub fn leaf_id(mut self, leaf_id: impl Into<Nullable<String>>) -> Self {
        self.leaf_id = leaf_id.into();
        self
    }
}

/// The documents held in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CacheStatus {
    /// `documents`.
    pub documents: i64,
    /// `bytes`.
    pub bytes: i64,
    /// `limitBytes`.
    #[serde(rename = "limitBytes")]
    pub limit_bytes: i64,
    /// `hits`.
    pub hits: i64,
    /// `misses`.
    pub misses: i64,
    /// `evictions`.
    pub evictions: i64,
}

/// Which request to give up; it is answered with -32800 unless it was done already.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CancelParams {
    /// The request's id, as it was sent.
    pub id: Id,
}

impl CancelParams {
    /// With what is required.
    pub fn new(id: impl Into<Id>) -> Self {
        Self {
            id: id.into(),
        }
    }
}

impl From<Id> for CancelParams {
    fn from(id: Id) -> Self {
        Self::new(id)
    }
}

/// What became of one file. A rename is `removed` and `added`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CatalogChange {
    /// `kind`.
    pub kind: CatalogChangeKind,
    /// Absolute path of the file.
    #[serde(deserialize_with = "lossy::lossy")]
    pub path: String,
    /// As it is now; absent when removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<SessionInfo>,
}

/// Changes of the last 100 ms or more, each file once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CatalogDidChangeParams {
    /// `subscription`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub subscription: String,
    /// Grows by one per message for the subscription, so a gap shows.
    pub sequence: i64,
    /// `changes`.
    pub changes: Vec<CatalogChange>,
}

/// Which sessions to follow: exactly one of the three.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CatalogSubscribeParams {
    /// Those of this working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Those in this directory.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Those of all working directories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
}

impl CatalogSubscribeParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Those of this working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Those in this directory.
    #[must_use]
    pub fn session_dir(mut self, session_dir: impl Into<String>) -> Self {
        self.session_dir = Some(session_dir.into());
        self
    }

    /// Those of all working directories.
    #[must_use]
    pub fn all(mut self, all: bool) -> Self {
        self.all = Some(all);
        self
    }
}

/// A snapshot. Every later change, own ones included, is a `catalog/didChange`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CatalogSubscribeResult {
    /// Opaque.
    #[serde(deserialize_with = "lossy::lossy")]
    pub subscription: String,
    /// The first notification has the next one.
    pub sequence: i64,
    /// The latest `modified` first.
    pub sessions: Vec<SessionInfo>,
}

/// A subscription to end.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CatalogUnsubscribeParams {
    /// `subscription`.
    pub subscription: String,
}

impl CatalogUnsubscribeParams {
    /// With what is required.
    pub fn new(subscription: impl Into<String>) -> Self {
        Self {
            subscription: subscription.into(),
        }
    }
}

impl From<&str> for CatalogUnsubscribeParams {
    fn from(subscription: &str) -> Self {
        Self::new(subscription)
    }
}

impl From<&String> for CatalogUnsubscribeParams {
    fn from(subscription: &String) -> Self {
        Self::new(subscription)
    }
}

impl From<String> for CatalogUnsubscribeParams {
    fn from(subscription: String) -> Self {
        Self::new(subscription)
    }
}

/// What the client can take in.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// The client's JSON library cannot hold a lone surrogate, an integer beyond 2^53 or a number like 1e400: it gets U+FFFD and strings in their place. Files are not affected.
    #[serde(rename = "plainJson", skip_serializing_if = "Option::is_none")]
    pub plain_json: Option<bool>,
}

impl ClientCapabilities {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The client's JSON library cannot hold a lone surrogate, an integer beyond 2^53 or a number like 1e400: it gets U+FFFD and strings in their place. Files are not affected.
    #[must_use]
    pub fn plain_json(mut self, plain_json: bool) -> Self {
        self.plain_json = Some(plain_json);
        self
    }
}

/// Who is calling; goes into the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClientInfo {
    /// `name`.
    pub name: String,
    /// `version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl ClientInfo {
    /// With what is required.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: Default::default(),
        }
    }

    /// `version`.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }
}

impl From<&str> for ClientInfo {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<&String> for ClientInfo {
    fn from(name: &String) -> Self {
        Self::new(name)
    }
}

impl From<String> for ClientInfo {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// A summary that stands in the context for everything before the first kept entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "compaction")]
pub struct CompactionEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// `summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// First entry that stays in the context; the entry's own id: none does.
    #[serde(rename = "firstKeptEntryId", default, skip_serializing_if = "Nullable::is_absent")]
    pub first_kept_entry_id: Nullable<String>,
    /// Tokens of the context before compaction.
    #[serde(rename = "tokensBefore", default, skip_serializing_if = "Nullable::is_absent")]
    pub tokens_before: Nullable<i64>,
    /// `{readFiles, modifiedFiles}` from pi; else the extension's.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
    /// What making the summary took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether an extension made the summary.
    #[serde(rename = "fromHook", default, skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// The system message in force here; precedes the summary in the context.
    #[serde(rename = "systemMessage", default, skip_serializing_if = "Option::is_none")]
    pub system_message: Option<SystemMessage>,
}

/// A summary in place of earlier messages; made from a `compaction` entry, never stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "compactionSummary")]
pub struct CompactionSummaryMessage {
    /// `summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Tokens of the context before compaction.
    #[serde(rename = "tokensBefore", default, skip_serializing_if = "Nullable::is_absent")]
    pub tokens_before: Nullable<i64>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// Text, or a list of content blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Content {
    /// `String`.
    Text(String),
    /// `Vec<Json<Block>>`.
    Blocks(Vec<Json<Block>>),
    /// Not known here, or not of the shape known: the text as it came.
    Unknown(Raw),
}

impl Union for Content {
    fn read(raw: &Raw) -> Self {
        raw.parse()
            .map(Self::Text)
            .or_else(|_| raw.parse().map(Self::Blocks))
            .unwrap_or_else(|_: serde_json::Error| Self::Unknown(raw.clone()))
    }
}

impl From<String> for Content {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<String> for Json<Content> {
    fn from(value: String) -> Self {
        Self::from(Content::from(value))
    }
}

impl From<&str> for Content {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl From<&str> for Json<Content> {
    fn from(value: &str) -> Self {
        Self::from(Content::from(value))
    }
}

impl From<Vec<Json<Block>>> for Content {
    fn from(value: Vec<Json<Block>>) -> Self {
        Self::Blocks(value)
    }
}

impl From<Vec<Json<Block>>> for Json<Content> {
    fn from(value: Vec<Json<Block>>) -> Self {
        Self::from(Content::from(value))
    }
}

/// Another content for an earlier entry of the branch, in the context only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "context_edit")]
pub struct ContextEditEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The entry edited.
    #[serde(rename = "targetId", default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<String>,
    /// null takes the target out of the context.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub replacement: Nullable<Replacement>,
}

/// The most recent session of a working directory, or a new one if there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContinueRecentParams {
    /// Working directory; resolved, `~` expanded.
    pub cwd: String,
    /// Directory to look in, in place of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
}

impl ContinueRecentParams {
    /// With what is required.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            session_dir: Default::default(),
        }
    }

    /// Directory to look in, in place of the profile's.
    #[must_use]
    pub fn session_dir(mut self, session_dir: impl Into<String>) -> Self {
        self.session_dir = Some(session_dir.into());
        self
    }
}

impl From<&str> for ContinueRecentParams {
    fn from(cwd: &str) -> Self {
        Self::new(cwd)
    }
}

impl From<&String> for ContinueRecentParams {
    fn from(cwd: &String) -> Self {
        Self::new(cwd)
    }
}

impl From<String> for ContinueRecentParams {
    fn from(cwd: String) -> Self {
        Self::new(cwd)
    }
}

/// What usage cost, in US dollars.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// `input`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub input: Nullable<f64>,
    /// `output`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub output: Nullable<f64>,
    /// `cacheRead`.
    #[serde(rename = "cacheRead", default, skip_serializing_if = "Nullable::is_absent")]
    pub cache_read: Nullable<f64>,
    /// `cacheWrite`.
    #[serde(rename = "cacheWrite", default, skip_serializing_if = "Nullable::is_absent")]
    pub cache_write: Nullable<f64>,
    /// `total`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub total: Nullable<f64>,
}

/// A leaf whose branch becomes a session of its own; the handle moves to the new file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CreateBranchedSessionParams {
    /// Last entry of the branch to take.
    #[serde(rename = "leafId")]
    pub leaf_id: String,
}

impl CreateBranchedSessionParams {
    /// With what is required.
    pub fn new(leaf_id: impl Into<String>) -> Self {
        Self {
            leaf_id: leaf_id.into(),
        }
    }
}

impl From<&str> for CreateBranchedSessionParams {
    fn from(leaf_id: &str) -> Self {
        Self::new(leaf_id)
    }
}

impl From<&String> for CreateBranchedSessionParams {
    fn from(leaf_id: &String) -> Self {
        Self::new(leaf_id)
    }
}

impl From<String> for CreateBranchedSessionParams {
    fn from(leaf_id: String) -> Self {
        Self::new(leaf_id)
    }
}

/// A new session; its file appears with the first user or assistant message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CreateParams {
    /// Working directory; resolved, `~` expanded.
    pub cwd: String,
    /// Directory for the file, in place of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Id of the new session: letters, digits, `-`, `_`, `.`, a letter or digit at both ends. Absent: a UUID version 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Path of the session this one goes back to; kept in the header.
    #[serde(rename = "parentSession", skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
}

impl CreateParams {
    /// With what is required.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            session_dir: Default::default(),
            id: Default::default(),
            parent_session: Default::default(),
        }
    }

    /// Directory for the file, in place of the profile's.
    #[must_use]
    pub fn session_dir(mut self, session_dir: impl Into<String>) -> Self {
        self.session_dir = Some(session_dir.into());
        self
    }

    /// Id of the new session: letters, digits, `-`, `_`, `.`, a letter or digit at both ends. Absent: a UUID version 7.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Path of the session this one goes back to; kept in the header.
    #[must_use]
    pub fn parent_session(mut self, parent_session: impl Into<String>) -> Self {
        self.parent_session = Some(parent_session.into());
        self
    }
}

impl From<&str> for CreateParams {
    fn from(cwd: &str) -> Self {
        Self::new(cwd)
    }
}

impl From<&String> for CreateParams {
    fn from(cwd: &String) -> Self {
        Self::new(cwd)
    }
}

impl From<String> for CreateParams {
    fn from(cwd: String) -> Self {
        Self::new(cwd)
    }
}

/// State of an extension, never part of the context; written by the extension.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "custom")]
pub struct CustomEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Names the extension.
    #[serde(rename = "customType", default, skip_serializing_if = "Option::is_none")]
    pub custom_type: Option<String>,
    /// The extension's.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub data: Option<Raw>,
}

/// A message of an extension, sent to a model as a user's. Stored as `custom_message` entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "custom")]
pub struct CustomMessage {
    /// Names the extension.
    #[serde(rename = "customType", default, skip_serializing_if = "Option::is_none")]
    pub custom_type: Option<String>,
    /// Text, or text and image blocks.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub content: Nullable<Json<Content>>,
    /// Whether front ends show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<bool>,
    /// The extension's; not sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// A message of an extension, part of the context as a user message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "custom_message")]
pub struct CustomMessageEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Names the extension.
    #[serde(rename = "customType", default, skip_serializing_if = "Option::is_none")]
    pub custom_type: Option<String>,
    /// Text, or text and image blocks.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub content: Nullable<Json<Content>>,
    /// Whether front ends show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<bool>,
    /// The extension's; not sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
}

/// The session's working directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CwdResult {
    /// `cwd`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub cwd: String,
}

/// Something wrong with a line of a session file. The line stays in the file as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Number of the line in the file, from 1.
    pub line: i64,
    /// What is wrong; readers must expect kinds they do not know. Known: `malformedLine`, `notAnEntry`, `missingId`, `duplicateId`, `orphan`, `selfParent`, `cycle`, `secondHeader`, `tornTail`, `invalidUtf8`, `byteOrderMark`, `unknownVersion`, `missingTarget`, `invalidTimestamp`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub kind: String,
    /// For people.
    #[serde(deserialize_with = "lossy::lossy")]
    pub message: String,
}

/// Entries in the order the method names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntriesResult {
    /// `entries`.
    pub entries: Vec<Json<Entry>>,
}

/// An entry of a session, by its `type`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Entry {
    /// A message of the conversation.
    Message(SessionMessageEntry),
    /// Another thinking level from here on; written when the user changes it.
    ThinkingLevelChange(ThinkingLevelChangeEntry),
    /// Another model from here on; written when the user changes it.
    ModelChange(ModelChangeEntry),
    /// A summary that stands in the context for everything before the first kept entry.
    Compaction(CompactionEntry),
    /// A summary of a branch that was left; its parent is where the conversation went on.
    BranchSummary(BranchSummaryEntry),
    /// State of an extension, never part of the context; written by the extension.
    Custom(CustomEntry),
    /// A message of an extension, part of the context as a user message.
    CustomMessage(CustomMessageEntry),
    /// A person's mark on an entry. The last one per target counts.
    Label(LabelEntry),
    /// A person's name for the session. The last one in the file counts.
    SessionInfo(SessionInfoEntry),
    /// Usage beside the conversation: counted in totals, never part of the context.
    Usage(UsageEntry),
    /// Another content for an earlier entry of the branch, in the context only.
    ContextEdit(ContextEditEntry),
    /// Not known here, or not of the shape known: the text as it came.
    Unknown(Raw),
}

impl Union for Entry {
    fn read(raw: &Raw) -> Self {
        let read = match raw.member::<String>("type").as_deref() {
            Some("message") => raw.parse().map(Self::Message),
            Some("thinking_level_change") => raw.parse().map(Self::ThinkingLevelChange),
            Some("model_change") => raw.parse().map(Self::ModelChange),
            Some("compaction") => raw.parse().map(Self::Compaction),
            Some("branch_summary") => raw.parse().map(Self::BranchSummary),
            Some("custom") => raw.parse().map(Self::Custom),
            Some("custom_message") => raw.parse().map(Self::CustomMessage),
            Some("label") => raw.parse().map(Self::Label),
            Some("session_info") => raw.parse().map(Self::SessionInfo),
            Some("usage") => raw.parse().map(Self::Usage),
            Some("context_edit") => raw.parse().map(Self::ContextEdit),
            _ => return Self::Unknown(raw.clone()),
        };
        read.unwrap_or_else(|_| Self::Unknown(raw.clone()))
    }
}

impl Json<Entry> {
    /// Its `type`, read without decoding the rest; of unknown shapes as well.
    #[must_use]
    pub fn type_(&self) -> Option<String> {
        self.member("type")
    }

    /// Its `id`, read without decoding the rest; of unknown shapes as well.
    #[must_use]
    pub fn id(&self) -> Option<String> {
        self.member("id")
    }

    /// Its `parentId`, read without decoding the rest; of unknown shapes as well.
    #[must_use]
    pub fn parent_id(&self) -> Option<String> {
        self.member("parentId")
    }

    /// Its `timestamp`, read without decoding the rest; of unknown shapes as well.
    #[must_use]
    pub fn timestamp(&self) -> Option<String> {
        self.member("timestamp")
    }
}

impl From<SessionMessageEntry> for Entry {
    fn from(value: SessionMessageEntry) -> Self {
        Self::Message(value)
    }
}

impl From<SessionMessageEntry> for Json<Entry> {
    fn from(value: SessionMessageEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<ThinkingLevelChangeEntry> for Entry {
    fn from(value: ThinkingLevelChangeEntry) -> Self {
        Self::ThinkingLevelChange(value)
    }
}

impl From<ThinkingLevelChangeEntry> for Json<Entry> {
    fn from(value: ThinkingLevelChangeEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<ModelChangeEntry> for Entry {
    fn from(value: ModelChangeEntry) -> Self {
        Self::ModelChange(value)
    }
}

impl From<ModelChangeEntry> for Json<Entry> {
    fn from(value: ModelChangeEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<CompactionEntry> for Entry {
    fn from(value: CompactionEntry) -> Self {
        Self::Compaction(value)
    }
}

impl From<CompactionEntry> for Json<Entry> {
    fn from(value: CompactionEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<BranchSummaryEntry> for Entry {
    fn from(value: BranchSummaryEntry) -> Self {
        Self::BranchSummary(value)
    }
}

impl From<BranchSummaryEntry> for Json<Entry> {
    fn from(value: BranchSummaryEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<CustomEntry> for Entry {
    fn from(value: CustomEntry) -> Self {
        Self::Custom(value)
    }
}

impl From<CustomEntry> for Json<Entry> {
    fn from(value: CustomEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<CustomMessageEntry> for Entry {
    fn from(value: CustomMessageEntry) -> Self {
        Self::CustomMessage(value)
    }
}

impl From<CustomMessageEntry> for Json<Entry> {
    fn from(value: CustomMessageEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<LabelEntry> for Entry {
    fn from(value: LabelEntry) -> Self {
        Self::Label(value)
    }
}

impl From<LabelEntry> for Json<Entry> {
    fn from(value: LabelEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<SessionInfoEntry> for Entry {
    fn from(value: SessionInfoEntry) -> Self {
        Self::SessionInfo(value)
    }
}

impl From<SessionInfoEntry> for Json<Entry> {
    fn from(value: SessionInfoEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<UsageEntry> for Entry {
    fn from(value: UsageEntry) -> Self {
        Self::Usage(value)
    }
}

impl From<UsageEntry> for Json<Entry> {
    fn from(value: UsageEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<ContextEditEntry> for Entry {
    fn from(value: ContextEditEntry) -> Self {
        Self::ContextEdit(value)
    }
}

impl From<ContextEditEntry> for Json<Entry> {
    fn from(value: ContextEditEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

/// How many entries there are, the header not counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryCountResult {
    /// `count`.
    pub count: i64,
}

/// An entry without its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryFacts {
    /// `id`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub id: String,
    /// null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "lossy::lossy")]
    pub parent_id: Option<String>,
    /// `type`.
    #[serde(rename = "type", deserialize_with = "lossy::lossy")]
    pub type_: String,
    /// `timestamp`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub timestamp: String,
}

/// One entry, or none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryResult {
    /// null: there is none.
    pub entry: Option<Json<Entry>>,
}

/// A session id to look for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FindByIdParams {
    /// Working directory; resolved, `~` expanded.
    pub cwd: String,
    /// The whole id.
    pub id: String,
    /// Directory to look in, in place of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
}

impl FindByIdParams {
    /// With what is required.
    pub fn new(cwd: impl Into<String>, id: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            id: id.into(),
            session_dir: Default::default(),
        }
    }

    /// Directory to look in, in place of the profile's.
    #[must_use]
    pub fn session_dir(mut self, session_dir: impl Into<String>) -> Self {
        self.session_dir = Some(session_dir.into());
        self
    }
}

/// Where the session is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FindByIdResult {
    /// Its file; null: there is none with this id.
    #[serde(deserialize_with = "lossy::lossy")]
    pub path: Option<String>,
}

/// A session to copy whole into a new file that names it as parent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ForkFromParams {
    /// The session file to copy.
    #[serde(rename = "sourcePath")]
    pub source_path: String,
    /// Working directory of the new session.
    #[serde(rename = "targetCwd")]
    pub target_cwd: String,
    /// Directory for the new file, in place of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Id of the new session, as in `session/create`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl ForkFromParams {
    /// With what is required.
    pub fn new(source_path: impl Into<String>, target_cwd: impl Into<String>) -> Self {
        Self {
            source_path: source_path.into(),
            target_cwd: target_cwd.into(),
            session_dir: Default::default(),
            id: Default::default(),
        }
    }

    /// Directory for the new file, in place of the profile's.
    #[must_use]
    pub fn session_dir(mut self, session_dir: impl Into<String>) -> Self {
        self.session_dir = Some(session_dir.into());
        self
    }

    /// Id of the new session, as in `session/create`.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

/// A branch to walk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetBranchParams {
    /// Last entry of the branch; absent: the leaf.
    #[serde(rename = "fromId", skip_serializing_if = "Option::is_none")]
    pub from_id: Option<String>,
}

impl GetBranchParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Last entry of the branch; absent: the leaf.
    #[must_use]
    pub fn from_id(mut self, from_id: impl Into<String>) -> Self {
        self.from_id = Some(from_id.into());
        self
    }
}

/// An entry whose children are asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetChildrenParams {
    /// The parent; null: entries that have none.
    #[serde(rename = "parentId")]
    pub parent_id: Option<String>,
}

impl GetChildrenParams {
    /// With what is required.
    pub fn new(parent_id: impl Into<Option<String>>) -> Self {
        Self {
            parent_id: parent_id.into(),
        }
    }
}

impl From<Option<String>> for GetChildrenParams {
    fn from(parent_id: Option<String>) -> Self {
        Self::new(parent_id)
    }
}

/// A window of the file's entries.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetEntriesParams {
    /// Begin behind this: an entry's id, meaning its last occurrence, or a `nextAfter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Greatest number of entries in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
}

impl GetEntriesParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begin behind this: an entry's id, meaning its last occurrence, or a `nextAfter`.
    #[must_use]
    pub fn after(mut self, after: impl Into<String>) -> Self {
        self.after = Some(after.into());
        self
    }

    /// Greatest number of entries in the answer.
    #[must_use]
    pub fn limit(mut self, limit: i64) -> Self {
        self.limit = Some(limit);
        self
    }
}

/// Entries in file order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GetEntriesResult {
    /// `entries`.
    pub entries: Vec<Json<Entry>>,
    /// Number of entries in the file.
    pub total: i64,
    /// `after` of the next window; opaque; absent: nothing follows.
    #[serde(rename = "nextAfter", default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub next_after: Option<String>,
}

/// An id to look up.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetEntryParams {
    /// Id of the entry.
    pub id: String,
}

impl GetEntryParams {
    /// With what is required.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
        }
    }
}

impl From<&str> for GetEntryParams {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<&String> for GetEntryParams {
    fn from(id: &String) -> Self {
        Self::new(id)
    }
}

impl From<String> for GetEntryParams {
    fn from(id: String) -> Self {
        Self::new(id)
    }
}

/// How much of each entry the tree carries.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetTreeParams {
    /// `full` (default): `TreeNode`s; `outline`: `OutlineNode`s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<GetTreeDetail>,
}

impl GetTreeParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `full` (default): `TreeNode`s; `outline`: `OutlineNode`s.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<GetTreeDetail>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

/// A session's header.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Header {
    /// The first line of a session file; not part of the tree.
    Session(SessionHeader),
    /// Not known here, or not of the shape known: the text as it came.
    Unknown(Raw),
}

impl Union for Header {
    fn read(raw: &Raw) -> Self {
        let read = match raw.member::<String>("type").as_deref() {
            Some("session") => raw.parse().map(Self::Session),
            _ => return Self::Unknown(raw.clone()),
        };
        read.unwrap_or_else(|_| Self::Unknown(raw.clone()))
    }
}

impl Json<Header> {
    /// Its `type`, read without decoding the rest; of unknown shapes as well.
    #[must_use]
    pub fn type_(&self) -> Option<String> {
        self.member("type")
    }
}

impl From<SessionHeader> for Header {
    fn from(value: SessionHeader) -> Self {
        Self::Session(value)
    }
}

impl From<SessionHeader> for Json<Header> {
    fn from(value: SessionHeader) -> Self {
        Self::from(Header::from(value))
    }
}

/// The header line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HeaderResult {
    /// `header`.
    pub header: Json<Header>,
}

/// An image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "image")]
pub struct ImageContent {
    /// The image in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Such as `image/png`.
    #[serde(rename = "mimeType", default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// A session without a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InMemoryParams {
    /// Working directory; absent: that of the daemon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Id of the session, as in `session/create`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Entries to begin with, in file order; a header may come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Json<Entry>>>,
}

impl InMemoryParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Working directory; absent: that of the daemon.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Id of the session, as in `session/create`.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Entries to begin with, in file order; a header may come first.
    #[must_use]
    pub fn entries(mut self, entries: Vec<Json<Entry>>) -> Self {
        self.entries = Some(entries);
        self
    }
}

/// Who else has a session open, as far as can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InUse {
    /// Other processes that have it open.
    pub pids: Vec<i64>,
}

/// Settings of the connection. A client that skips `initialize` gets the command line's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InitializeParams {
    /// `clientInfo`.
    #[serde(rename = "clientInfo", skip_serializing_if = "Option::is_none")]
    pub client_info: Option<ClientInfo>,
    /// Process of the client; the daemon exits when that process is gone.
    #[serde(rename = "processId", skip_serializing_if = "Option::is_none")]
    pub process_id: Option<i64>,
    /// The agent whose directories and rules apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Directory of the agent, in place of the profile's.
    #[serde(rename = "agentDir", skip_serializing_if = "Option::is_none")]
    pub agent_dir: Option<String>,
    /// Agent of a gateway profile; `main` unless the command line says else.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Unit in which positions in text are counted; `utf-16` by default.
    #[serde(rename = "positionEncoding", skip_serializing_if = "Option::is_none")]
    pub position_encoding: Option<PositionEncoding>,
    /// `capabilities`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<ClientCapabilities>,
}

impl InitializeParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `clientInfo`.
    #[must_use]
    pub fn client_info(mut self, client_info: impl Into<ClientInfo>) -> Self {
        self.client_info = Some(client_info.into());
        self
    }

    /// Process of the client; the daemon exits when that process is gone.
    #[must_use]
    pub fn process_id(mut self, process_id: i64) -> Self {
        self.process_id = Some(process_id);
        self
    }

    /// The agent whose directories and rules apply.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<Profile>) -> Self {
        self.profile = Some(profile.into());
        self
    }

    /// Directory of the agent, in place of the profile's.
    #[must_use]
    pub fn agent_dir(mut self, agent_dir: impl Into<String>) -> Self {
        self.agent_dir = Some(agent_dir.into());
        self
    }

    /// Agent of a gateway profile; `main` unless the command line says else.
    #[must_use]
    pub fn agent_id(mut self, agent_id: impl Into<String>) -> Self {
        self.agent_id = Some(agent_id.into());
        self
    }

    /// Unit in which positions in text are counted; `utf-16` by default.
    #[must_use]
    pub fn position_encoding(mut self, position_encoding: impl Into<PositionEncoding>) -> Self {
        self.position_encoding = Some(position_encoding.into());
        self
    }

    /// `capabilities`.
    #[must_use]
    pub fn capabilities(mut self, capabilities: impl Into<ClientCapabilities>) -> Self {
        self.capabilities = Some(capabilities.into());
        self
    }
}

/// The settings in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InitializeResult {
    /// `serverInfo`.
    #[serde(rename = "serverInfo")]
    pub server_info: ServerInfo,
    /// Version of this contract: `"1"`.
    #[serde(rename = "protocolVersion", deserialize_with = "lossy::lossy")]
    pub protocol_version: String,
    /// `profile`.
    pub profile: Profile,
    /// Absolute path of the agent's directory.
    #[serde(rename = "agentDir", deserialize_with = "lossy::lossy")]
    pub agent_dir: String,
    /// Absolute path of the directory that holds the sessions.
    #[serde(rename = "sessionsDir", deserialize_with = "lossy::lossy")]
    pub sessions_dir: String,
    /// `positionEncoding`.
    #[serde(rename = "positionEncoding")]
    pub position_encoding: PositionEncoding,
    /// `capabilities`.
    pub capabilities: ServerCapabilities,
}

/// Whether the session belongs to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IsPersistedResult {
    /// `persisted`.
    pub persisted: bool,
}

/// A person's mark on an entry. The last one per target counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "label")]
pub struct LabelEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The entry marked.
    #[serde(rename = "targetId", default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<String>,
    /// Absent, null or empty clears the label.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub label: Nullable<String>,
}

/// The label in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LabelResult {
    /// null: none.
    #[serde(deserialize_with = "lossy::lossy")]
    pub label: Option<String>,
}

/// The handle's position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafIdResult {
    /// null: before any entry.
    #[serde(rename = "leafId", deserialize_with = "lossy::lossy")]
    pub leaf_id: Option<String>,
}

/// The sessions of all working directories.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListAllParams {
    /// Greatest number of sessions in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// `nextCursor` of the page before; opaque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Add `allMessagesText` to every session.
    #[serde(rename = "includeText", skip_serializing_if = "Option::is_none")]
    pub include_text: Option<bool>,
    /// Only sessions that have a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<bool>,
    /// Asks for progress under this token.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
    /// Asks for `$/progress` with `PartialSessions` under this token while the listing goes on; the answer still carries the full page.
    #[serde(rename = "partialResultToken", skip_serializing_if = "Option::is_none")]
    pub partial_result_token: Option<Id>,
    /// A single directory to look in, in place of all of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
}

impl ListAllParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Greatest number of sessions in the answer.
    #[must_use]
    pub fn limit(mut self, limit: i64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// `nextCursor` of the page before; opaque.
    #[must_use]
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }

    /// Add `allMessagesText` to every session.
    #[must_use]
    pub fn include_text(mut self, include_text: bool) -> Self {
        self.include_text = Some(include_text);
        self
    }

    /// Only sessions that have a name.
    #[must_use]
    pub fn named(mut self, named: bool) -> Self {
        self.named = Some(named);
        self
    }

    /// Asks for progress under this token.
    #[must_use]
    pub fn work_done_token(mut self, work_done_token: impl Into<Id>) -> Self {
        self.work_done_token = Some(work_done_token.into());
        self
    }

    /// Asks for `$/progress` with `PartialSessions` under this token while the listing goes on; the answer still carries the full page.
    #[must_use]
    pub fn partial_result_token(mut self, partial_result_token: impl Into<Id>) -> Self {
        self.partial_result_token = Some(partial_result_token.into());
        self
    }

    /// A single directory to look in, in place of all of the profile's.
    #[must_use]
    pub fn session_dir(mut self, session_dir: impl Into<String>) -> Self {
        self.session_dir = Some(session_dir.into());
        self
    }
}

/// The sessions of one working directory.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListParams {
    /// Working directory; resolved, `~` expanded.
    pub cwd: String,
    /// Greatest number of sessions in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// `nextCursor` of the page before; opaque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Add `allMessagesText` to every session.
    #[serde(rename = "includeText", skip_serializing_if = "Option::is_none")]
    pub include_text: Option<bool>,
    /// Only sessions that have a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<bool>,
    /// Asks for progress under this token.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
    /// Asks for `$/progress` with `PartialSessions` under this token while the listing goes on; the answer still carries the full page.
    #[serde(rename = "partialResultToken", skip_serializing_if = "Option::is_none")]
    pub partial_result_token: Option<Id>,
    /// Directory to look in, in place of the profile's; of a directory that is not the default one of `cwd`, only sessions of that `cwd` are listed.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
}

impl ListParams {
    /// With what is required.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            limit: Default::default(),
            cursor: Default::default(),
            include_text: Default::default(),
            named: Default::default(),
            work_done_token: Default::default(),
            partial_result_token: Default::default(),
            session_dir: Default::default(),
        }
    }

    /// Greatest number of sessions in the answer.
    #[must_use]
    pub fn limit(mut self, limit: i64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// `nextCursor` of the page before; opaque.
    #[must_use]
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }

    /// Add `allMessagesText` to every session.
    #[must_use]
    pub fn include_text(mut self, include_text: bool) -> Self {
        self.include_text = Some(include_text);
        self
    }

    /// Only sessions that have a name.
    #[must_use]
    pub fn named(mut self, named: bool) -> Self {
        self.named = Some(named);
        self
    }

    /// Asks for progress under this token.
    #[must_use]
    pub fn work_done_token(mut self, work_done_token: impl Into<Id>) -> Self {
        self.work_done_token = Some(work_done_token.into());
        self
    }

    /// Asks for `$/progress` with `PartialSessions` under this token while the listing goes on; the answer still carries the full page.
    #[must_use]
    pub fn partial_result_token(mut self, partial_result_token: impl Into<Id>) -> Self {
        self.partial_result_token = Some(partial_result_token.into());
        self
    }

    /// Directory to look in, in place of the profile's; of a directory that is not the default one of `cwd`, only sessions of that `cwd` are listed.
    #[must_use]
    pub fn session_dir(mut self, session_dir: impl Into<String>) -> Self {
        self.session_dir = Some(session_dir.into());
        self
    }
}

impl From<&str> for ListParams {
    fn from(cwd: &str) -> Self {
        Self::new(cwd)
    }
}

impl From<&String> for ListParams {
    fn from(cwd: &String) -> Self {
        Self::new(cwd)
    }
}

impl From<String> for ListParams {
    fn from(cwd: String) -> Self {
        Self::new(cwd)
    }
}

/// A page of sessions, the latest `modified` first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListResult {
    /// `sessions`.
    pub sessions: Vec<SessionInfo>,
    /// Number of sessions on all pages.
    pub total: i64,
    /// Where the next page begins; absent: this is the last.
    #[serde(rename = "nextCursor", default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub next_cursor: Option<String>,
}

/// A message, by its `role`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Message {
    /// What a person, or a program in their place, said.
    User(UserMessage),
    /// What a model answered.
    Assistant(AssistantMessage),
    /// What a tool gave back.
    ToolResult(ToolResultMessage),
    /// A shell command a person ran (`!` in pi).
    BashExecution(BashExecutionMessage),
    /// A message of an extension, sent to a model as a user's. Stored as `custom_message` entry.
    Custom(CustomMessage),
    /// A summary of a branch that was left; made from a `branch_summary` entry, never stored.
    BranchSummary(BranchSummaryMessage),
    /// A summary in place of earlier messages; made from a `compaction` entry, never stored.
    CompactionSummary(CompactionSummaryMessage),
    /// A part of the system prompt. All of them, replayed in order, give the one in force.
    System(SystemMessage),
    /// Not known here, or not of the shape known: the text as it came.
    Unknown(Raw),
}

impl Union for Message {
    fn read(raw: &Raw) -> Self {
        let read = match raw.member::<String>("role").as_deref() {
            Some("user") => raw.parse().map(Self::User),
            Some("assistant") => raw.parse().map(Self::Assistant),
            Some("toolResult") => raw.parse().map(Self::ToolResult),
            Some("bashExecution") => raw.parse().map(Self::BashExecution),
            Some("custom") => raw.parse().map(Self::Custom),
            Some("branchSummary") => raw.parse().map(Self::BranchSummary),
            Some("compactionSummary") => raw.parse().map(Self::CompactionSummary),
            Some("system") => raw.parse().map(Self::System),
            _ => return Self::Unknown(raw.clone()),
        };
        read.unwrap_or_else(|_| Self::Unknown(raw.clone()))
    }
}

impl Json<Message> {
    /// Its `role`, read without decoding the rest; of unknown shapes as well.
    #[must_use]
    pub fn role(&self) -> Option<String> {
        self.member("role")
    }
}

impl From<UserMessage> for Message {
    fn from(value: UserMessage) -> Self {
        Self::User(value)
    }
}

impl From<UserMessage> for Json<Message> {
    fn from(value: UserMessage) -> Self {
        Self::from(Message::from(value))
    }
}

impl From<AssistantMessage> for Message {
    fn from(value: AssistantMessage) -> Self {
        Self::Assistant(value)
    }
}

impl From<AssistantMessage> for Json<Message> {
    fn from(value: AssistantMessage) -> Self {
        Self::from(Message::from(value))
    }
}

impl From<ToolResultMessage> for Message {
    fn from(value: ToolResultMessage) -> Self {
        Self::ToolResult(value)
    }
}

impl From<ToolResultMessage> for Json<Message> {
    fn from(value: ToolResultMessage) -> Self {
        Self::from(Message::from(value))
    }
}

impl From<BashExecutionMessage> for Message {
    fn from(value: BashExecutionMessage) -> Self {
        Self::BashExecution(value)
    }
}

impl From<BashExecutionMessage> for Json<Message> {
    fn from(value: BashExecutionMessage) -> Self {
        Self::from(Message::from(value))
    }
}

impl From<CustomMessage> for Message {
    fn from(value: CustomMessage) -> Self {
        Self::Custom(value)
    }
}

impl From<CustomMessage> for Json<Message> {
    fn from(value: CustomMessage) -> Self {
        Self::from(Message::from(value))
    }
}

impl From<BranchSummaryMessage> for Message {
    fn from(value: BranchSummaryMessage) -> Self {
        Self::BranchSummary(value)
    }
}

impl From<BranchSummaryMessage> for Json<Message> {
    fn from(value: BranchSummaryMessage) -> Self {
        Self::from(Message::from(value))
    }
}

impl From<CompactionSummaryMessage> for Message {
    fn from(value: CompactionSummaryMessage) -> Self {
        Self::CompactionSummary(value)
    }
}

impl From<CompactionSummaryMessage> for Json<Message> {
    fn from(value: CompactionSummaryMessage) -> Self {
        Self::from(Message::from(value))
    }
}

impl From<SystemMessage> for Message {
    fn from(value: SystemMessage) -> Self {
        Self::System(value)
    }
}

impl From<SystemMessage> for Json<Message> {
    fn from(value: SystemMessage) -> Self {
        Self::from(Message::from(value))
    }
}

/// Another model from here on; written when the user changes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "model_change")]
pub struct ModelChangeEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// `provider`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// `modelId`.
    #[serde(rename = "modelId", default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelRef {
    /// `provider`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub provider: String,
    /// `modelId`.
    #[serde(rename = "modelId", deserialize_with = "lossy::lossy")]
    pub model_id: String,
}

/// A fresh session for a handle; the working directory stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NewSessionParams {
    /// Id of the new session, as in `session/create`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Path of the session this one goes back to; kept in the header.
    #[serde(rename = "parentSession", skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
}

impl NewSessionParams {
    /// With nothing given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Id of the new session, as in `session/create`.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Path of the session this one goes back to; kept in the header.
    #[must_use]
    pub fn parent_session(mut self, parent_session: impl Into<String>) -> Self {
        self.parent_session = Some(parent_session.into());
        self
    }
}

/// A node of the tree, by `detail`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Node {
    /// An entry in the tree, whole.
    TreeNode(TreeNode),
    /// An entry in the tree, in short.
    OutlineNode(OutlineNode),
    /// Not known here, or not of the shape known: the text as it came.
    Unknown(Raw),
}

impl Union for Node {
    fn read(raw: &Raw) -> Self {
        raw.parse()
            .map(Self::TreeNode)
            .or_else(|_| raw.parse().map(Self::OutlineNode))
            .unwrap_or_else(|_: serde_json::Error| Self::Unknown(raw.clone()))
    }
}

impl From<TreeNode> for Node {
    fn from(value: TreeNode) -> Self {
        Self::TreeNode(value)
    }
}

impl From<TreeNode> for Json<Node> {
    fn from(value: TreeNode) -> Self {
        Self::from(Node::from(value))
    }
}

impl From<OutlineNode> for Node {
    fn from(value: OutlineNode) -> Self {
        Self::OutlineNode(value)
    }
}

impl From<OutlineNode> for Json<Node> {
    fn from(value: OutlineNode) -> Self {
        Self::from(Node::from(value))
    }
}

/// A session file to open. One that is missing or empty becomes a new session there.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OpenParams {
    /// The session file.
    pub path: String,
    /// Directory for sessions branched off; absent: that of the file.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Working directory in place of the one in the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Refuse writes; an old file is migrated in memory only.
    #[serde(rename = "readOnly", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Let the leaf move with the file's last entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
    /// Refuse a missing file (`SessionNotFound`).
    #[serde(rename = "mustExist", skip_serializing_if = "Option::is_none")]
    pub must_exist: Option<bool>,
}

impl OpenParams {
    /// With what is required.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            session_dir: Default::default(),
            cwd: Default::default(),
            read_only: Default::default(),
            follow: Default::default(),
            must_exist: Default::default(),
        }
    }

    /// Directory for sessions branched off; absent: that of the file.
    #[must_use]
    pub fn session_dir(mut self, session_dir: impl Into<String>) -> Self {
        self.session_dir = Some(session_dir.into());
        self
    }

    /// Working directory in place of the one in the header.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Refuse writes; an old file is migrated in memory only.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = Some(read_only);
        self
    }

    /// Let the leaf move with the file's last entry.
    #[must_use]
    pub fn follow(mut self, follow: bool) -> Self {
        self.follow = Some(follow);
        self
    }

    /// Refuse a missing file (`SessionNotFound`).
    #[must_use]
    pub fn must_exist(mut self, must_exist: bool) -> Self {
        self.must_exist = Some(must_exist);
        self
    }
}

impl From<&str> for OpenParams {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

impl From<&String> for OpenParams {
    fn from(path: &String) -> Self {
        Self::new(path)
    }
}

impl From<String> for OpenParams {
    fn from(path: String) -> Self {
        Self::new(path)
    }
}

/// An entry in the tree, in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutlineNode {
    /// `id`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub id: String,
    /// As in the entry.
    #[serde(rename = "parentId", deserialize_with = "lossy::lossy")]
    pub parent_id: Option<String>,
    /// Ids, by time.
    #[serde(deserialize_with = "lossy::lossy")]
    pub children: Vec<String>,
    /// `type`.
    #[serde(rename = "type", deserialize_with = "lossy::lossy")]
    pub type_: String,
    /// `timestamp`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub timestamp: String,
    /// What it says, at most 120 characters.
    #[serde(deserialize_with = "lossy::lossy")]
    pub preview: String,
    /// Role of a message entry.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub role: Option<String>,
    /// Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub label: Option<String>,
}

/// The whole sorted list as far as it is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartialSessions {
    /// `sessions`.
    pub sessions: Vec<SessionInfo>,
}

/// Progress of the request that carried the token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgressParams {
    /// As the request carried it.
    pub token: Id,
    /// By the token: `WorkDoneProgress` or a partial result.
    pub value: Json<ProgressValue>,
}

/// What `$/progress` tells, by its token.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ProgressValue {
    /// How far work has got: one `begin`, any number of `report`s, one `end`.
    WorkDoneProgress(WorkDoneProgress),
    /// The whole sorted list as far as it is known.
    PartialSessions(PartialSessions),
    /// Not known here, or not of the shape known: the text as it came.
    Unknown(Raw),
}

impl Union for ProgressValue {
    fn read(raw: &Raw) -> Self {
        raw.parse()
            .map(Self::WorkDoneProgress)
            .or_else(|_| raw.parse().map(Self::PartialSessions))
            .unwrap_or_else(|_: serde_json::Error| Self::Unknown(raw.clone()))
    }
}

impl From<WorkDoneProgress> for ProgressValue {
    fn from(value: WorkDoneProgress) -> Self {
        Self::WorkDoneProgress(value)
    }
}

impl From<WorkDoneProgress> for Json<ProgressValue> {
    fn from(value: WorkDoneProgress) -> Self {
        Self::from(ProgressValue::from(value))
    }
}

impl From<PartialSessions> for ProgressValue {
    fn from(value: PartialSessions) -> Self {
        Self::PartialSessions(value)
    }
}

impl From<PartialSessions> for Json<ProgressValue> {
    fn from(value: PartialSessions) -> Self {
        Self::from(ProgressValue::from(value))
    }
}

/// An entry and what it adds to the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectedEntry {
    /// `sourceEntry`.
    #[serde(rename = "sourceEntry")]
    pub source_entry: Json<Entry>,
    /// After context edits; empty: it adds nothing.
    pub messages: Vec<Json<Message>>,
}

/// What stands in the context in place of an entry's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// `content`.
    pub content: Json<Content>,
}

impl Replacement {
    /// With what is required.
    pub fn new(content: impl Into<Json<Content>>) -> Self {
        Self {
            content: content.into(),
        }
    }
}

impl From<Json<Content>> for Replacement {
    fn from(content: Json<Content>) -> Self {
        Self::new(content)
    }
}

impl From<Content> for Replacement {
    fn from(content: Content) -> Self {
        Self::new(content)
    }
}

/// What this daemon serves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// Framing of this connection, both ways.
    pub framing: ServerCapabilitiesFraming,
    /// Every method and notification it takes, by name.
    #[serde(deserialize_with = "lossy::lossy")]
    pub methods: Vec<String>,
    /// Every notification it may send.
    #[serde(deserialize_with = "lossy::lossy")]
    pub notifications: Vec<String>,
}

/// Which daemon answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerInfo {
    /// `version`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub version: String,
    /// `name`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub name: String,
}

/// What a model would be sent, before conversion to its own roles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionContextResult {
    /// `messages`.
    pub messages: Vec<Json<Message>>,
    /// `off` unless the branch says else.
    #[serde(rename = "thinkingLevel", deserialize_with = "lossy::lossy")]
    pub thinking_level: String,
    /// null: the branch names none.
    pub model: Option<ModelRef>,
}

/// A change of a session's file that this handle did not make itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionDidChangeParams {
    /// Handle of the session.
    #[serde(deserialize_with = "lossy::lossy")]
    pub session: String,
    /// Grows by one per message for the handle, so a gap shows.
    pub sequence: i64,
    /// Absolute path of the file.
    #[serde(deserialize_with = "lossy::lossy")]
    pub path: String,
    /// Number of reloads caused by somebody rewriting the file.
    pub generation: i64,
    /// `deleted`, `invalid`: reads answer the last good state until `restored` or `rewritten`.
    pub kind: SessionDidChangeKind,
    /// The handle's leaf now; null: before any entry.
    #[serde(rename = "leafId", deserialize_with = "lossy::lossy")]
    pub leaf_id: Option<String>,
    /// Last entry of the file now; null: there is none.
    #[serde(rename = "tipId", deserialize_with = "lossy::lossy")]
    pub tip_id: Option<String>,
    /// Number of entries now.
    #[serde(rename = "entryCount")]
    pub entry_count: i64,
    /// What was appended, in file order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<EntryFacts>>,
    /// Name now; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub name: Option<String>,
}

/// The directory for sessions branched off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionDirResult {
    /// `sessionDir`.
    #[serde(rename = "sessionDir", deserialize_with = "lossy::lossy")]
    pub session_dir: String,
}

/// The session's file, written or not yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionFileResult {
    /// null: in memory.
    #[serde(rename = "sessionFile", deserialize_with = "lossy::lossy")]
    pub session_file: Option<String>,
}

/// The first line of a session file; not part of the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session")]
pub struct SessionHeader {
    /// Version of the file format; absent: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// When the session began; ISO 8601 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Path of the session this one was forked from.
    #[serde(rename = "parentSession", default, skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
    /// The same, as version 1 wrote it.
    #[serde(rename = "branchedFrom", default, skip_serializing_if = "Option::is_none")]
    pub branched_from: Option<String>,
    /// Initial provider; only version 1 wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Initial model; only version 1 wrote it.
    #[serde(rename = "modelId", default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// Initial thinking level; only version 1 wrote it.
    #[serde(rename = "thinkingLevel", default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
}

/// The id in the session's header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionIdResult {
    /// `sessionId`.
    #[serde(rename = "sessionId", deserialize_with = "lossy::lossy")]
    pub session_id: String,
}

/// A session file as lists show it; times are ISO 8601 UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Absolute path of the file.
    #[serde(deserialize_with = "lossy::lossy")]
    pub path: String,
    /// Id in the session's header.
    #[serde(deserialize_with = "lossy::lossy")]
    pub id: String,
    /// Working directory; empty: the header has none.
    #[serde(deserialize_with = "lossy::lossy")]
    pub cwd: String,
    /// Time in the header.
    #[serde(deserialize_with = "lossy::lossy")]
    pub created: String,
    /// Time of the latest user or assistant message, else of the header or file.
    #[serde(deserialize_with = "lossy::lossy")]
    pub modified: String,
    /// Number of message entries of any role.
    #[serde(rename = "messageCount")]
    pub message_count: i64,
    /// Text of the first user message, or `(no messages)`.
    #[serde(rename = "firstMessage", deserialize_with = "lossy::lossy")]
    pub first_message: String,
    /// `sizeBytes`.
    #[serde(rename = "sizeBytes")]
    pub size_bytes: i64,
    /// Name a person gave it; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub name: Option<String>,
    /// The session it was forked from, as the header says.
    #[serde(rename = "parentSessionPath", default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub parent_session_path: Option<String>,
    /// Present when other processes have it open.
    #[serde(rename = "inUse", default, skip_serializing_if = "Option::is_none")]
    pub in_use: Option<InUse>,
    /// Text of all user and assistant messages; only with `includeText`.
    #[serde(rename = "allMessagesText", default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub all_messages_text: Option<String>,
}

/// A person's name for the session. The last one in the file counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session_info")]
pub struct SessionInfoEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Trimmed when read; empty: no name.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub name: Nullable<String>,
}

/// A message of the conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "message")]
pub struct SessionMessageEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// `message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Json<Message>>,
}

/// The session's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionNameResult {
    /// null: none.
    #[serde(deserialize_with = "lossy::lossy")]
    pub name: Option<String>,
}

/// The context together with the entries it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionProjectionResult {
    /// `entries`.
    pub entries: Vec<ProjectedEntry>,
    /// `off` unless the branch says else.
    #[serde(rename = "thinkingLevel", deserialize_with = "lossy::lossy")]
    pub thinking_level: String,
    /// null: the branch names none.
    pub model: Option<ModelRef>,
}

/// An open session as its handle sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionState {
    /// The handle: an opaque string, good for this connection.
    #[serde(deserialize_with = "lossy::lossy")]
    pub session: String,
    /// Id in the session's header.
    #[serde(rename = "sessionId", deserialize_with = "lossy::lossy")]
    pub session_id: String,
    /// Absolute path of the file, written or not yet; null: in memory.
    #[serde(rename = "sessionFile", deserialize_with = "lossy::lossy")]
    pub session_file: Option<String>,
    /// Directory for sessions branched off; empty: in memory.
    #[serde(rename = "sessionDir", deserialize_with = "lossy::lossy")]
    pub session_dir: String,
    /// Working directory of the session.
    #[serde(deserialize_with = "lossy::lossy")]
    pub cwd: String,
    /// Whether the session belongs to a file.
    pub persisted: bool,
    /// `readOnly`.
    #[serde(rename = "readOnly")]
    pub read_only: bool,
    /// Entry under which the next one goes; null: before any entry.
    #[serde(rename = "leafId", deserialize_with = "lossy::lossy")]
    pub leaf_id: Option<String>,
    /// Last entry of the file; null: there is none.
    #[serde(rename = "tipId", deserialize_with = "lossy::lossy")]
    pub tip_id: Option<String>,
    /// Number of entries, the header not counted.
    #[serde(rename = "entryCount")]
    pub entry_count: i64,
    /// Version of the file format, after migration.
    pub version: i64,
    /// Number of reloads caused by somebody rewriting the file.
    pub generation: i64,
    /// `header`.
    pub header: Json<Header>,
    /// `diagnostics`.
    pub diagnostics: Vec<Diagnostic>,
    /// Name a person gave it; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub name: Option<String>,
    /// Present when other processes have it open.
    #[serde(rename = "inUse", default, skip_serializing_if = "Option::is_none")]
    pub in_use: Option<InUse>,
}

/// Another file for a handle. An in-memory handle loads it and never writes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetSessionFileParams {
    /// The session file.
    pub path: String,
}

impl SetSessionFileParams {
    /// With what is required.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
        }
    }
}

impl From<&str> for SetSessionFileParams {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

impl From<&String> for SetSessionFileParams {
    fn from(path: &String) -> Self {
        Self::new(path)
    }
}

impl From<String> for SetSessionFileParams {
    fn from(path: String) -> Self {
        Self::new(path)
    }
}

/// The daemon's state, for people and for monitoring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StatusResult {
    /// `version`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub version: String,
    /// `pid`.
    pub pid: i64,
    /// Milliseconds since the start.
    #[serde(rename = "uptimeMs")]
    pub uptime_ms: i64,
    /// Number of requests received so far.
    pub requests: i64,
    /// Number of open session handles.
    #[serde(rename = "openSessions")]
    pub open_sessions: i64,
    /// `cache`.
    pub cache: CacheStatus,
    /// `watch`.
    pub watch: WatchStatus,
    /// Resident memory of the process.
    #[serde(rename = "memoryBytes")]
    pub memory_bytes: i64,
}

/// A part of the system prompt. All of them, replayed in order, give the one in force.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "system")]
pub struct SystemMessage {
    /// Text added to what came before.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub content: Nullable<Json<Content>>,
    /// Named sections set to a text; null takes one out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<BTreeMap<String, Option<String>>>,
    /// Declarations of tools, set by their `name`.
    #[serde(rename = "toolsAdded", default, skip_serializing_if = "Option::is_none")]
    pub tools_added: Option<Vec<Raw>>,
    /// `{name}` of tools taken out, before adding.
    #[serde(rename = "toolsRemoved", default, skip_serializing_if = "Option::is_none")]
    pub tools_removed: Option<Vec<Raw>>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// Text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "text")]
pub struct TextContent {
    /// `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The provider's, for replay; opaque.
    #[serde(rename = "textSignature", default, skip_serializing_if = "Option::is_none")]
    pub text_signature: Option<String>,
}

/// A model's thinking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "thinking")]
pub struct ThinkingContent {
    /// `thinking`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// The provider's, for replay; holds the payload of redacted thinking.
    #[serde(rename = "thinkingSignature", default, skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
    /// Whether the provider withheld the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<bool>,
}

/// Another thinking level from here on; written when the user changes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "thinking_level_change")]
pub struct ThinkingLevelChangeEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// As the agent names it, such as `high`.
    #[serde(rename = "thinkingLevel", default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
}

/// A model's wish to call a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "toolCall")]
pub struct ToolCall {
    /// By which the tool's result names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// An object, as the tool defines it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub arguments: Option<Raw>,
    /// The provider's, for replay; opaque.
    #[serde(rename = "thoughtSignature", default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
    /// Where the tool's name belongs, if not among all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// What a tool gave back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "toolResult")]
pub struct ToolResultMessage {
    /// `id` of the `ToolCall`.
    #[serde(rename = "toolCallId", default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// `toolName`.
    #[serde(rename = "toolName", default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Text and image blocks.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub content: Nullable<Json<Content>>,
    /// The tool's own; not sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
    /// What the tool itself spent on models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// `{calls: [{id, name, arguments?, …}], complete}`: tools it called.
    #[serde(rename = "nestedCalls", default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub nested_calls: Option<Raw>,
    /// `isError`.
    #[serde(rename = "isError", default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// An entry in the tree, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreeNode {
    /// `id`.
    #[serde(deserialize_with = "lossy::lossy")]
    pub id: String,
    /// Ids, by time.
    #[serde(deserialize_with = "lossy::lossy")]
    pub children: Vec<String>,
    /// `entry`.
    pub entry: Json<Entry>,
    /// Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub label: Option<String>,
    /// Time of the latest change of the label.
    #[serde(rename = "labelTimestamp", default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub label_timestamp: Option<String>,
}

/// The tree, flat. An id that occurs twice stands once; its last occurrence counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreeResult {
    /// Ids of entries without parent in the file.
    #[serde(deserialize_with = "lossy::lossy")]
    pub roots: Vec<String>,
    /// Every id once.
    pub nodes: Vec<Json<Node>>,
}

/// Tokens that calls to a model took. Input excludes what was read from or put into a cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// `input`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub input: Nullable<i64>,
    /// `output`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub output: Nullable<i64>,
    /// `cacheRead`.
    #[serde(rename = "cacheRead", default, skip_serializing_if = "Nullable::is_absent")]
    pub cache_read: Nullable<i64>,
    /// `cacheWrite`.
    #[serde(rename = "cacheWrite", default, skip_serializing_if = "Nullable::is_absent")]
    pub cache_write: Nullable<i64>,
    /// The part of `cacheWrite` that is kept for an hour.
    #[serde(rename = "cacheWrite1h", default, skip_serializing_if = "Nullable::is_absent")]
    pub cache_write1h: Nullable<i64>,
    /// The part of `output` spent on reasoning.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub reasoning: Nullable<i64>,
    /// Sum of input, output, cacheRead and cacheWrite.
    #[serde(rename = "totalTokens", default, skip_serializing_if = "Nullable::is_absent")]
    pub total_tokens: Nullable<i64>,
    /// `cost`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// Usage beside the conversation: counted in totals, never part of the context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "usage")]
pub struct UsageEntry {
    /// Unique in the file; 8 hexadecimal digits from pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry this one comes after; null: it is a root.
    #[serde(rename = "parentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub parent_id: Nullable<String>,
    /// ISO 8601 UTC with milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// What it was for, such as `cache_warm`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `provider`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// `model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `usage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a person, or a program in their place, said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "user")]
pub struct UserMessage {
    /// Text, or text and image blocks.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub content: Nullable<Json<Content>>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// Whether the session's directory is the default one of its working directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UsesDefaultSessionDirResult {
    /// `default`.
    pub default: bool,
}

/// The watcher of directories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WatchStatus {
    /// Number of directories watched.
    pub directories: i64,
    /// `mode`.
    pub mode: WatchStatusMode,
    /// Number of events seen since the start.
    pub events: i64,
}

/// How far work has got: one `begin`, any number of `report`s, one `end`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkDoneProgress {
    /// `kind`.
    pub kind: WorkDoneProgressKind,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lossy::lossy")]
    pub message: Option<String>,
    /// From 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<f64>,
    /// Number of items done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded: Option<i64>,
    /// Number of items in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
}

/// Member of [`CatalogChange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CatalogChangeKind {
    /// `added`
    #[serde(rename = "added")]
    Added,
    /// `changed`
    #[serde(rename = "changed")]
    Changed,
    /// `removed`
    #[serde(rename = "removed")]
    Removed,
}

/// Member of [`GetTreeParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum GetTreeDetail {
    /// `full`
    #[serde(rename = "full")]
    Full,
    /// `outline`
    #[serde(rename = "outline")]
    Outline,
}

/// Member of [`InitializeParams`], [`InitializeResult`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PositionEncoding {
    /// `utf-16`
    #[serde(rename = "utf-16")]
    Utf16,
    /// `utf-32`
    #[serde(rename = "utf-32")]
    Utf32,
    /// `utf-8`
    #[serde(rename = "utf-8")]
    Utf8,
}

/// Member of [`InitializeParams`], [`InitializeResult`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Profile {
    /// `clanker`
    #[serde(rename = "clanker")]
    Clanker,
    /// `coderclaw`
    #[serde(rename = "coderclaw")]
    Coderclaw,
    /// `companion`
    #[serde(rename = "companion")]
    Companion,
    /// `indusagi`
    #[serde(rename = "indusagi")]
    Indusagi,
    /// `openclaw`
    #[serde(rename = "openclaw")]
    Openclaw,
    /// `pi`
    #[serde(rename = "pi")]
    Pi,
}

/// Member of [`ServerCapabilities`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ServerCapabilitiesFraming {
    /// `header`
    #[serde(rename = "header")]
    Header,
    /// `line`
    #[serde(rename = "line")]
    Line,
}

/// Member of [`SessionDidChangeParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SessionDidChangeKind {
    /// `appended`
    #[serde(rename = "appended")]
    Appended,
    /// `deleted`
    #[serde(rename = "deleted")]
    Deleted,
    /// `invalid`
    #[serde(rename = "invalid")]
    Invalid,
    /// `restored`
    #[serde(rename = "restored")]
    Restored,
    /// `rewritten`
    #[serde(rename = "rewritten")]
    Rewritten,
}

/// Member of [`WatchStatus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WatchStatusMode {
    /// `native`
    #[serde(rename = "native")]
    Native,
    /// `off`
    #[serde(rename = "off")]
    Off,
    /// `polling`
    #[serde(rename = "polling")]
    Polling,
}

/// Member of [`WorkDoneProgress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WorkDoneProgressKind {
    /// `begin`
    #[serde(rename = "begin")]
    Begin,
    /// `end`
    #[serde(rename = "end")]
    End,
    /// `report`
    #[serde(rename = "report")]
    Report,
}

/// What the daemon tells unasked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notification {
    /// `$/progress`. How far a request has got; sent when it carried a token.
    Progress(ProgressParams),
    /// `session/didChange`. Somebody else changed the session's file.
    SessionDidChange(SessionDidChangeParams),
    /// `catalog/didChange`. Session files were added, changed or removed.
    CatalogDidChange(CatalogDidChangeParams),
    /// Not known here, or not of the shape known.
    Unknown {
        /// Name of the notification.
        method: String,
        /// Its params.
        params: Raw,
    },
}

impl Notification {
    pub(crate) fn read(method: &str, params: &Raw) -> Self {
        let read = match method {
            "$/progress" => params.parse().map(Self::Progress).ok(),
            "session/didChange" => params.parse().map(Self::SessionDidChange).ok(),
            "catalog/didChange" => params.parse().map(Self::CatalogDidChange).ok(),
            _ => None,
        };
        read.unwrap_or_else(|| Self::Unknown {
            method: method.to_owned(),
            params: params.clone(),
        })
    }
}
