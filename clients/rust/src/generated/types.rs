// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.
//! The params, results, entries and messages of the contract.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finite;
use crate::json::{Json, Raw, Union};
use crate::nullable::{self, Id, Nullable};
use crate::setters::setters;
use crate::values::values;

/// An agent whose directory of sessions exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentSummary {
    /// Name of the agent's profile.
    pub agent: AgentSummaryAgent,
    /// Absolute path of the agent's directory.
    #[serde(rename = "agentDir")]
    pub agent_dir: String,
    /// Directory or database of its sessions.
    #[serde(rename = "sessionsDir")]
    pub sessions_dir: String,
    /// Number of its sessions, without subagents.
    pub sessions: i64,
    /// Whether sessiond only reads them; the agent alone writes them.
    #[serde(rename = "readOnly")]
    pub read_only: bool,
    /// Versions of the agent that its latest 50 sessions name, in the order of their last use; empty if its files name none.
    pub versions: Vec<String>,
}

/// The agents that have sessions on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentsResult {
    /// In the order of the profiles.
    pub agents: Vec<AgentSummary>,
    /// Agents that are not read yet.
    pub unread: Vec<UnreadAgent>,
    /// Files and directories that could not be read and are left out; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FileProblem>>,
}

/// A summary that replaces everything before the first kept entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendCompactionParams {
    /// Text of the summary.
    pub summary: String,
    /// Tokens of the context before compaction.
    #[serde(rename = "tokensBefore")]
    pub tokens_before: i64,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<bool>,
    /// First entry that stays in the context, on the branch of the leaf. If it is absent or null, no earlier entry stays. With `unchecked` it may be any id; if it is not on the branch, no earlier entry stays (as in pi).
    #[serde(rename = "firstKeptEntryId", skip_serializing_if = "Nullable::is_absent")]
    pub first_kept_entry_id: Nullable<String>,
    /// Any JSON value; never sent to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Raw>,
    /// Whether an extension made the summary.
    #[serde(rename = "fromHook", skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// Tokens and cost of making the summary.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub usage: Nullable<Json<Usage>>,
}

impl AppendCompactionParams {
    /// Creates params with the required members.
    pub fn new(summary: impl Into<String>, tokens_before: i64) -> Self {
        Self {
            summary: summary.into(),
            tokens_before,
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            unchecked: Default::default(),
            first_kept_entry_id: Default::default(),
            details: Default::default(),
            from_hook: Default::default(),
            usage: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
        unchecked: bool = Some(unchecked);
        /// First entry that stays in the context, on the branch of the leaf. If it is absent or null, no earlier entry stays. With `unchecked` it may be any id; if it is not on the branch, no earlier entry stays (as in pi).
        first_kept_entry_id: impl Into<Nullable<String>> = first_kept_entry_id.into();
        /// Any JSON value; never sent to a model.
        details: impl Into<Raw> = Some(details.into());
        /// Whether an extension made the summary.
        from_hook: bool = Some(from_hook);
        /// Tokens and cost of making the summary.
        usage: impl Into<Nullable<Json<Usage>>> = usage.into();
    }
}

/// Replaces the content of an earlier entry of the branch, in the context only.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendContextEditParams {
    /// A user, assistant or toolResult message or a custom message on the active branch; otherwise `NotEditable`.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// The new content; null removes the target from the context.
    pub replacement: Option<Json<Replacement>>,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<bool>,
}

impl AppendContextEditParams {
    /// Creates params with the required members.
    pub fn new(target_id: impl Into<String>, replacement: impl Into<Option<Json<Replacement>>>) -> Self {
        Self {
            target_id: target_id.into(),
            replacement: replacement.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            unchecked: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
        unchecked: bool = Some(unchecked);
    }
}

/// State of an extension; never part of the context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendCustomEntryParams {
    /// Name of the extension.
    #[serde(rename = "customType")]
    pub custom_type: String,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// Anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Raw>,
}

impl AppendCustomEntryParams {
    /// Creates params with the required members.
    pub fn new(custom_type: impl Into<String>) -> Self {
        Self {
            custom_type: custom_type.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            data: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// Anything.
        data: impl Into<Raw> = Some(data.into());
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

/// A message of an extension; the context contains it as a user message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendCustomMessageEntryParams {
    /// Name of the extension.
    #[serde(rename = "customType")]
    pub custom_type: String,
    /// Text, or text and image blocks.
    pub content: Json<Content>,
    /// Whether user interfaces show it.
    pub display: bool,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<bool>,
    /// Any JSON value; never sent to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Raw>,
}

impl AppendCustomMessageEntryParams {
    /// Creates params with the required members.
    pub fn new(custom_type: impl Into<String>, content: impl Into<Json<Content>>, display: bool) -> Self {
        Self {
            custom_type: custom_type.into(),
            content: content.into(),
            display,
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            unchecked: Default::default(),
            details: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
        unchecked: bool = Some(unchecked);
        /// Any JSON value; never sent to a model.
        details: impl Into<Raw> = Some(details.into());
    }
}

/// A label for an entry, or its removal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendLabelChangeParams {
    /// The entry to label.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// The label; absent, null or empty: the label is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl AppendLabelChangeParams {
    /// Creates params with the required members.
    pub fn new(target_id: impl Into<String>) -> Self {
        Self {
            target_id: target_id.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            label: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// The label; absent, null or empty: the label is removed.
        label: impl Into<String> = Some(label.into());
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
    /// An object with a string `role`, except `compactionSummary` and `branchSummary`, which have entries of their own. In a message of a role that pi knows, what pi needs to read it is checked, unless `unchecked`; a `timestamp` is not needed.
    pub message: Json<Message>,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<bool>,
}

impl AppendMessageParams {
    /// Creates params with the required members.
    pub fn new(message: impl Into<Json<Message>>) -> Self {
        Self {
            message: message.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            unchecked: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
        unchecked: bool = Some(unchecked);
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

/// A change of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendModelChangeParams {
    /// Provider of the model, such as `anthropic`.
    pub provider: String,
    /// Id of the model.
    #[serde(rename = "modelId")]
    pub model_id: String,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
}

impl AppendModelChangeParams {
    /// Creates params with the required members.
    pub fn new(provider: impl Into<String>, model_id: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            model_id: model_id.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
    }
}

/// The appended entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AppendResult {
    /// Id of the new entry.
    pub id: String,
    /// null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// The handle's leaf: the entry, or the one of its label; after a retry perhaps an entry that follows it.
    #[serde(rename = "leafId", deserialize_with = "Option::deserialize")]
    pub leaf_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// Whether the entry is in the file. It is not for a session in memory, nor while the file waits for the first user or assistant message. A written entry survives the end of the process, but not a crash of the machine.
    pub written: bool,
    /// true: an entry with the id `newEntryId` existed already; it is the answer, and nothing was written. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub existed: Option<bool>,
}

/// A name for the session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendSessionInfoParams {
    /// Line breaks become a space, ends are trimmed; empty: no name.
    pub name: String,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
}

impl AppendSessionInfoParams {
    /// Creates params with the required members.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
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

/// A change of the thinking level.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendThinkingLevelChangeParams {
    /// As the agent names it, such as `high`.
    #[serde(rename = "thinkingLevel")]
    pub thinking_level: String,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
}

impl AppendThinkingLevelChangeParams {
    /// Creates params with the required members.
    pub fn new(thinking_level: impl Into<String>) -> Self {
        Self {
            thinking_level: thinking_level.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
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

/// Usage outside the conversation: counted in totals, never part of the context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppendUsageParams {
    /// Purpose of the usage, such as `cache_warm`.
    pub kind: String,
    /// Provider of the model, such as `anthropic`.
    pub provider: String,
    /// Id of the model.
    pub model: String,
    /// Tokens and cost.
    pub usage: Json<Usage>,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<bool>,
    /// Text for people; an empty note is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl AppendUsageParams {
    /// Creates params with the required members.
    pub fn new(kind: impl Into<String>, provider: impl Into<String>, model: impl Into<String>, usage: impl Into<Json<Usage>>) -> Self {
        Self {
            kind: kind.into(),
            provider: provider.into(),
            model: model.into(),
            usage: usage.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            unchecked: Default::default(),
            note: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
        unchecked: bool = Some(unchecked);
        /// Text for people; an empty note is left out.
        note: impl Into<String> = Some(note.into());
    }
}

/// A message from a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "assistant")]
pub struct AssistantMessage {
    /// Text, thinking and toolCall blocks.
    pub content: Vec<Json<Block>>,
    /// Such as `anthropic-messages`.
    pub api: String,
    /// Provider of the model, such as `anthropic`.
    pub provider: String,
    /// The model that was requested.
    pub model: String,
    /// Tokens and cost.
    pub usage: Usage,
    /// Why the answer ended; answers with `error` or `aborted` are incomplete.
    #[serde(rename = "stopReason")]
    pub stop_reason: AssistantMessageStopReason,
    /// The model that answered, according to the provider.
    #[serde(rename = "responseModel", default, skip_serializing_if = "Option::is_none")]
    pub response_model: Option<String>,
    /// The provider's id of the answer.
    #[serde(rename = "responseId", default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// The thinking level as the provider spells it.
    #[serde(rename = "providerThinkingLevel", default, skip_serializing_if = "Option::is_none")]
    pub provider_thinking_level: Option<String>,
    /// The thinking level, such as `off` or `high`.
    #[serde(rename = "thinkingLevel", default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
    /// Diagnostics of the provider's answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub diagnostics: Option<Raw>,
    /// Where a deferred answer can be fetched.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub deferred: Option<Raw>,
    /// Why the turn failed.
    #[serde(rename = "errorMessage", default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The stop reason as the provider spells it.
    #[serde(rename = "rawStopReason", default, skip_serializing_if = "Option::is_none")]
    pub raw_stop_reason: Option<String>,
    /// Whether the model ended its turn.
    #[serde(rename = "endTurn", default, skip_serializing_if = "Option::is_none")]
    pub end_turn: Option<bool>,
    /// Unix milliseconds; absent or null: not known. Appends do not need it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub timestamp: Nullable<i64>,
}

impl AssistantMessage {
    /// Creates params with the required members.
    pub fn new(content: Vec<Json<Block>>, api: impl Into<String>, provider: impl Into<String>, model: impl Into<String>, usage: impl Into<Usage>, stop_reason: impl Into<AssistantMessageStopReason>) -> Self {
        Self {
            content,
            api: api.into(),
            provider: provider.into(),
            model: model.into(),
            usage: usage.into(),
            stop_reason: stop_reason.into(),
            response_model: Default::default(),
            response_id: Default::default(),
            provider_thinking_level: Default::default(),
            thinking_level: Default::default(),
            diagnostics: Default::default(),
            deferred: Default::default(),
            error_message: Default::default(),
            raw_stop_reason: Default::default(),
            end_turn: Default::default(),
            timestamp: Default::default(),
        }
    }

    setters! {
        /// The model that answered, according to the provider.
        response_model: impl Into<String> = Some(response_model.into());
        /// The provider's id of the answer.
        response_id: impl Into<String> = Some(response_id.into());
        /// The thinking level as the provider spells it.
        provider_thinking_level: impl Into<String> = Some(provider_thinking_level.into());
        /// The thinking level, such as `off` or `high`.
        thinking_level: impl Into<String> = Some(thinking_level.into());
        /// Diagnostics of the provider's answer.
        diagnostics: impl Into<Raw> = Some(diagnostics.into());
        /// Where a deferred answer can be fetched.
        deferred: impl Into<Raw> = Some(deferred.into());
        /// Why the turn failed.
        error_message: impl Into<String> = Some(error_message.into());
        /// The stop reason as the provider spells it.
        raw_stop_reason: impl Into<String> = Some(raw_stop_reason.into());
        /// Whether the model ended its turn.
        end_turn: bool = Some(end_turn);
        /// Unix milliseconds; absent or null: not known. Appends do not need it.
        timestamp: impl Into<Nullable<i64>> = timestamp.into();
    }
}

/// A shell command that a user ran (`!` in pi).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "bashExecution")]
pub struct BashExecutionMessage {
    /// The command line.
    pub command: String,
    /// What it printed.
    pub output: String,
    /// Whether the command was cancelled.
    pub cancelled: bool,
    /// Whether `output` is truncated.
    pub truncated: bool,
    /// Absent or null: the command did not end by itself.
    #[serde(rename = "exitCode", default, skip_serializing_if = "Nullable::is_absent")]
    pub exit_code: Nullable<i64>,
    /// File with the whole output, if `output` is truncated.
    #[serde(rename = "fullOutputPath", default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
    /// Never sent to a model (`!!` in pi).
    #[serde(rename = "excludeFromContext", default, skip_serializing_if = "Option::is_none")]
    pub exclude_from_context: Option<bool>,
    /// Unix milliseconds; absent or null: not known. Appends do not need it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub timestamp: Nullable<i64>,
}

impl BashExecutionMessage {
    /// Creates params with the required members.
    pub fn new(command: impl Into<String>, output: impl Into<String>, cancelled: bool, truncated: bool) -> Self {
        Self {
            command: command.into(),
            output: output.into(),
            cancelled,
            truncated,
            exit_code: Default::default(),
            full_output_path: Default::default(),
            exclude_from_context: Default::default(),
            timestamp: Default::default(),
        }
    }

    setters! {
        /// Absent or null: the command did not end by itself.
        exit_code: impl Into<Nullable<i64>> = exit_code.into();
        /// File with the whole output, if `output` is truncated.
        full_output_path: impl Into<String> = Some(full_output_path.into());
        /// Never sent to a model (`!!` in pi).
        exclude_from_context: bool = Some(exclude_from_context);
        /// Unix milliseconds; absent or null: not known. Appends do not need it.
        timestamp: impl Into<Nullable<i64>> = timestamp.into();
    }
}

/// Whether the entry was fresh before the message; false if there was no entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BeginFreshness {
    /// Whether the session has not expired.
    pub fresh: bool,
    /// Time of the latest daily reset, in milliseconds since the epoch; absent in mode `idle`.
    #[serde(rename = "dailyResetAt", default, skip_serializing_if = "Option::is_none")]
    pub daily_reset_at: Option<i64>,
    /// Time until which the entry is fresh, in milliseconds since the epoch; absent: no limit, or no `updatedAt`.
    #[serde(rename = "idleExpiresAt", default, skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub idle_expires_at: Option<f64>,
}

/// A message and options for handling it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BeginParams {
    /// The message.
    pub context: MessageContext,
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Whether the sender may reset a session; the client decides that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorized: Option<bool>,
    /// Only report what would happen; nothing is written.
    #[serde(rename = "dryRun", skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Milliseconds since the epoch, only with `dryRun`; absent: the clock.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub now: Option<f64>,
    /// IANA name of the local time zone; absent: the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Working directory of a new transcript; absent: the agent's `workspace` in the configuration, else that of the daemon. A thread uses that of its parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

impl BeginParams {
    /// Creates params with the required members.
    pub fn new(context: impl Into<MessageContext>) -> Self {
        Self {
            context: context.into(),
            agent_id: Default::default(),
            store_path: Default::default(),
            config: Default::default(),
            authorized: Default::default(),
            dry_run: Default::default(),
            now: Default::default(),
            timezone: Default::default(),
            cwd: Default::default(),
        }
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Whether the sender may reset a session; the client decides that.
        authorized: bool = Some(authorized);
        /// Only report what would happen; nothing is written.
        dry_run: bool = Some(dry_run);
        /// Milliseconds since the epoch, only with `dryRun`; absent: the clock.
        now: f64 = Some(now);
        /// IANA name of the local time zone; absent: the host's.
        timezone: impl Into<String> = Some(timezone.into());
        /// Working directory of a new transcript; absent: the agent's `workspace` in the configuration, else that of the daemon. A thread uses that of its parent.
        cwd: impl Into<String> = Some(cwd.into());
    }
}

impl From<MessageContext> for BeginParams {
    fn from(context: MessageContext) -> Self {
        Self::new(context)
    }
}

/// The session of the message, and the one that it replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BeginResult {
    /// The key as it is spelled in the store.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// Id of the session.
    #[serde(rename = "sessionId")]
    pub session_id: String,
    /// Absolute path of the transcript. A missing one is created with `sessionId` in its header, except with `dryRun`.
    #[serde(rename = "sessionFile")]
    pub session_file: String,
    /// Whether the message starts a session.
    #[serde(rename = "isNewSession")]
    pub is_new_session: bool,
    /// Whether a reset trigger in the message starts the session.
    #[serde(rename = "resetTriggered")]
    pub reset_triggered: bool,
    /// The present entry in the store.
    pub entry: BTreeMap<String, Raw>,
    /// The type by which the policy was chosen.
    #[serde(rename = "resetType")]
    pub reset_type: BeginResetType,
    /// When the session expires.
    pub policy: ResetPolicy,
    /// Whether the session had expired before the message.
    pub freshness: BeginFreshness,
    /// New paths of the old session's transcripts, only after a trigger; none with `dryRun`.
    pub archived: Vec<String>,
    /// Absolute path of the store.
    #[serde(rename = "storePath")]
    pub store_path: String,
    /// The text after the trigger; absent: there is no trigger.
    #[serde(rename = "bodyStripped", default, skip_serializing_if = "Option::is_none")]
    pub body_stripped: Option<String>,
    /// An entry of a store, with all its members.
    #[serde(rename = "previousEntry", default, skip_serializing_if = "Option::is_none")]
    pub previous_entry: Option<BTreeMap<String, Raw>>,
    /// Absolute path of the transcript that was copied for a new thread.
    #[serde(rename = "forkedFrom", default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
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
    /// A request of a model to call a tool.
    ToolCall(ToolCall),
    /// A value that is unknown or does not fit: its text, unchanged.
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
    /// Reads only the member `type`; works for unknown values as well.
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

/// The entry to continue from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BranchParams {
    /// The new leaf.
    #[serde(rename = "entryId")]
    pub entry_id: String,
}

impl BranchParams {
    /// Creates params with the required members.
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

/// Prompts for a model: `system`, and `branch` as one user message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BranchPrompts {
    /// System prompt.
    pub system: String,
    /// Prompt for `summary`; absent: there is nothing to summarise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// A summary of a branch that was left; the conversation continues from its parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "branch_summary")]
pub struct BranchSummaryEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// The leaf that was left, or `root`; until pi 0.84.2 the new leaf.
    #[serde(rename = "fromId")]
    pub from_id: String,
    /// Text of the summary.
    pub summary: String,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// `{readFiles, modifiedFiles}` from pi, or data of an extension.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
    /// Tokens and cost of making the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether an extension made the summary.
    #[serde(rename = "fromHook", default, skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
}

impl BranchSummaryEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, from_id: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            from_id: from_id.into(),
            summary: summary.into(),
            append_mode: Default::default(),
            details: Default::default(),
            usage: Default::default(),
            from_hook: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// `{readFiles, modifiedFiles}` from pi, or data of an extension.
        details: impl Into<Raw> = Some(details.into());
        /// Tokens and cost of making the summary.
        usage: impl Into<Usage> = Some(usage.into());
        /// Whether an extension made the summary.
        from_hook: bool = Some(from_hook);
    }
}

/// A summary of a branch that was left; made from a `branch_summary` entry and never stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "branchSummary")]
pub struct BranchSummaryMessage {
    /// Text of the summary.
    pub summary: String,
    /// `fromId` of the entry.
    #[serde(rename = "fromId", deserialize_with = "Option::deserialize")]
    pub from_id: Option<String>,
    /// Unix milliseconds; absent or null: not known. Appends do not need it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub timestamp: Nullable<i64>,
}

impl BranchSummaryMessage {
    /// Creates params with the required members.
    pub fn new(summary: impl Into<String>, from_id: impl Into<Option<String>>) -> Self {
        Self {
            summary: summary.into(),
            from_id: from_id.into(),
            timestamp: Default::default(),
        }
    }

    setters! {
        /// Unix milliseconds; absent or null: not known. Appends do not need it.
        timestamp: impl Into<Nullable<i64>> = timestamp.into();
    }
}

/// Moves the leaf and records a summary of the branch that is left.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BranchWithSummaryParams {
    /// Entry to continue from; null: before the first entry.
    #[serde(rename = "entryId")]
    pub entry_id: Option<String>,
    /// Text of the summary.
    pub summary: String,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<bool>,
    /// Any JSON value; never sent to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Raw>,
    /// Whether an extension made the summary.
    #[serde(rename = "fromHook", skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// Tokens and cost of making the summary.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub usage: Nullable<Json<Usage>>,
}

impl BranchWithSummaryParams {
    /// Creates params with the required members.
    pub fn new(entry_id: impl Into<Option<String>>, summary: impl Into<String>) -> Self {
        Self {
            entry_id: entry_id.into(),
            summary: summary.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            unchecked: Default::default(),
            details: Default::default(),
            from_hook: Default::default(),
            usage: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// true: also append what pi cannot read, for readers that can. Otherwise it is `InvalidParams`.
        unchecked: bool = Some(unchecked);
        /// Any JSON value; never sent to a model.
        details: impl Into<Raw> = Some(details.into());
        /// Whether an extension made the summary.
        from_hook: bool = Some(from_hook);
        /// Tokens and cost of making the summary.
        usage: impl Into<Nullable<Json<Usage>>> = usage.into();
    }
}

/// The branch whose context is built.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BuildParams {
    /// Last entry of the branch; absent: the handle's leaf; null: before the first entry, which gives an empty context.
    #[serde(rename = "leafId", skip_serializing_if = "Nullable::is_absent")]
    pub leaf_id: Nullable<String>,
}

impl BuildParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Last entry of the branch; absent: the handle's leaf; null: before the first entry, which gives an empty context.
        leaf_id: impl Into<Nullable<String>> = leaf_id.into();
    }
}

/// The documents held in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CacheStatus {
    /// Number of documents in memory.
    pub documents: i64,
    /// Memory that they use, in bytes.
    pub bytes: i64,
    /// Limit of that memory, in bytes.
    #[serde(rename = "limitBytes")]
    pub limit_bytes: i64,
    /// How often a document was in memory.
    pub hits: i64,
    /// How often a document had to be read.
    pub misses: i64,
    /// How often a document was removed from memory to make room.
    pub evictions: i64,
}

/// The request to cancel; it is answered with -32800 unless it was finished already.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CancelParams {
    /// The id of the request.
    pub id: Id,
}

impl CancelParams {
    /// Creates params with the required members.
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

/// A change of one file, or of the marks of its session.
///
/// A session that leaves or enters the list by its marks is `removed` or `added`. A rename is
/// `removed` and `added`. A file that can no longer be read is `removed`, and `added` when it can
/// be read again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CatalogChange {
    /// `added`, `changed` or `removed`.
    pub kind: ChangeKind,
    /// Absolute path of the file.
    pub path: String,
    /// The present state; absent if `kind` is `removed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<SessionInfo>,
}

/// The changes of the last 100 ms or more; each file occurs once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CatalogDidChangeParams {
    /// Handle of the subscription.
    pub subscription: String,
    /// Number of this notification: one more than that of the notification before it in the subscription, so that a lost one is noticed.
    pub sequence: i64,
    /// What changed, one per file or key.
    pub changes: Vec<CatalogChange>,
}

/// A part of the agent's sessions; without `cwd` and `sessionDir` all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CatalogScope {
    /// Only sessions of this working directory; resolved, `~` expanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Token under which progress is reported; absent: no reports.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
}

impl CatalogScope {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Only sessions of this working directory; resolved, `~` expanded.
        cwd: impl Into<String> = Some(cwd.into());
        /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Token under which progress is reported; absent: no reports.
        work_done_token: impl Into<Id> = Some(work_done_token.into());
    }
}

/// What to search for, and where.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CatalogSearchParams {
    /// Words and "quoted phrases"; each of them must occur in the name, id, working directory or one message of a session. In mode `regex`, one regular expression. An empty query finds every session, except in mode `regex`. At most 4096 characters and 128 words; a regular expression has at most 1000 characters and repetitions of at most 1000.
    pub query: String,
    /// Only sessions of this working directory; resolved, `~` expanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Token under which progress is reported; absent: no reports.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
    /// `text` (default): words and phrases literally. `fuzzy`: words also match by their characters in order, scattered over the name or the working directory; a query that begins with `re:` is a regular expression (as in pi 1.6.0). `regex`: a regular expression in the syntax of RE2, without references, lookahead and lookbehind, not case-sensitive, matched in each message by itself; white space at the ends is significant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<CatalogSearchMode>,
    /// What is searched, by default `said`; with `roles`, `tools`, `files` or `model` all. Of what nobody said, the first 24 kB and the last 8 kB. With one of these filters names, ids and directories do not count, and an empty query finds each session with such a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<CatalogSearchFields>>,
    /// Only texts of these roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<CatalogSearchRoles>>,
    /// Only calls and results of these tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Only calls that name one of these files, or a path that ends with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Only what was said or done by models whose id contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Only texts of the branch that a session is opened at. Reads the files of the sessions with such texts.
    #[serde(rename = "currentBranch", skip_serializing_if = "Option::is_none")]
    pub current_branch: Option<bool>,
    /// Only sessions of this agent, one of those of `initialize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only texts since this day, `YYYY-MM-DD` in `timezone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Only texts until this day, included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// IANA name; by default the zone of the daemon's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Whether to answer `suggestions` if nothing is found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggest: Option<bool>,
    /// Maximum number of hits in the answer; 50 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// `nextCursor` of the page before; opaque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl CatalogSearchParams {
    /// Creates params with the required members.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            cwd: Default::default(),
            session_dir: Default::default(),
            work_done_token: Default::default(),
            mode: Default::default(),
            fields: Default::default(),
            roles: Default::default(),
            tools: Default::default(),
            files: Default::default(),
            model: Default::default(),
            current_branch: Default::default(),
            agent: Default::default(),
            since: Default::default(),
            until: Default::default(),
            timezone: Default::default(),
            suggest: Default::default(),
            limit: Default::default(),
            cursor: Default::default(),
        }
    }

    setters! {
        /// Only sessions of this working directory; resolved, `~` expanded.
        cwd: impl Into<String> = Some(cwd.into());
        /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Token under which progress is reported; absent: no reports.
        work_done_token: impl Into<Id> = Some(work_done_token.into());
        /// `text` (default): words and phrases literally. `fuzzy`: words also match by their characters in order, scattered over the name or the working directory; a query that begins with `re:` is a regular expression (as in pi 1.6.0). `regex`: a regular expression in the syntax of RE2, without references, lookahead and lookbehind, not case-sensitive, matched in each message by itself; white space at the ends is significant.
        mode: impl Into<CatalogSearchMode> = Some(mode.into());
        /// What is searched, by default `said`; with `roles`, `tools`, `files` or `model` all. Of what nobody said, the first 24 kB and the last 8 kB. With one of these filters names, ids and directories do not count, and an empty query finds each session with such a text.
        fields: Vec<CatalogSearchFields> = Some(fields);
        /// Only texts of these roles.
        roles: Vec<CatalogSearchRoles> = Some(roles);
        /// Only calls and results of these tools.
        tools: Vec<String> = Some(tools);
        /// Only calls that name one of these files, or a path that ends with it.
        files: Vec<String> = Some(files);
        /// Only what was said or done by models whose id contains this.
        model: impl Into<String> = Some(model.into());
        /// Only texts of the branch that a session is opened at. Reads the files of the sessions with such texts.
        current_branch: bool = Some(current_branch);
        /// Only sessions of this agent, one of those of `initialize`.
        agent: impl Into<String> = Some(agent.into());
        /// Only texts since this day, `YYYY-MM-DD` in `timezone`.
        since: impl Into<String> = Some(since.into());
        /// Only texts until this day, included.
        until: impl Into<String> = Some(until.into());
        /// IANA name; by default the zone of the daemon's machine.
        timezone: impl Into<String> = Some(timezone.into());
        /// Whether to answer `suggestions` if nothing is found.
        suggest: bool = Some(suggest);
        /// Maximum number of hits in the answer; 50 by default.
        limit: i64 = Some(limit);
        /// `nextCursor` of the page before; opaque.
        cursor: impl Into<String> = Some(cursor.into());
    }
}

impl From<&str> for CatalogSearchParams {
    fn from(query: &str) -> Self {
        Self::new(query)
    }
}

impl From<&String> for CatalogSearchParams {
    fn from(query: &String) -> Self {
        Self::new(query)
    }
}

impl From<String> for CatalogSearchParams {
    fn from(query: String) -> Self {
        Self::new(query)
    }
}

/// A page of hits, the least distance first.
///
/// Of equal distances those with all words in one text come first, then the latest `modified`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CatalogSearchResult {
    /// The results, the best first.
    pub hits: Vec<SearchHit>,
    /// Number of hits on all pages, without those in `alsoIn`; of more than a thousand it may be a little too large.
    pub total: i64,
    /// Where the next page begins; absent: this is the last.
    #[serde(rename = "nextCursor", default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Files and directories that could not be read and are left out; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FileProblem>>,
    /// If nothing was found and `suggest` was sent: at most three other searches, in other fields and directories, with other spellings and with fewer words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<SearchSuggestion>>,
}

/// The sessions to follow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CatalogSubscribeParams {
    /// Only sessions of this working directory; resolved, `~` expanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Token under which progress is reported; absent: no reports.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
    /// Also sessions that agents began, for their subagents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagents: Option<bool>,
    /// Only sessions with this tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Whether hidden sessions are in the list: `include` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<CatalogSubscribeHidden>,
    /// Pinned sessions come before all others.
    #[serde(rename = "pinnedFirst", skip_serializing_if = "Option::is_none")]
    pub pinned_first: Option<bool>,
    /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
    /// From an earlier answer, also of another daemon: only what changed since then is answered. One that belongs to other params is ignored.
    #[serde(rename = "resumeToken", skip_serializing_if = "Option::is_none")]
    pub resume_token: Option<String>,
    /// Maximum number of sessions in the snapshot, the latest; changes are reported of all. Without effect where only changes are answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
}

impl CatalogSubscribeParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Only sessions of this working directory; resolved, `~` expanded.
        cwd: impl Into<String> = Some(cwd.into());
        /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Token under which progress is reported; absent: no reports.
        work_done_token: impl Into<Id> = Some(work_done_token.into());
        /// Also sessions that agents began, for their subagents.
        subagents: bool = Some(subagents);
        /// Only sessions with this tag.
        tag: impl Into<String> = Some(tag.into());
        /// Whether hidden sessions are in the list: `include` by default.
        hidden: impl Into<CatalogSubscribeHidden> = Some(hidden.into());
        /// Pinned sessions come before all others.
        pinned_first: bool = Some(pinned_first);
        /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
        subscription: impl Into<String> = Some(subscription.into());
        /// From an earlier answer, also of another daemon: only what changed since then is answered. One that belongs to other params is ignored.
        resume_token: impl Into<String> = Some(resume_token.into());
        /// Maximum number of sessions in the snapshot, the latest; changes are reported of all. Without effect where only changes are answered.
        limit: i64 = Some(limit);
    }
}

/// A snapshot, or what changed since an earlier one.
///
/// Every later change, including the client's own, is reported by `catalog/didChange`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CatalogSubscribeResult {
    /// Opaque.
    pub subscription: String,
    /// Sequence number of the snapshot; the first notification has the next number.
    pub sequence: i64,
    /// The latest `modified` first: all, or those that were added or changed since.
    pub sessions: Vec<SessionInfo>,
    /// For a later subscription: what the client knows now; opaque.
    #[serde(rename = "resumeToken", default, skip_serializing_if = "Option::is_none")]
    pub resume_token: Option<String>,
    /// Present if only changes are answered: paths of the sessions that are gone since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<Vec<String>>,
    /// Present if `limit` left sessions out: `session/list` (or `session/listAll` without `cwd`) goes on with it.
    #[serde(rename = "nextCursor", default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Files and directories that could not be read and are left out; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FileProblem>>,
}

/// A subscription to end.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CatalogUnsubscribeParams {
    /// Handle of the subscription.
    pub subscription: String,
}

impl CatalogUnsubscribeParams {
    /// Creates params with the required members.
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

/// The usage to add up.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CatalogUsageParams {
    /// Only sessions of this working directory; resolved, `~` expanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Token under which progress is reported; absent: no reports.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
    /// The unit of a row; `day` by default. A block is a window of five hours that begins with the hour of its first entry. A project is a repository with its worktrees, or a directory outside of repositories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<CatalogUsageBy>,
    /// The unit of the rows into which each row is divided; absent: none.
    #[serde(rename = "thenBy", skip_serializing_if = "Option::is_none")]
    pub then_by: Option<CatalogUsageThenBy>,
    /// IANA name of the time zone for days; by default that of the daemon's machine. Exact in zones that differ from UTC by whole quarters of an hour, as all zones do since 1972.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// First day to count, as `YYYY-MM-DD` in `timezone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Last day to count, as `YYYY-MM-DD` in `timezone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Only sessions of the project of this directory: see `session/listAll`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Only usage whose `provider/model` contains this text, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether an entry that is in several sessions counts in each of them. By default it counts once, for the session that was created first, because the entries that a fork copies cost nothing. Entries with the same id, time and tokens are treated as copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<bool>,
    /// Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<bool>,
}

impl CatalogUsageParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Only sessions of this working directory; resolved, `~` expanded.
        cwd: impl Into<String> = Some(cwd.into());
        /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Token under which progress is reported; absent: no reports.
        work_done_token: impl Into<Id> = Some(work_done_token.into());
        /// The unit of a row; `day` by default. A block is a window of five hours that begins with the hour of its first entry. A project is a repository with its worktrees, or a directory outside of repositories.
        by: impl Into<CatalogUsageBy> = Some(by.into());
        /// The unit of the rows into which each row is divided; absent: none.
        then_by: impl Into<CatalogUsageThenBy> = Some(then_by.into());
        /// IANA name of the time zone for days; by default that of the daemon's machine. Exact in zones that differ from UTC by whole quarters of an hour, as all zones do since 1972.
        timezone: impl Into<String> = Some(timezone.into());
        /// First day to count, as `YYYY-MM-DD` in `timezone`.
        since: impl Into<String> = Some(since.into());
        /// Last day to count, as `YYYY-MM-DD` in `timezone`.
        until: impl Into<String> = Some(until.into());
        /// Only sessions of the project of this directory: see `session/listAll`.
        project: impl Into<String> = Some(project.into());
        /// Only usage whose `provider/model` contains this text, in any case.
        model: impl Into<String> = Some(model.into());
        /// Whether an entry that is in several sessions counts in each of them. By default it counts once, for the session that was created first, because the entries that a fork copies cost nothing. Entries with the same id, time and tokens are treated as copies.
        copies: bool = Some(copies);
        /// Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
        prices: bool = Some(prices);
    }
}

/// Usage by rows: periods in order of time, others by cost, the highest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CatalogUsageResult {
    /// The sums, one row per group.
    pub rows: Vec<UsageRow>,
    /// The sums.
    pub sums: UsageSums,
    /// Number of sessions with an entry that counts.
    #[serde(rename = "sessionCount")]
    pub session_count: i64,
    /// Number of entries that are copies and did not count again.
    #[serde(rename = "omittedCopies")]
    pub omitted_copies: i64,
    /// Of all costs, as the agents write them.
    pub currency: CatalogUsageCurrency,
    /// The IANA name that was given; else the abbreviation of the machine's zone at present.
    pub timezone: String,
    /// The prices that were used; only with `prices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceData>,
    /// Files and directories that could not be read and are left out; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FileProblem>>,
}

/// The files to check: those of a scope, or a single one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CheckParams {
    /// Only sessions of this working directory; resolved, `~` expanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Token under which progress is reported; absent: no reports.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
    /// A single file, without members of a scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl CheckParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Only sessions of this working directory; resolved, `~` expanded.
        cwd: impl Into<String> = Some(cwd.into());
        /// Directory of sessions instead of the profile's; with `cwd` as in `session/list`.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Token under which progress is reported; absent: no reports.
        work_done_token: impl Into<Id> = Some(work_done_token.into());
        /// A single file, without members of a scope.
        path: impl Into<String> = Some(path.into());
    }
}

/// All files that were checked. None was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckResult {
    /// In order of directories and names.
    pub files: Vec<CheckedFile>,
}

/// The problems of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckedFile {
    /// Absolute path of the file.
    pub path: String,
    /// Whether no problem was found.
    pub ok: bool,
    /// In order of lines.
    pub problems: Vec<Diagnostic>,
    /// What a newer version of an agent has written; it is shown as `custom` entries. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Vec<UnknownLines>>,
}

/// Capabilities of the client.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// Set it if the client's JSON library cannot hold lone surrogates, integers beyond 2^53 or numbers like 1e400: it is then sent U+FFFD and strings in their place. Files are not affected.
    #[serde(rename = "plainJson", skip_serializing_if = "Option::is_none")]
    pub plain_json: Option<bool>,
}

impl ClientCapabilities {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Set it if the client's JSON library cannot hold lone surrogates, integers beyond 2^53 or numbers like 1e400: it is then sent U+FFFD and strings in their place. Files are not affected.
        plain_json: bool = Some(plain_json);
    }
}

/// The name and version of the client, for the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClientInfo {
    /// Name of the program.
    pub name: String,
    /// Version of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl ClientInfo {
    /// Creates params with the required members.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: Default::default(),
        }
    }

    setters! {
        /// Version of the program.
        version: impl Into<String> = Some(version.into());
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

/// A summary that replaces everything before the first kept entry in the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "compaction")]
pub struct CompactionEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// Text of the summary.
    pub summary: String,
    /// First entry that stays in the context; its own id: no entry stays.
    #[serde(rename = "firstKeptEntryId")]
    pub first_kept_entry_id: String,
    /// Tokens of the context before compaction.
    #[serde(rename = "tokensBefore")]
    pub tokens_before: i64,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// `{readFiles, modifiedFiles}` from pi, or data of an extension.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
    /// Tokens and cost of making the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether an extension made the summary.
    #[serde(rename = "fromHook", default, skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// The system message that applies here; the context has it first.
    #[serde(rename = "systemMessage", default, skip_serializing_if = "Option::is_none")]
    pub system_message: Option<SystemMessage>,
}

impl CompactionEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, summary: impl Into<String>, first_kept_entry_id: impl Into<String>, tokens_before: i64) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            summary: summary.into(),
            first_kept_entry_id: first_kept_entry_id.into(),
            tokens_before,
            append_mode: Default::default(),
            details: Default::default(),
            usage: Default::default(),
            from_hook: Default::default(),
            system_message: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// `{readFiles, modifiedFiles}` from pi, or data of an extension.
        details: impl Into<Raw> = Some(details.into());
        /// Tokens and cost of making the summary.
        usage: impl Into<Usage> = Some(usage.into());
        /// Whether an extension made the summary.
        from_hook: bool = Some(from_hook);
        /// The system message that applies here; the context has it first.
        system_message: impl Into<SystemMessage> = Some(system_message.into());
    }
}

/// The plan of a compaction.
///
/// `context/finishCompaction` takes it, with or without its messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CompactionPreparation {
    /// First entry that stays in the context.
    #[serde(rename = "firstKeptEntryId")]
    pub first_kept_entry_id: String,
    /// Whether the first kept entry is inside a turn; the start of that turn is then summarised separately.
    #[serde(rename = "isSplitTurn")]
    pub is_split_turn: bool,
    /// Tokens of the context before the compaction.
    #[serde(rename = "tokensBefore")]
    pub tokens_before: i64,
    /// Files of the messages to summarise and of the previous compaction.
    #[serde(rename = "fileOps")]
    pub file_ops: FileOperations,
    /// Summary of the previous compaction, which the new summary updates.
    #[serde(rename = "previousSummary", default, skip_serializing_if = "Option::is_none")]
    pub previous_summary: Option<String>,
    /// Always present in an answer; may be empty.
    #[serde(rename = "messagesToSummarize", default, skip_serializing_if = "Option::is_none")]
    pub messages_to_summarize: Option<Vec<Json<Message>>>,
    /// The start of the split turn. Always present in an answer; may be empty.
    #[serde(rename = "turnPrefixMessages", default, skip_serializing_if = "Option::is_none")]
    pub turn_prefix_messages: Option<Vec<Json<Message>>>,
    /// Only with `includePrompts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<CompactionPrompts>,
}

impl CompactionPreparation {
    /// Creates params with the required members.
    pub fn new(first_kept_entry_id: impl Into<String>, is_split_turn: bool, tokens_before: i64, file_ops: impl Into<FileOperations>) -> Self {
        Self {
            first_kept_entry_id: first_kept_entry_id.into(),
            is_split_turn,
            tokens_before,
            file_ops: file_ops.into(),
            previous_summary: Default::default(),
            messages_to_summarize: Default::default(),
            turn_prefix_messages: Default::default(),
            prompts: Default::default(),
        }
    }

    setters! {
        /// Summary of the previous compaction, which the new summary updates.
        previous_summary: impl Into<String> = Some(previous_summary.into());
        /// Always present in an answer; may be empty.
        messages_to_summarize: Vec<Json<Message>> = Some(messages_to_summarize);
        /// The start of the split turn. Always present in an answer; may be empty.
        turn_prefix_messages: Vec<Json<Message>> = Some(turn_prefix_messages);
        /// Only with `includePrompts`.
        prompts: impl Into<CompactionPrompts> = Some(prompts.into());
    }
}

/// Prompts for a model; each text is one user message after `system`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CompactionPrompts {
    /// System prompt of both.
    pub system: String,
    /// Prompt for `historySummary`; absent: there is nothing to summarise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// Prompt for `prefixSummary`; absent: no turn is split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

impl CompactionPrompts {
    /// Creates params with the required members.
    pub fn new(system: impl Into<String>) -> Self {
        Self {
            system: system.into(),
            history: Default::default(),
            prefix: Default::default(),
        }
    }

    setters! {
        /// Prompt for `historySummary`; absent: there is nothing to summarise.
        history: impl Into<String> = Some(history.into());
        /// Prompt for `prefixSummary`; absent: no turn is split.
        prefix: impl Into<String> = Some(prefix.into());
    }
}

impl From<&str> for CompactionPrompts {
    fn from(system: &str) -> Self {
        Self::new(system)
    }
}

impl From<&String> for CompactionPrompts {
    fn from(system: &String) -> Self {
        Self::new(system)
    }
}

impl From<String> for CompactionPrompts {
    fn from(system: String) -> Self {
        Self::new(system)
    }
}

/// Settings for compaction, as in pi, with the values for the present model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CompactionSettings {
    /// Whether compaction is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Part of the context window to keep free; absent: 16,384.
    #[serde(rename = "reserveTokens", skip_serializing_if = "Option::is_none")]
    pub reserve_tokens: Option<i64>,
    /// Tokens of the latest messages to keep; absent: 20,000.
    #[serde(rename = "keepRecentTokens", skip_serializing_if = "Option::is_none")]
    pub keep_recent_tokens: Option<i64>,
    /// Minimum of `reserveTokens`, as in CoderClaw; absent: no minimum. CoderClaw's default is 20,000.
    #[serde(rename = "reserveTokensFloor", skip_serializing_if = "Option::is_none")]
    pub reserve_tokens_floor: Option<i64>,
}

impl CompactionSettings {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Whether compaction is enabled.
        enabled: bool = Some(enabled);
        /// Part of the context window to keep free; absent: 16,384.
        reserve_tokens: i64 = Some(reserve_tokens);
        /// Tokens of the latest messages to keep; absent: 20,000.
        keep_recent_tokens: i64 = Some(keep_recent_tokens);
        /// Minimum of `reserveTokens`, as in CoderClaw; absent: no minimum. CoderClaw's default is 20,000.
        reserve_tokens_floor: i64 = Some(reserve_tokens_floor);
    }
}

/// A summary that replaces earlier messages; made from a `compaction` entry and never stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "compactionSummary")]
pub struct CompactionSummaryMessage {
    /// Text of the summary.
    pub summary: String,
    /// Tokens of the context before compaction.
    #[serde(rename = "tokensBefore")]
    pub tokens_before: i64,
    /// Unix milliseconds; absent or null: not known. Appends do not need it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub timestamp: Nullable<i64>,
}

impl CompactionSummaryMessage {
    /// Creates params with the required members.
    pub fn new(summary: impl Into<String>, tokens_before: i64) -> Self {
        Self {
            summary: summary.into(),
            tokens_before,
            timestamp: Default::default(),
        }
    }

    setters! {
        /// Unix milliseconds; absent or null: not known. Appends do not need it.
        timestamp: impl Into<Nullable<i64>> = timestamp.into();
    }
}

/// A value of the configuration that has the wrong type and was ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConfigProblem {
    /// Path in the configuration, such as `session.reset.mode`.
    pub path: String,
    /// Text for people.
    pub message: String,
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
    /// A value that is unknown or does not fit: its text, unchanged.
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

/// Replaces the content of an earlier entry of the branch, in the context only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "context_edit")]
pub struct ContextEditEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// The edited entry.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// The new content; null removes the target from the context.
    #[serde(deserialize_with = "Option::deserialize")]
    pub replacement: Option<Replacement>,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
}

impl ContextEditEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, target_id: impl Into<String>, replacement: impl Into<Option<Replacement>>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            target_id: target_id.into(),
            replacement: replacement.into(),
            append_mode: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
    }
}

/// The most recent session of a working directory, or a new one if there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContinueRecentParams {
    /// Working directory; resolved, `~` expanded.
    pub cwd: String,
    /// Directory to search instead of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
    /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl ContinueRecentParams {
    /// Creates params with the required members.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            session_dir: Default::default(),
            follow: Default::default(),
            session: Default::default(),
        }
    }

    setters! {
        /// Directory to search instead of the profile's.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
        follow: bool = Some(follow);
        /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
        session: impl Into<String> = Some(session.into());
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

/// Cost of usage, in US dollars; null: the price is not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Cost of the input in US dollars.
    #[serde(serialize_with = "finite::finite", deserialize_with = "Option::deserialize")]
    pub input: Option<f64>,
    /// Cost of the output in US dollars.
    #[serde(serialize_with = "finite::finite", deserialize_with = "Option::deserialize")]
    pub output: Option<f64>,
    /// Cost of reading from the provider's cache, in US dollars.
    #[serde(rename = "cacheRead", serialize_with = "finite::finite", deserialize_with = "Option::deserialize")]
    pub cache_read: Option<f64>,
    /// Cost of writing to the provider's cache, in US dollars.
    #[serde(rename = "cacheWrite", serialize_with = "finite::finite", deserialize_with = "Option::deserialize")]
    pub cache_write: Option<f64>,
    /// Whole cost in US dollars.
    #[serde(serialize_with = "finite::finite", deserialize_with = "Option::deserialize")]
    pub total: Option<f64>,
    /// Whether the provider reported `total`; otherwise it is an estimate.
    #[serde(rename = "totalFromProvider", default, skip_serializing_if = "Option::is_none")]
    pub total_from_provider: Option<bool>,
}

impl Cost {
    /// Creates params with the required members.
    pub fn new(input: impl Into<Option<f64>>, output: impl Into<Option<f64>>, cache_read: impl Into<Option<f64>>, cache_write: impl Into<Option<f64>>, total: impl Into<Option<f64>>) -> Self {
        Self {
            input: input.into(),
            output: output.into(),
            cache_read: cache_read.into(),
            cache_write: cache_write.into(),
            total: total.into(),
            total_from_provider: Default::default(),
        }
    }

    setters! {
        /// Whether the provider reported `total`; otherwise it is an estimate.
        total_from_provider: bool = Some(total_from_provider);
    }
}

/// Sum of the cost in all recorded usage, in US dollars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CostFigures {
    /// Cost of the input in US dollars.
    #[serde(serialize_with = "finite::finite")]
    pub input: f64,
    /// Cost of the output in US dollars.
    #[serde(serialize_with = "finite::finite")]
    pub output: f64,
    /// Cost of reading from the provider's cache, in US dollars.
    #[serde(rename = "cacheRead", serialize_with = "finite::finite")]
    pub cache_read: f64,
    /// Cost of writing to the provider's cache, in US dollars.
    #[serde(rename = "cacheWrite", serialize_with = "finite::finite")]
    pub cache_write: f64,
    /// Sum of the recorded totals; where a total is missing, of its parts.
    #[serde(serialize_with = "finite::finite")]
    pub total: f64,
}

/// The branch that becomes a session of its own; the handle moves to the new file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CreateBranchedSessionParams {
    /// Last entry of the branch to copy.
    #[serde(rename = "leafId")]
    pub leaf_id: String,
    /// If `leafId` is an answer with tool calls, also copy the results of these calls; else the copy ends with calls without results, which providers refuse.
    #[serde(rename = "withResults", skip_serializing_if = "Option::is_none")]
    pub with_results: Option<bool>,
}

impl CreateBranchedSessionParams {
    /// Creates params with the required members.
    pub fn new(leaf_id: impl Into<String>) -> Self {
        Self {
            leaf_id: leaf_id.into(),
            with_results: Default::default(),
        }
    }

    setters! {
        /// If `leafId` is an answer with tool calls, also copy the results of these calls; else the copy ends with calls without results, which providers refuse.
        with_results: bool = Some(with_results);
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

/// A new session; its file is created with the first user or assistant message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CreateParams {
    /// Working directory; resolved, `~` expanded.
    pub cwd: String,
    /// Directory for the file, instead of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Id of the new session: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends. Absent: a UUID version 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Path of the parent session; stored in the header.
    #[serde(rename = "parentSession", skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
    /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
    /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl CreateParams {
    /// Creates params with the required members.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            session_dir: Default::default(),
            id: Default::default(),
            parent_session: Default::default(),
            follow: Default::default(),
            session: Default::default(),
        }
    }

    setters! {
        /// Directory for the file, instead of the profile's.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Id of the new session: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends. Absent: a UUID version 7.
        id: impl Into<String> = Some(id.into());
        /// Path of the parent session; stored in the header.
        parent_session: impl Into<String> = Some(parent_session.into());
        /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
        follow: bool = Some(follow);
        /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
        session: impl Into<String> = Some(session.into());
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

/// State of an extension; never part of the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "custom")]
pub struct CustomEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// Name of the extension.
    #[serde(rename = "customType")]
    pub custom_type: String,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// Data of the extension.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub data: Option<Raw>,
}

impl CustomEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, custom_type: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            custom_type: custom_type.into(),
            append_mode: Default::default(),
            data: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// Data of the extension.
        data: impl Into<Raw> = Some(data.into());
    }
}

/// A message of an extension, sent to a model as a user message.
///
/// It is stored as a `custom_message` entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "custom")]
pub struct CustomMessage {
    /// Name of the extension.
    #[serde(rename = "customType")]
    pub custom_type: String,
    /// Text, or text and image blocks.
    pub content: Json<Content>,
    /// Whether front ends show it.
    pub display: bool,
    /// Data of the extension; not sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
    /// Unix milliseconds; absent or null: not known. Appends do not need it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub timestamp: Nullable<i64>,
}

impl CustomMessage {
    /// Creates params with the required members.
    pub fn new(custom_type: impl Into<String>, content: impl Into<Json<Content>>, display: bool) -> Self {
        Self {
            custom_type: custom_type.into(),
            content: content.into(),
            display,
            details: Default::default(),
            timestamp: Default::default(),
        }
    }

    setters! {
        /// Data of the extension; not sent to a model.
        details: impl Into<Raw> = Some(details.into());
        /// Unix milliseconds; absent or null: not known. Appends do not need it.
        timestamp: impl Into<Nullable<i64>> = timestamp.into();
    }
}

/// A message of an extension; the context contains it as a user message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "custom_message")]
pub struct CustomMessageEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// Name of the extension.
    #[serde(rename = "customType")]
    pub custom_type: String,
    /// Text, or text and image blocks.
    pub content: Json<Content>,
    /// Whether front ends show it.
    pub display: bool,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// Data of the extension; not sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
}

impl CustomMessageEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, custom_type: impl Into<String>, content: impl Into<Json<Content>>, display: bool) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            custom_type: custom_type.into(),
            content: content.into(),
            display,
            append_mode: Default::default(),
            details: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// Data of the extension; not sent to a model.
        details: impl Into<Raw> = Some(details.into());
    }
}

/// The session's working directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CwdResult {
    /// Working directory of the session.
    pub cwd: String,
}

/// Messages, tokens and cost of one day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DayFigures {
    /// `YYYY-MM-DD`, from midnight to midnight in `timezone`.
    pub day: String,
    /// Number of messages of any role.
    pub messages: i64,
    /// Numbers of tokens.
    pub tokens: TokenFigures,
    /// Absent: there is usage, and none of it records a cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostFigures>,
    /// Number of entries with usage that record no cost: the true cost is higher. Absent: there are none.
    #[serde(rename = "withoutCost", default, skip_serializing_if = "Option::is_none")]
    pub without_cost: Option<i64>,
    /// Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calculated: Option<i64>,
}

/// A session to delete.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeleteParams {
    /// The session file.
    pub path: String,
    /// Delete permanently, without the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permanently: Option<bool>,
    /// Delete it even if a program has it open for writing. A handle that is still open creates the file again with its next append.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
}

impl DeleteParams {
    /// Creates params with the required members.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            permanently: Default::default(),
            force: Default::default(),
            change: Default::default(),
        }
    }

    setters! {
        /// Delete permanently, without the trash.
        permanently: bool = Some(permanently);
        /// Delete it even if a program has it open for writing. A handle that is still open creates the file again with its next append.
        force: bool = Some(force);
        /// Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.
        change: impl Into<String> = Some(change.into());
    }
}

impl From<&str> for DeleteParams {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

impl From<&String> for DeleteParams {
    fn from(path: &String) -> Self {
        Self::new(path)
    }
}

impl From<String> for DeleteParams {
    fn from(path: String) -> Self {
        Self::new(path)
    }
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeleteResult {
    /// Whether the file is in the trash and can be restored.
    pub trashed: bool,
    /// Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change had no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoable: Option<bool>,
}

/// A problem with a line of a session file. The line stays in the file unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Number of the line, from 1; 0: the whole file.
    pub line: i64,
    /// Kind of the problem; later versions may add kinds.
    pub kind: DiagnosticKind,
    /// Text for people.
    pub message: String,
}

/// An answer that is not finished and not stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Draft {
    /// As it was published; members that are not known yet may be missing.
    pub message: Json<Message>,
    /// What a person sees of it, as in `session/getView`; `entryId` is empty.
    pub view: ViewItem,
}

/// Entries, in the order that the method defines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntriesResult {
    /// The entries.
    pub entries: Vec<Json<Entry>>,
}

/// An entry of a session, by its `type`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Entry {
    /// A message of the conversation.
    Message(SessionMessageEntry),
    /// A change of the thinking level by the user; it applies from here on.
    ThinkingLevelChange(ThinkingLevelChangeEntry),
    /// A change of the model by the user; it applies from here on.
    ModelChange(ModelChangeEntry),
    /// A summary that replaces everything before the first kept entry in the context.
    Compaction(CompactionEntry),
    /// A summary of a branch that was left; the conversation continues from its parent.
    BranchSummary(BranchSummaryEntry),
    /// State of an extension; never part of the context.
    Custom(CustomEntry),
    /// A message of an extension; the context contains it as a user message.
    CustomMessage(CustomMessageEntry),
    /// A user's label for an entry. The last label of a target applies.
    Label(LabelEntry),
    /// A user's name for the session. The last name in the file applies.
    SessionInfo(SessionInfoEntry),
    /// Usage outside the conversation: counted in totals, never part of the context.
    Usage(UsageEntry),
    /// Replaces the content of an earlier entry of the branch, in the context only.
    ContextEdit(ContextEditEntry),
    /// Moves the leaf of the file; written by OpenClaw. Never part of a branch.
    ///
    /// It is ignored if one of its ids does not occur before it in the file.
    Leaf(LeafEntry),
    /// Starts the context again after this entry; written by OpenClaw for a new conversation.
    Reset(ResetEntry),
    /// A value that is unknown or does not fit: its text, unchanged.
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
            Some("leaf") => raw.parse().map(Self::Leaf),
            Some("reset") => raw.parse().map(Self::Reset),
            _ => return Self::Unknown(raw.clone()),
        };
        read.unwrap_or_else(|_| Self::Unknown(raw.clone()))
    }
}

impl Json<Entry> {
    /// Reads only the member `type`; works for unknown values as well.
    #[must_use]
    pub fn type_(&self) -> Option<String> {
        self.member("type")
    }

    /// Reads only the member `id`; works for unknown values as well.
    #[must_use]
    pub fn id(&self) -> Option<String> {
        self.member("id")
    }

    /// Reads only the member `parentId`; works for unknown values as well.
    #[must_use]
    pub fn parent_id(&self) -> Option<String> {
        self.member("parentId")
    }

    /// Reads only the member `timestamp`; works for unknown values as well.
    #[must_use]
    pub fn timestamp(&self) -> Option<String> {
        self.member("timestamp")
    }

    /// Reads only the member `appendMode`; works for unknown values as well.
    #[must_use]
    pub fn append_mode(&self) -> Option<String> {
        self.member("appendMode")
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

impl From<LeafEntry> for Entry {
    fn from(value: LeafEntry) -> Self {
        Self::Leaf(value)
    }
}

impl From<LeafEntry> for Json<Entry> {
    fn from(value: LeafEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

impl From<ResetEntry> for Entry {
    fn from(value: ResetEntry) -> Self {
        Self::Reset(value)
    }
}

impl From<ResetEntry> for Json<Entry> {
    fn from(value: ResetEntry) -> Self {
        Self::from(Entry::from(value))
    }
}

/// The number of entries, without the header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryCountResult {
    /// Number of entries.
    pub count: i64,
}

/// An entry without its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryFacts {
    /// Id of the entry.
    pub id: String,
    /// null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// Type of the entry.
    #[serde(rename = "type")]
    pub type_: String,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
}

/// A label for an entry of a session, which need not be open.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EntryLabelParams {
    /// The session file, which must exist.
    pub path: String,
    /// The entry to label.
    #[serde(rename = "entryId")]
    pub entry_id: String,
    /// The label; absent, null or empty: the label is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
}

impl EntryLabelParams {
    /// Creates params with the required members.
    pub fn new(path: impl Into<String>, entry_id: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            entry_id: entry_id.into(),
            label: Default::default(),
            change: Default::default(),
        }
    }

    setters! {
        /// The label; absent, null or empty: the label is removed.
        label: impl Into<String> = Some(label.into());
        /// Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.
        change: impl Into<String> = Some(change.into());
    }
}

/// The entry that stores the label, appended under the last entry of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryLabelResult {
    /// Id of the `label` entry.
    pub id: String,
    /// Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change had no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoable: Option<bool>,
}

/// One entry, if it exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryResult {
    /// null: there is no such entry.
    #[serde(deserialize_with = "Option::deserialize")]
    pub entry: Option<Json<Entry>>,
}

/// The size of a context; `tokens` is the sum of the next two members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EstimateTokensResult {
    /// Estimated number of tokens.
    pub tokens: i64,
    /// Tokens counted by a provider, from the last usage of a complete answer; 0: there is no valid usage. Usage from before the last compaction or context edit is not valid.
    #[serde(rename = "usageTokens")]
    pub usage_tokens: i64,
    /// Estimated tokens of the messages after that answer.
    #[serde(rename = "trailingTokens")]
    pub trailing_tokens: i64,
    /// With `session`: the entry that has the usage.
    #[serde(rename = "lastUsageEntryId", default, skip_serializing_if = "Option::is_none")]
    pub last_usage_entry_id: Option<String>,
    /// With `messages`: index of the message that has the usage.
    #[serde(rename = "lastUsageIndex", default, skip_serializing_if = "Option::is_none")]
    pub last_usage_index: Option<i64>,
}

/// Facts about a session, and exactly one of `resetType` and `policy`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EvaluateFreshnessParams {
    /// Milliseconds since the epoch.
    #[serde(serialize_with = "finite::finite")]
    pub now: f64,
    /// `updatedAt` of the entry before the message, in milliseconds. Absent: the entry has none and is fresh; null counts as 0.
    #[serde(rename = "updatedAt", skip_serializing_if = "Nullable::is_absent", serialize_with = "finite::finite")]
    pub updated_at: Nullable<f64>,
    /// Type by which `config` has the policy.
    #[serde(rename = "resetType", skip_serializing_if = "Option::is_none")]
    pub reset_type: Option<BeginResetType>,
    /// When the session expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<GivenPolicy>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// For `session.resetByChannel`, which comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// IANA name of the local time zone; absent: the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

impl EvaluateFreshnessParams {
    /// Creates params with the required members.
    pub fn new(now: f64) -> Self {
        Self {
            now,
            updated_at: Default::default(),
            reset_type: Default::default(),
            policy: Default::default(),
            config: Default::default(),
            channel: Default::default(),
            timezone: Default::default(),
        }
    }

    setters! {
        /// `updatedAt` of the entry before the message, in milliseconds. Absent: the entry has none and is fresh; null counts as 0.
        updated_at: impl Into<Nullable<f64>> = updated_at.into();
        /// Type by which `config` has the policy.
        reset_type: impl Into<BeginResetType> = Some(reset_type.into());
        /// When the session expires.
        policy: impl Into<GivenPolicy> = Some(policy.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// For `session.resetByChannel`, which comes first.
        channel: impl Into<String> = Some(channel.into());
        /// IANA name of the local time zone; absent: the host's.
        timezone: impl Into<String> = Some(timezone.into());
    }
}

impl From<f64> for EvaluateFreshnessParams {
    fn from(now: f64) -> Self {
        Self::new(now)
    }
}

/// Whether the session continues; at the exact limit it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EvaluateFreshnessResult {
    /// Whether the session has not expired.
    pub fresh: bool,
    /// When the session expires.
    pub policy: ResetPolicy,
    /// Time of the latest daily reset, in milliseconds since the epoch; absent in mode `idle`.
    #[serde(rename = "dailyResetAt", default, skip_serializing_if = "Option::is_none")]
    pub daily_reset_at: Option<i64>,
    /// Time until which the entry is fresh, in milliseconds since the epoch; absent: no limit, or no `updatedAt`.
    #[serde(rename = "idleExpiresAt", default, skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub idle_expires_at: Option<f64>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// The session to export, by exactly one of `path` and `session`, and the format.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExportParams {
    /// `jsonl`: a session file with a new header, the same id and only the branch, as pi exports it; labels and settings are included, and entries keep their bytes except for `parentId` and `appendMode`. `markdown`: the branch as text. `html`: one self-contained page with all branches, which first shows the branch; only the branch if `leafId` is sent.
    pub format: ExportFormat,
    /// A session file; it is not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Handle of an open session, also before its file is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// File to write, with mode 0600; missing directories are created with mode 0700. Absent: the answer contains the export. A page or Markdown that an export has written is replaced and keeps its mode; any other file is `AlreadyExists`, unless `force` is sent.
    #[serde(rename = "outputPath", skip_serializing_if = "Option::is_none")]
    pub output_path: Option<String>,
    /// Last entry of the branch; null: before the first entry, which gives an empty branch; absent: the handle's leaf, or the last entry of a file. If it is sent, the export has nothing that is not on this branch: no other branch, and no name or label that was given later.
    #[serde(rename = "leafId", skip_serializing_if = "Nullable::is_absent")]
    pub leaf_id: Nullable<String>,
    /// true: keys and passwords of known forms are masked in everything that is exported, also in the data of a page, and the home directory becomes `~`. false: they stay. With either the answer has `secrets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<bool>,
    /// With `mask`: further texts to mask wherever they stand, in any case, such as the name of a customer; at most 100, none empty.
    #[serde(rename = "maskAlso", skip_serializing_if = "Option::is_none")]
    pub mask_also: Option<Vec<String>>,
    /// Export only what was said: messages of the user and texts of the agent, names, and labels of these; no thinking, tools, commands, settings and summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<bool>,
    /// Replace whatever file is at `outputPath`; but never a backup, an open session, or a file below a directory of an agent or beside the store of a gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// `jsonl`: give the export an id of its own and the exported file as `parentSession`, so that it can lie beside the session. By default it has the session's id and no parent, as pi exports it.
    #[serde(rename = "ownId", skip_serializing_if = "Option::is_none")]
    pub own_id: Option<bool>,
}

impl ExportParams {
    /// Creates params with the required members.
    pub fn new(format: impl Into<ExportFormat>) -> Self {
        Self {
            format: format.into(),
            path: Default::default(),
            session: Default::default(),
            output_path: Default::default(),
            leaf_id: Default::default(),
            mask: Default::default(),
            mask_also: Default::default(),
            conversation: Default::default(),
            force: Default::default(),
            own_id: Default::default(),
        }
    }

    setters! {
        /// A session file; it is not changed.
        path: impl Into<String> = Some(path.into());
        /// Handle of an open session, also before its file is written.
        session: impl Into<String> = Some(session.into());
        /// File to write, with mode 0600; missing directories are created with mode 0700. Absent: the answer contains the export. A page or Markdown that an export has written is replaced and keeps its mode; any other file is `AlreadyExists`, unless `force` is sent.
        output_path: impl Into<String> = Some(output_path.into());
        /// Last entry of the branch; null: before the first entry, which gives an empty branch; absent: the handle's leaf, or the last entry of a file. If it is sent, the export has nothing that is not on this branch: no other branch, and no name or label that was given later.
        leaf_id: impl Into<Nullable<String>> = leaf_id.into();
        /// true: keys and passwords of known forms are masked in everything that is exported, also in the data of a page, and the home directory becomes `~`. false: they stay. With either the answer has `secrets`.
        mask: bool = Some(mask);
        /// With `mask`: further texts to mask wherever they stand, in any case, such as the name of a customer; at most 100, none empty.
        mask_also: Vec<String> = Some(mask_also);
        /// Export only what was said: messages of the user and texts of the agent, names, and labels of these; no thinking, tools, commands, settings and summaries.
        conversation: bool = Some(conversation);
        /// Replace whatever file is at `outputPath`; but never a backup, an open session, or a file below a directory of an agent or beside the store of a gateway.
        force: bool = Some(force);
        /// `jsonl`: give the export an id of its own and the exported file as `parentSession`, so that it can lie beside the session. By default it has the session's id and no parent, as pi exports it.
        own_id: bool = Some(own_id);
    }
}

impl From<ExportFormat> for ExportParams {
    fn from(format: ExportFormat) -> Self {
        Self::new(format)
    }
}

/// The path of the export, or the export itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportResult {
    /// Absolute path of the file that was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The export, if no `outputPath` was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// If `mask` was sent: the number of exported entries with a key or password of a known form, which were masked if `mask` is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<i64>,
}

/// Paths that tools were called with; each list has no duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileOperations {
    /// Paths of files that were read.
    pub read: Vec<String>,
    /// Paths of files that were written.
    pub written: Vec<String>,
    /// Paths of files that were edited.
    pub edited: Vec<String>,
}

impl FileOperations {
    /// Creates params with the required members.
    pub fn new(read: Vec<String>, written: Vec<String>, edited: Vec<String>) -> Self {
        Self {
            read,
            written,
            edited,
        }
    }
}

/// The reason why a file, or a directory with its content, is missing from an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileProblem {
    /// Absolute path of the file or directory.
    pub path: String,
    /// `unreadable`: the system refuses to read it. `internalError`: the daemon failed to handle it; the log has the details. `timedOut`: there was no time left to search it. Later versions may add kinds.
    pub kind: FileProblemKind,
    /// Text for people.
    pub message: String,
}

/// A session id to find, or its beginning.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FindByIdParams {
    /// The whole id, or with `prefix` how it begins; `HOST:ID` then means a copy in a store of a session that is written on that host.
    pub id: String,
    /// Working directory; resolved, `~` expanded. Absent: all directories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Directory to search instead of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// The id may be the beginning of one: the session whose id is the same, else the only one whose id begins so. All directories are searched; of several sessions those of `cwd` count, then those of the connection's own agent. Of several files with one id the latest counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<bool>,
    /// With `prefix`: if several files have the id, answer all of them as `candidates`, because what is to be changed must be named by its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique: Option<bool>,
}

impl FindByIdParams {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            cwd: Default::default(),
            session_dir: Default::default(),
            prefix: Default::default(),
            unique: Default::default(),
        }
    }

    setters! {
        /// Working directory; resolved, `~` expanded. Absent: all directories.
        cwd: impl Into<String> = Some(cwd.into());
        /// Directory to search instead of the profile's.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// The id may be the beginning of one: the session whose id is the same, else the only one whose id begins so. All directories are searched; of several sessions those of `cwd` count, then those of the connection's own agent. Of several files with one id the latest counts.
        prefix: bool = Some(prefix);
        /// With `prefix`: if several files have the id, answer all of them as `candidates`, because what is to be changed must be named by its path.
        unique: bool = Some(unique);
    }
}

impl From<&str> for FindByIdParams {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<&String> for FindByIdParams {
    fn from(id: &String) -> Self {
        Self::new(id)
    }
}

impl From<String> for FindByIdParams {
    fn from(id: String) -> Self {
        Self::new(id)
    }
}

/// The file that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FindByIdResult {
    /// Path of its file; null: no session, or more than one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub path: Option<String>,
    /// With `prefix`: the sessions that can be meant, the latest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<SessionInfo>>,
    /// Files and directories that could not be read and are left out; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FileProblem>>,
}

/// The entry to continue from, and the model's summary of the branch that is left.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FinishBranchSummaryParams {
    /// The entry to continue from, as in `context/navigate`.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// The model's text; pi's preamble and the lists of files are added to it. Absent: there was no message to summarise, and the entry says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// `fileOps` of `context/prepareBranchSummary`; absent: computed from the whole branch that is left.
    #[serde(rename = "fileOps", skip_serializing_if = "Option::is_none")]
    pub file_ops: Option<FileOperations>,
    /// Label for the summary's entry; it is stored in another entry, which becomes the leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Tokens and cost of making the summary.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub usage: Nullable<Json<Usage>>,
}

impl FinishBranchSummaryParams {
    /// Creates params with the required members.
    pub fn new(target_id: impl Into<String>) -> Self {
        Self {
            target_id: target_id.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            summary: Default::default(),
            file_ops: Default::default(),
            label: Default::default(),
            usage: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// The model's text; pi's preamble and the lists of files are added to it. Absent: there was no message to summarise, and the entry says so.
        summary: impl Into<String> = Some(summary.into());
        /// `fileOps` of `context/prepareBranchSummary`; absent: computed from the whole branch that is left.
        file_ops: impl Into<FileOperations> = Some(file_ops.into());
        /// Label for the summary's entry; it is stored in another entry, which becomes the leaf.
        label: impl Into<String> = Some(label.into());
        /// Tokens and cost of making the summary.
        usage: impl Into<Nullable<Json<Usage>>> = usage.into();
    }
}

impl From<&str> for FinishBranchSummaryParams {
    fn from(target_id: &str) -> Self {
        Self::new(target_id)
    }
}

impl From<&String> for FinishBranchSummaryParams {
    fn from(target_id: &String) -> Self {
        Self::new(target_id)
    }
}

impl From<String> for FinishBranchSummaryParams {
    fn from(target_id: String) -> Self {
        Self::new(target_id)
    }
}

/// The entry of the summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FinishBranchSummaryResult {
    /// Id of the new entry.
    pub id: String,
    /// null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// The handle's leaf: the entry, or the one of its label; after a retry perhaps an entry that follows it.
    #[serde(rename = "leafId", deserialize_with = "Option::deserialize")]
    pub leaf_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// Whether the entry is in the file. It is not for a session in memory, nor while the file waits for the first user or assistant message. A written entry survives the end of the process, but not a crash of the machine.
    pub written: bool,
    /// true: an entry with the id `newEntryId` existed already; it is the answer, and nothing was written. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub existed: Option<bool>,
    /// Text for the user to edit, as in `context/navigate`.
    #[serde(rename = "editorText", default, skip_serializing_if = "Option::is_none")]
    pub editor_text: Option<String>,
}

/// A plan and the model's summaries.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FinishCompactionParams {
    /// The answer of `context/prepareCompaction`.
    pub preparation: CompactionPreparation,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// Summary of `messagesToSummarize`. It may be absent only if a turn is split and there were no such messages: then the previous summary is used, or `No prior history.`
    #[serde(rename = "historySummary", skip_serializing_if = "Option::is_none")]
    pub history_summary: Option<String>,
    /// Summary of `turnPrefixMessages`; required if a turn is split, otherwise not allowed.
    #[serde(rename = "prefixSummary", skip_serializing_if = "Option::is_none")]
    pub prefix_summary: Option<String>,
    /// Tokens and cost of making the summaries.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub usage: Nullable<Json<Usage>>,
}

impl FinishCompactionParams {
    /// Creates params with the required members.
    pub fn new(preparation: impl Into<CompactionPreparation>) -> Self {
        Self {
            preparation: preparation.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            history_summary: Default::default(),
            prefix_summary: Default::default(),
            usage: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// Summary of `messagesToSummarize`. It may be absent only if a turn is split and there were no such messages: then the previous summary is used, or `No prior history.`
        history_summary: impl Into<String> = Some(history_summary.into());
        /// Summary of `turnPrefixMessages`; required if a turn is split, otherwise not allowed.
        prefix_summary: impl Into<String> = Some(prefix_summary.into());
        /// Tokens and cost of making the summaries.
        usage: impl Into<Nullable<Json<Usage>>> = usage.into();
    }
}

impl From<CompactionPreparation> for FinishCompactionParams {
    fn from(preparation: CompactionPreparation) -> Self {
        Self::new(preparation)
    }
}

/// A session to copy into a new file, which names it as its parent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ForkFromParams {
    /// The session file to copy.
    #[serde(rename = "sourcePath")]
    pub source_path: String,
    /// Working directory of the new session.
    #[serde(rename = "targetCwd")]
    pub target_cwd: String,
    /// Directory for the new file, instead of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Id of the new session, as in `session/create`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Copy only the branch that ends with this entry, as `session/createBranchedSession` does; absent: the whole session.
    #[serde(rename = "leafId", skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// If `leafId` is an answer with tool calls, also copy the results of these calls; else the copy ends with calls without results, which providers refuse.
    #[serde(rename = "withResults", skip_serializing_if = "Option::is_none")]
    pub with_results: Option<bool>,
    /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
    /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl ForkFromParams {
    /// Creates params with the required members.
    pub fn new(source_path: impl Into<String>, target_cwd: impl Into<String>) -> Self {
        Self {
            source_path: source_path.into(),
            target_cwd: target_cwd.into(),
            session_dir: Default::default(),
            id: Default::default(),
            leaf_id: Default::default(),
            with_results: Default::default(),
            follow: Default::default(),
            session: Default::default(),
        }
    }

    setters! {
        /// Directory for the new file, instead of the profile's.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Id of the new session, as in `session/create`.
        id: impl Into<String> = Some(id.into());
        /// Copy only the branch that ends with this entry, as `session/createBranchedSession` does; absent: the whole session.
        leaf_id: impl Into<String> = Some(leaf_id.into());
        /// If `leafId` is an answer with tool calls, also copy the results of these calls; else the copy ends with calls without results, which providers refuse.
        with_results: bool = Some(with_results);
        /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
        follow: bool = Some(follow);
        /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
        session: impl Into<String> = Some(session.into());
    }
}

/// The changes of one store in the last 100 ms or more; each key occurs once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GatewayDidChangeParams {
    /// Handle of the subscription.
    pub subscription: String,
    /// Number of this notification: one more than that of the notification before it in the subscription, so that a lost one is noticed.
    pub sequence: i64,
    /// The agent of the store.
    #[serde(rename = "agentId")]
    pub agent_id: String,
    /// Absolute path of the store.
    #[serde(rename = "storePath")]
    pub store_path: String,
    /// May be empty if `problems` is present.
    pub changes: Vec<StoreChange>,
    /// All present problems of the store; absent if they are the same as before. `replacedStore`: OpenClaw's database has appeared and cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
}

/// The stores to follow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GatewaySubscribeParams {
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Only the store of this agent. Absent: the stores of all agents, including later ones, or the store that they share.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
}

impl GatewaySubscribeParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Only the store of this agent. Absent: the stores of all agents, including later ones, or the store that they share.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
        subscription: impl Into<String> = Some(subscription.into());
    }
}

/// A snapshot.
///
/// Every later change, including the client's own, is reported by `gateway/didChange`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GatewaySubscribeResult {
    /// Opaque.
    pub subscription: String,
    /// Sequence number of the snapshot; the first notification has the next number.
    pub sequence: i64,
    /// By store, that of the default agent first.
    pub sessions: Vec<StoredSession>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// A subscription to end.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GatewayUnsubscribeParams {
    /// Handle of the subscription.
    pub subscription: String,
}

impl GatewayUnsubscribeParams {
    /// Creates params with the required members.
    pub fn new(subscription: impl Into<String>) -> Self {
        Self {
            subscription: subscription.into(),
        }
    }
}

impl From<&str> for GatewayUnsubscribeParams {
    fn from(subscription: &str) -> Self {
        Self::new(subscription)
    }
}

impl From<&String> for GatewayUnsubscribeParams {
    fn from(subscription: &String) -> Self {
        Self::new(subscription)
    }
}

impl From<String> for GatewayUnsubscribeParams {
    fn from(subscription: String) -> Self {
        Self::new(subscription)
    }
}

/// The branch to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetBranchParams {
    /// Last entry of the branch; absent: the leaf.
    #[serde(rename = "fromId", skip_serializing_if = "Option::is_none")]
    pub from_id: Option<String>,
}

impl GetBranchParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Last entry of the branch; absent: the leaf.
        from_id: impl Into<String> = Some(from_id.into());
    }
}

/// The entry whose children are read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetChildrenParams {
    /// The parent; null: read the entries without a parent.
    #[serde(rename = "parentId")]
    pub parent_id: Option<String>,
}

impl GetChildrenParams {
    /// Creates params with the required members.
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

/// Which page of the file's entries to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetEntriesParams {
    /// Start after this position: the `nextCursor` of the page before, or the id of an entry, of which the last occurrence counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Maximum number of entries in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// Start at most this number of entries before the end of the file, if that is after the `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<i64>,
    /// Whether to answer `views` also.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<bool>,
}

impl GetEntriesParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Start after this position: the `nextCursor` of the page before, or the id of an entry, of which the last occurrence counts.
        cursor: impl Into<String> = Some(cursor.into());
        /// Maximum number of entries in the answer.
        limit: i64 = Some(limit);
        /// Start at most this number of entries before the end of the file, if that is after the `cursor`.
        last: i64 = Some(last);
        /// Whether to answer `views` also.
        views: bool = Some(views);
    }
}

/// Entries in file order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GetEntriesResult {
    /// The entries.
    pub entries: Vec<Json<Entry>>,
    /// Number of entries in the file.
    pub total: i64,
    /// Where the next page begins; absent: this is the last.
    #[serde(rename = "nextCursor", default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What a person sees of each of the `entries`, as `session/getView` answers it; a call does not name its result, which another branch may not have, and always shows its diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<Vec<ViewItem>>,
}

/// The id of an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetEntryParams {
    /// Id of the entry.
    pub id: String,
}

impl GetEntryParams {
    /// Creates params with the required members.
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

/// The entry whose source is read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetSourceParams {
    /// Id of the entry.
    #[serde(rename = "entryId")]
    pub entry_id: String,
    /// Maximum number of bytes of each record; absent: 65536.
    #[serde(rename = "maxBytes", skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<i64>,
}

impl GetSourceParams {
    /// Creates params with the required members.
    pub fn new(entry_id: impl Into<String>) -> Self {
        Self {
            entry_id: entry_id.into(),
            max_bytes: Default::default(),
        }
    }

    setters! {
        /// Maximum number of bytes of each record; absent: 65536.
        max_bytes: i64 = Some(max_bytes);
    }
}

impl From<&str> for GetSourceParams {
    fn from(entry_id: &str) -> Self {
        Self::new(entry_id)
    }
}

impl From<&String> for GetSourceParams {
    fn from(entry_id: &String) -> Self {
        Self::new(entry_id)
    }
}

impl From<String> for GetSourceParams {
    fn from(entry_id: String) -> Self {
        Self::new(entry_id)
    }
}

/// What an entry was made of, in the order of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GetSourceResult {
    /// Several where an agent keeps parts of a message apart. Without `line` where no line of a file has the entry's id: in databases, in memory, in files of version 1.
    pub records: Vec<SourceRecord>,
}

/// How much of each entry the answer contains.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetTreeParams {
    /// `full` (default): `TreeNode`s; `outline`: `OutlineNode`s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<GetTreeDetail>,
}

impl GetTreeParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// `full` (default): `TreeNode`s; `outline`: `OutlineNode`s.
        detail: impl Into<GetTreeDetail> = Some(detail.into());
    }
}

/// Which part of a branch to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetUpdatesParams {
    /// Last entry of the branch; absent: the leaf.
    #[serde(rename = "leafId", skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// Start after this position: the `nextCursor` of the page before, or the id of an entry of the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Maximum number of entries in a page; each may be several updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
}

impl GetUpdatesParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Last entry of the branch; absent: the leaf.
        leaf_id: impl Into<String> = Some(leaf_id.into());
        /// Start after this position: the `nextCursor` of the page before, or the id of an entry of the branch.
        cursor: impl Into<String> = Some(cursor.into());
        /// Maximum number of entries in a page; each may be several updates.
        limit: i64 = Some(limit);
    }
}

/// A page of a branch, the oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GetUpdatesResult {
    /// In the order in which to send them.
    pub updates: Vec<SessionUpdate>,
    /// Number of entries on the branch.
    pub total: i64,
    /// Where the next page begins; absent: this is the last.
    #[serde(rename = "nextCursor", default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Which part of a branch to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GetViewParams {
    /// Last entry of the branch; absent: the leaf.
    #[serde(rename = "leafId", skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// Start after this position: the `nextCursor` of the page before, or the id of an entry of the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Start at most this number of entries before the end of the branch, if that is after the `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<i64>,
    /// Id of an entry, as of a search hit: start at half of `limit` before it. If the branch does not have it, the branch that ends at it is read. Replaces `cursor` and `last`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<String>,
    /// Maximum number of entries in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// Maximum number of characters of each text; `omittedChars` tells how many are missing. Absent: all of them.
    #[serde(rename = "maxChars", skip_serializing_if = "Option::is_none")]
    pub max_chars: Option<i64>,
}

impl GetViewParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Last entry of the branch; absent: the leaf.
        leaf_id: impl Into<String> = Some(leaf_id.into());
        /// Start after this position: the `nextCursor` of the page before, or the id of an entry of the branch.
        cursor: impl Into<String> = Some(cursor.into());
        /// Start at most this number of entries before the end of the branch, if that is after the `cursor`.
        last: i64 = Some(last);
        /// Id of an entry, as of a search hit: start at half of `limit` before it. If the branch does not have it, the branch that ends at it is read. Replaces `cursor` and `last`.
        around: impl Into<String> = Some(around.into());
        /// Maximum number of entries in the answer.
        limit: i64 = Some(limit);
        /// Maximum number of characters of each text; `omittedChars` tells how many are missing. Absent: all of them.
        max_chars: i64 = Some(max_chars);
    }
}

/// Entries of a branch as a person sees them, the oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GetViewResult {
    /// One for each entry.
    pub items: Vec<ViewItem>,
    /// Number of entries on the branch.
    pub total: i64,
    /// Where the next page begins; absent: this is the last.
    #[serde(rename = "nextCursor", default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A policy in the form that `gateway/evaluateFreshness` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GivenPolicy {
    /// `daily`: expires at an hour of the day; `idle`: only after time without use.
    pub mode: PolicyMode,
    /// Hour of the daily reset, in local time.
    #[serde(rename = "atHour", skip_serializing_if = "Option::is_none")]
    pub at_hour: Option<i64>,
    /// Minutes without use after which the session expires; absent: it does not expire by idleness.
    #[serde(rename = "idleMinutes", skip_serializing_if = "Option::is_none")]
    pub idle_minutes: Option<i64>,
}

impl GivenPolicy {
    /// Creates params with the required members.
    pub fn new(mode: impl Into<PolicyMode>) -> Self {
        Self {
            mode: mode.into(),
            at_hour: Default::default(),
            idle_minutes: Default::default(),
        }
    }

    setters! {
        /// Hour of the daily reset, in local time.
        at_hour: i64 = Some(at_hour);
        /// Minutes without use after which the session expires; absent: it does not expire by idleness.
        idle_minutes: i64 = Some(idle_minutes);
    }
}

impl From<PolicyMode> for GivenPolicy {
    fn from(mode: PolicyMode) -> Self {
        Self::new(mode)
    }
}

/// A session's header.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Header {
    /// The first line of a session file; not part of the tree.
    Session(SessionHeader),
    /// A value that is unknown or does not fit: its text, unchanged.
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
    /// Reads only the member `type`; works for unknown values as well.
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
    /// The session's header.
    pub header: Json<Header>,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "image")]
pub struct ImageContent {
    /// The image in base64.
    pub data: String,
    /// Such as `image/png`.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
}

impl ImageContent {
    /// Creates params with the required members.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
        }
    }
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
    /// Initial entries, in file order; a header may come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Json<Entry>>>,
    /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
    /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl InMemoryParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Working directory; absent: that of the daemon.
        cwd: impl Into<String> = Some(cwd.into());
        /// Id of the session, as in `session/create`.
        id: impl Into<String> = Some(id.into());
        /// Initial entries, in file order; a header may come first.
        entries: Vec<Json<Entry>> = Some(entries);
        /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
        follow: bool = Some(follow);
        /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
        session: impl Into<String> = Some(session.into());
    }
}

/// The origin of an inbound message, with CoderClaw's names.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InboundContext {
    /// Key of the session; overrides all other members.
    #[serde(rename = "SessionKey", skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// Sender or group, as `telegram:group:-100` or a number.
    #[serde(rename = "From", skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// `direct`, `group` or `channel`.
    #[serde(rename = "ChatType", skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<String>,
    /// Channel, if `From` does not begin with one; empty: no channel.
    #[serde(rename = "Provider", skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

impl InboundContext {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Key of the session; overrides all other members.
        session_key: impl Into<String> = Some(session_key.into());
        /// Sender or group, as `telegram:group:-100` or a number.
        from: impl Into<String> = Some(from.into());
        /// `direct`, `group` or `channel`.
        chat_type: impl Into<String> = Some(chat_type.into());
        /// Channel, if `From` does not begin with one; empty: no channel.
        provider: impl Into<String> = Some(provider.into());
    }
}

/// Settings of the connection. Without `initialize`, those of the command line apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InitializeParams {
    /// Name and version of the client.
    #[serde(rename = "clientInfo", skip_serializing_if = "Option::is_none")]
    pub client_info: Option<ClientInfo>,
    /// Id of the client's process; the daemon exits when that process has ended. A process that does not run on the daemon's machine is not watched.
    #[serde(rename = "processId", skip_serializing_if = "Option::is_none")]
    pub process_id: Option<i64>,
    /// The agent program whose directories and rules apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<InitializeProfile>,
    /// Directory of the agent program, instead of the profile's.
    #[serde(rename = "agentDir", skip_serializing_if = "Option::is_none")]
    pub agent_dir: Option<String>,
    /// Agent of a gateway profile; absent: that of the command line. Without either it is `main`, and lists and searches show the sessions of all agents.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Whether lists, searches and usage are of all agents on this machine. New sessions follow `profile`.
    #[serde(rename = "allAgents", skip_serializing_if = "Option::is_none")]
    pub all_agents: Option<bool>,
    /// Unit of positions in text; `utf-16` by default.
    #[serde(rename = "positionEncoding", skip_serializing_if = "Option::is_none")]
    pub position_encoding: Option<InitializePositionEncoding>,
    /// What this side supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<ClientCapabilities>,
    /// The versions of this contract that the client speaks; absent: any. The answer's `protocolVersion` is the one that applies.
    #[serde(rename = "protocolVersions", skip_serializing_if = "Option::is_none")]
    pub protocol_versions: Option<Vec<String>>,
}

impl InitializeParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Name and version of the client.
        client_info: impl Into<ClientInfo> = Some(client_info.into());
        /// Id of the client's process; the daemon exits when that process has ended. A process that does not run on the daemon's machine is not watched.
        process_id: i64 = Some(process_id);
        /// The agent program whose directories and rules apply.
        profile: impl Into<InitializeProfile> = Some(profile.into());
        /// Directory of the agent program, instead of the profile's.
        agent_dir: impl Into<String> = Some(agent_dir.into());
        /// Agent of a gateway profile; absent: that of the command line. Without either it is `main`, and lists and searches show the sessions of all agents.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Whether lists, searches and usage are of all agents on this machine. New sessions follow `profile`.
        all_agents: bool = Some(all_agents);
        /// Unit of positions in text; `utf-16` by default.
        position_encoding: impl Into<InitializePositionEncoding> = Some(position_encoding.into());
        /// What this side supports.
        capabilities: impl Into<ClientCapabilities> = Some(capabilities.into());
        /// The versions of this contract that the client speaks; absent: any. The answer's `protocolVersion` is the one that applies.
        protocol_versions: Vec<String> = Some(protocol_versions);
    }
}

/// The settings that apply to the connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InitializeResult {
    /// Name and version of the daemon.
    #[serde(rename = "serverInfo")]
    pub server_info: ServerInfo,
    /// Version of this contract: `"1"`.
    #[serde(rename = "protocolVersion")]
    pub protocol_version: String,
    /// The agent whose sessions are served by default.
    pub profile: InitializeProfile,
    /// Absolute path of the agent's directory.
    #[serde(rename = "agentDir")]
    pub agent_dir: String,
    /// Absolute path of the directory that holds the sessions; of a gateway, those of the agent.
    #[serde(rename = "sessionsDir")]
    pub sessions_dir: String,
    /// Unit of positions in text.
    #[serde(rename = "positionEncoding")]
    pub position_encoding: InitializePositionEncoding,
    /// What this side supports.
    pub capabilities: ServerCapabilities,
    /// With `allAgents`: those that are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<ListedAgent>>,
}

/// A part of the usage of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InnerUsageRow {
    /// What the part is about, as `key` of `UsageRow`, by `thenBy`.
    pub key: String,
    /// The sums.
    pub sums: UsageSums,
    /// The session, if `thenBy` is `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<SessionInfo>,
}

/// Whether the session belongs to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IsPersistedResult {
    /// Whether the session belongs to a file.
    pub persisted: bool,
}

/// A reply, or the part of it received so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct IsSilentReplyParams {
    /// The text received so far.
    pub text: String,
    /// The token that marks a silent reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Whether more text may follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
}

impl IsSilentReplyParams {
    /// Creates params with the required members.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            token: Default::default(),
            streaming: Default::default(),
        }
    }

    setters! {
        /// The token that marks a silent reply.
        token: impl Into<String> = Some(token.into());
        /// Whether more text may follow.
        streaming: bool = Some(streaming);
    }
}

impl From<&str> for IsSilentReplyParams {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&String> for IsSilentReplyParams {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<String> for IsSilentReplyParams {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Show the text if both are false.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IsSilentReplyResult {
    /// It starts with the token, or ends with it, apart from punctuation.
    pub silent: bool,
    /// While streaming: the end of the text could become the token. Wait for more.
    pub hold: bool,
}

/// A user's label for an entry. The last label of a target applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "label")]
pub struct LabelEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// The labelled entry.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// Absent, null or empty: the label is removed.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub label: Nullable<String>,
}

impl LabelEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, target_id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            target_id: target_id.into(),
            append_mode: Default::default(),
            label: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// Absent, null or empty: the label is removed.
        label: impl Into<Nullable<String>> = label.into();
    }
}

/// The present label of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LabelResult {
    /// null: none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub label: Option<String>,
}

/// Moves the leaf of the file; written by OpenClaw. Never part of a branch.
///
/// It is ignored if one of its ids does not occur before it in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "leaf")]
pub struct LeafEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// The leaf from here on; null: before the first entry.
    #[serde(rename = "targetId", default, skip_serializing_if = "Nullable::is_absent")]
    pub target_id: Nullable<String>,
    /// The parent of OpenClaw's next entry; absent: the target. Entries with this parent still continue from the leaf.
    #[serde(rename = "appendParentId", default, skip_serializing_if = "Nullable::is_absent")]
    pub append_parent_id: Nullable<String>,
}

impl LeafEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            append_mode: Default::default(),
            target_id: Default::default(),
            append_parent_id: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// The leaf from here on; null: before the first entry.
        target_id: impl Into<Nullable<String>> = target_id.into();
        /// The parent of OpenClaw's next entry; absent: the target. Entries with this parent still continue from the leaf.
        append_parent_id: impl Into<Nullable<String>> = append_parent_id.into();
    }
}

/// The handle's position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafIdResult {
    /// null: before the first entry.
    #[serde(rename = "leafId", deserialize_with = "Option::deserialize")]
    pub leaf_id: Option<String>,
}

/// The sessions of all working directories.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListAllParams {
    /// Maximum number of sessions in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// `nextCursor` of the page before; opaque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Add `allMessagesText` to every session.
    #[serde(rename = "includeText", skip_serializing_if = "Option::is_none")]
    pub include_text: Option<bool>,
    /// Add `usage` to every session of the page.
    #[serde(rename = "includeUsage", skip_serializing_if = "Option::is_none")]
    pub include_usage: Option<bool>,
    /// Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<bool>,
    /// Add `shortId` to every session of the page.
    #[serde(rename = "includeShortId", skip_serializing_if = "Option::is_none")]
    pub include_short_id: Option<bool>,
    /// Only sessions that have a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<bool>,
    /// Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or later, or at this time (ISO 8601) or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Only sessions that were created on this day or earlier, or before this time. With `since`: the time between the creation and the last use of the session overlaps the one that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// IANA name of the time zone for days; by default that of the daemon's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Only sessions that used a model whose `provider/model` contains this text, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Only sessions of these agents, by the names of their profiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// What comes first: the latest (by default), largest, longest or most expensive session. With `used` a fork without messages of its own is as late as its creation (`lastUsed`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<ListAllSort>,
    /// Also sessions that agents began, for their subagents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagents: Option<bool>,
    /// Also transcripts that a gateway put away when a conversation ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<bool>,
    /// Only sessions with this tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Whether hidden sessions are in the list: `include` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<CatalogSubscribeHidden>,
    /// Pinned sessions come before all others.
    #[serde(rename = "pinnedFirst", skip_serializing_if = "Option::is_none")]
    pub pinned_first: Option<bool>,
    /// Token under which progress is reported; absent: no reports.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
    /// Token under which `$/progress` reports `PartialSessions` while the list is made; the answer still contains the whole page.
    #[serde(rename = "partialResultToken", skip_serializing_if = "Option::is_none")]
    pub partial_result_token: Option<Id>,
    /// A single directory to search, instead of all of the profile's.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Only sessions of the project of this directory: those of the nearest repository (a directory with `.git`) around it, else of the directory and what is below it. The home directory and `/` are no projects: there only sessions of the directory itself are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

impl ListAllParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Maximum number of sessions in the answer.
        limit: i64 = Some(limit);
        /// `nextCursor` of the page before; opaque.
        cursor: impl Into<String> = Some(cursor.into());
        /// Add `allMessagesText` to every session.
        include_text: bool = Some(include_text);
        /// Add `usage` to every session of the page.
        include_usage: bool = Some(include_usage);
        /// Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
        prices: bool = Some(prices);
        /// Add `shortId` to every session of the page.
        include_short_id: bool = Some(include_short_id);
        /// Only sessions that have a name.
        named: bool = Some(named);
        /// Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or later, or at this time (ISO 8601) or later.
        since: impl Into<String> = Some(since.into());
        /// Only sessions that were created on this day or earlier, or before this time. With `since`: the time between the creation and the last use of the session overlaps the one that is asked for.
        until: impl Into<String> = Some(until.into());
        /// IANA name of the time zone for days; by default that of the daemon's machine.
        timezone: impl Into<String> = Some(timezone.into());
        /// Only sessions that used a model whose `provider/model` contains this text, in any case.
        model: impl Into<String> = Some(model.into());
        /// Only sessions of these agents, by the names of their profiles.
        agents: Vec<String> = Some(agents);
        /// What comes first: the latest (by default), largest, longest or most expensive session. With `used` a fork without messages of its own is as late as its creation (`lastUsed`).
        sort: impl Into<ListAllSort> = Some(sort.into());
        /// Also sessions that agents began, for their subagents.
        subagents: bool = Some(subagents);
        /// Also transcripts that a gateway put away when a conversation ended.
        past: bool = Some(past);
        /// Only sessions with this tag.
        tag: impl Into<String> = Some(tag.into());
        /// Whether hidden sessions are in the list: `include` by default.
        hidden: impl Into<CatalogSubscribeHidden> = Some(hidden.into());
        /// Pinned sessions come before all others.
        pinned_first: bool = Some(pinned_first);
        /// Token under which progress is reported; absent: no reports.
        work_done_token: impl Into<Id> = Some(work_done_token.into());
        /// Token under which `$/progress` reports `PartialSessions` while the list is made; the answer still contains the whole page.
        partial_result_token: impl Into<Id> = Some(partial_result_token.into());
        /// A single directory to search, instead of all of the profile's.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Only sessions of the project of this directory: those of the nearest repository (a directory with `.git`) around it, else of the directory and what is below it. The home directory and `/` are no projects: there only sessions of the directory itself are listed.
        project: impl Into<String> = Some(project.into());
    }
}

/// The defaults for sessions, from `agents.defaults`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListDefaults {
    /// null: not configured.
    #[serde(rename = "modelProvider", deserialize_with = "Option::deserialize")]
    pub model_provider: Option<String>,
    /// null: not configured.
    #[serde(deserialize_with = "Option::deserialize")]
    pub model: Option<String>,
    /// `agents.defaults.contextTokens`, else 200,000.
    #[serde(rename = "contextTokens", serialize_with = "finite::finite")]
    pub context_tokens: f64,
}

/// The sessions of one working directory.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListParams {
    /// Working directory; resolved, `~` expanded.
    pub cwd: String,
    /// Maximum number of sessions in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// `nextCursor` of the page before; opaque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Add `allMessagesText` to every session.
    #[serde(rename = "includeText", skip_serializing_if = "Option::is_none")]
    pub include_text: Option<bool>,
    /// Add `usage` to every session of the page.
    #[serde(rename = "includeUsage", skip_serializing_if = "Option::is_none")]
    pub include_usage: Option<bool>,
    /// Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<bool>,
    /// Add `shortId` to every session of the page.
    #[serde(rename = "includeShortId", skip_serializing_if = "Option::is_none")]
    pub include_short_id: Option<bool>,
    /// Only sessions that have a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<bool>,
    /// Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or later, or at this time (ISO 8601) or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Only sessions that were created on this day or earlier, or before this time. With `since`: the time between the creation and the last use of the session overlaps the one that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// IANA name of the time zone for days; by default that of the daemon's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Only sessions that used a model whose `provider/model` contains this text, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Only sessions of these agents, by the names of their profiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// What comes first: the latest (by default), largest, longest or most expensive session. With `used` a fork without messages of its own is as late as its creation (`lastUsed`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<ListAllSort>,
    /// Also sessions that agents began, for their subagents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagents: Option<bool>,
    /// Also transcripts that a gateway put away when a conversation ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<bool>,
    /// Only sessions with this tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Whether hidden sessions are in the list: `include` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<CatalogSubscribeHidden>,
    /// Pinned sessions come before all others.
    #[serde(rename = "pinnedFirst", skip_serializing_if = "Option::is_none")]
    pub pinned_first: Option<bool>,
    /// Token under which progress is reported; absent: no reports.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
    /// Token under which `$/progress` reports `PartialSessions` while the list is made; the answer still contains the whole page.
    #[serde(rename = "partialResultToken", skip_serializing_if = "Option::is_none")]
    pub partial_result_token: Option<Id>,
    /// Directory to search instead of the profile's. If it is not the default one of `cwd`, only sessions of that `cwd` are listed.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Only sessions whose working directory is `cwd`, also in its default directory, which others with the same encoded name share (as in pi: all of them).
    #[serde(rename = "exactCwd", skip_serializing_if = "Option::is_none")]
    pub exact_cwd: Option<bool>,
}

impl ListParams {
    /// Creates params with the required members.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            limit: Default::default(),
            cursor: Default::default(),
            include_text: Default::default(),
            include_usage: Default::default(),
            prices: Default::default(),
            include_short_id: Default::default(),
            named: Default::default(),
            since: Default::default(),
            until: Default::default(),
            timezone: Default::default(),
            model: Default::default(),
            agents: Default::default(),
            sort: Default::default(),
            subagents: Default::default(),
            past: Default::default(),
            tag: Default::default(),
            hidden: Default::default(),
            pinned_first: Default::default(),
            work_done_token: Default::default(),
            partial_result_token: Default::default(),
            session_dir: Default::default(),
            exact_cwd: Default::default(),
        }
    }

    setters! {
        /// Maximum number of sessions in the answer.
        limit: i64 = Some(limit);
        /// `nextCursor` of the page before; opaque.
        cursor: impl Into<String> = Some(cursor.into());
        /// Add `allMessagesText` to every session.
        include_text: bool = Some(include_text);
        /// Add `usage` to every session of the page.
        include_usage: bool = Some(include_usage);
        /// Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
        prices: bool = Some(prices);
        /// Add `shortId` to every session of the page.
        include_short_id: bool = Some(include_short_id);
        /// Only sessions that have a name.
        named: bool = Some(named);
        /// Only sessions that were last used on this day (`YYYY-MM-DD` in `timezone`) or later, or at this time (ISO 8601) or later.
        since: impl Into<String> = Some(since.into());
        /// Only sessions that were created on this day or earlier, or before this time. With `since`: the time between the creation and the last use of the session overlaps the one that is asked for.
        until: impl Into<String> = Some(until.into());
        /// IANA name of the time zone for days; by default that of the daemon's machine.
        timezone: impl Into<String> = Some(timezone.into());
        /// Only sessions that used a model whose `provider/model` contains this text, in any case.
        model: impl Into<String> = Some(model.into());
        /// Only sessions of these agents, by the names of their profiles.
        agents: Vec<String> = Some(agents);
        /// What comes first: the latest (by default), largest, longest or most expensive session. With `used` a fork without messages of its own is as late as its creation (`lastUsed`).
        sort: impl Into<ListAllSort> = Some(sort.into());
        /// Also sessions that agents began, for their subagents.
        subagents: bool = Some(subagents);
        /// Also transcripts that a gateway put away when a conversation ended.
        past: bool = Some(past);
        /// Only sessions with this tag.
        tag: impl Into<String> = Some(tag.into());
        /// Whether hidden sessions are in the list: `include` by default.
        hidden: impl Into<CatalogSubscribeHidden> = Some(hidden.into());
        /// Pinned sessions come before all others.
        pinned_first: bool = Some(pinned_first);
        /// Token under which progress is reported; absent: no reports.
        work_done_token: impl Into<Id> = Some(work_done_token.into());
        /// Token under which `$/progress` reports `PartialSessions` while the list is made; the answer still contains the whole page.
        partial_result_token: impl Into<Id> = Some(partial_result_token.into());
        /// Directory to search instead of the profile's. If it is not the default one of `cwd`, only sessions of that `cwd` are listed.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Only sessions whose working directory is `cwd`, also in its default directory, which others with the same encoded name share (as in pi: all of them).
        exact_cwd: bool = Some(exact_cwd);
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

/// A page of sessions, in the order of `sort`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListResult {
    /// The sessions.
    pub sessions: Vec<SessionInfo>,
    /// Number of sessions on all pages.
    pub total: i64,
    /// Where the next page begins; absent: this is the last.
    #[serde(rename = "nextCursor", default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// The prices that were used; only with `prices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceData>,
    /// Files and directories that could not be read and are left out; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FileProblem>>,
}

/// The sessions in the trash that were deleted from a scope, the latest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListTrashResult {
    /// The sessions.
    pub sessions: Vec<TrashedSession>,
    /// Files and directories that could not be read and are left out; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FileProblem>>,
}

/// An agent whose sessions are listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedAgent {
    /// Name of the agent's profile.
    pub agent: AgentSummaryAgent,
    /// Directory or database of its sessions.
    #[serde(rename = "sessionsDir")]
    pub sessions_dir: String,
}

/// Messages with the roles that providers accept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LlmMessagesResult {
    /// Messages with the roles system, user, assistant and toolResult; others are converted to these.
    pub messages: Vec<Json<Message>>,
}

/// The store of one agent. `session.maintenance` and `cron` define what is removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MaintainParams {
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// `warn`: only report what `enforce` would do. Absent: that of the configuration, else `warn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<MaintainMode>,
    /// Only report what would be done.
    #[serde(rename = "dryRun", skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

impl MaintainParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// `warn`: only report what `enforce` would do. Absent: that of the configuration, else `warn`.
        mode: impl Into<MaintainMode> = Some(mode.into());
        /// Only report what would be done.
        dry_run: bool = Some(dry_run);
    }
}

/// What was done, or with `dryRun` and in mode `warn`, what would be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MaintainResult {
    /// `enforce`: entries were removed; `warn`: they would be.
    pub mode: MaintainMode,
    /// Absolute path of the store.
    #[serde(rename = "storePath")]
    pub store_path: String,
    /// Keys of sessions unused for longer than `pruneAfter`.
    pub pruned: Vec<String>,
    /// Keys of sessions beyond `maxEntries`; their transcripts stay.
    pub capped: Vec<String>,
    /// Keys of cron runs older than `cron.sessionRetention`; their transcripts stay.
    pub reaped: Vec<String>,
    /// New paths of the transcripts of pruned sessions, or their paths if nothing was done. A transcript that another session uses is not archived.
    pub archived: Vec<String>,
    /// Archives of deleted sessions older than `pruneAfter`; they were deleted from the directories in which something was archived.
    pub removed: Vec<String>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// A directory that has another path on the other side.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MappedDirectory {
    /// The directory on this side.
    pub here: String,
    /// The one in its place; `~` is the home there.
    pub there: String,
}

impl MappedDirectory {
    /// Creates params with the required members.
    pub fn new(here: impl Into<String>, there: impl Into<String>) -> Self {
        Self {
            here: here.into(),
            there: there.into(),
        }
    }
}

/// A message, by its `role`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Message {
    /// A message from a user, or from a program that acts for one.
    User(UserMessage),
    /// A message from a model.
    Assistant(AssistantMessage),
    /// The result of a tool call.
    ToolResult(ToolResultMessage),
    /// A shell command that a user ran (`!` in pi).
    BashExecution(BashExecutionMessage),
    /// A message of an extension, sent to a model as a user message.
    ///
    /// It is stored as a `custom_message` entry.
    Custom(CustomMessage),
    /// A summary of a branch that was left; made from a `branch_summary` entry and never stored.
    BranchSummary(BranchSummaryMessage),
    /// A summary that replaces earlier messages; made from a `compaction` entry and never stored.
    CompactionSummary(CompactionSummaryMessage),
    /// A part of the system prompt; all parts, applied in order, give the present prompt.
    System(SystemMessage),
    /// A value that is unknown or does not fit: its text, unchanged.
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
    /// Reads only the member `role`; works for unknown values as well.
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

/// An inbound message, with CoderClaw's names. Members that no rule reads are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MessageContext {
    /// Key of the session; overrides all other members.
    #[serde(rename = "SessionKey", skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// Sender or group, as `telegram:group:-100` or a number.
    #[serde(rename = "From", skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// `direct`, `group` or `channel`.
    #[serde(rename = "ChatType", skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<String>,
    /// Channel, if `From` does not begin with one; empty: no channel.
    #[serde(rename = "Provider", skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// `native`: a native command of the channel.
    #[serde(rename = "CommandSource", skip_serializing_if = "Option::is_none")]
    pub command_source: Option<String>,
    /// Session of a native command, used instead of `SessionKey`.
    #[serde(rename = "CommandTargetSessionKey", skip_serializing_if = "Option::is_none")]
    pub command_target_session_key: Option<String>,
    /// The text alone, at whose start a reset trigger is looked for; absent: `CommandBody`.
    #[serde(rename = "BodyForCommands", skip_serializing_if = "Option::is_none")]
    pub body_for_commands: Option<String>,
    /// Used instead of an absent `BodyForCommands`.
    #[serde(rename = "CommandBody", skip_serializing_if = "Option::is_none")]
    pub command_body: Option<String>,
    /// Used instead of an absent `CommandBody`; absent: `Body`.
    #[serde(rename = "RawBody", skip_serializing_if = "Option::is_none")]
    pub raw_body: Option<String>,
    /// The message, possibly with history, timestamps and names around it.
    #[serde(rename = "Body", skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The recipient; replies are sent to it.
    #[serde(rename = "To", skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Where replies are sent; overrides `To`.
    #[serde(rename = "OriginatingTo", skip_serializing_if = "Option::is_none")]
    pub originating_to: Option<String>,
    /// Channel to which replies are sent.
    #[serde(rename = "OriginatingChannel", skip_serializing_if = "Option::is_none")]
    pub originating_channel: Option<String>,
    /// Channel on which the message was received.
    #[serde(rename = "Surface", skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// The agent's account on the channel.
    #[serde(rename = "AccountId", skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// Thread or topic; 0 and the empty string are valid.
    #[serde(rename = "MessageThreadId", skip_serializing_if = "Option::is_none")]
    pub message_thread_id: Option<Raw>,
    /// Name of the thread; becomes that of the session.
    #[serde(rename = "ThreadLabel", skip_serializing_if = "Option::is_none")]
    pub thread_label: Option<String>,
    /// The first message of the thread.
    #[serde(rename = "ThreadStarterBody", skip_serializing_if = "Option::is_none")]
    pub thread_starter_body: Option<String>,
    /// Key of the parent session, whose transcript a new thread copies.
    #[serde(rename = "ParentSessionKey", skip_serializing_if = "Option::is_none")]
    pub parent_session_key: Option<String>,
    /// The group's title.
    #[serde(rename = "GroupSubject", skip_serializing_if = "Option::is_none")]
    pub group_subject: Option<String>,
    /// The channel's name, as `#general`.
    #[serde(rename = "GroupChannel", skip_serializing_if = "Option::is_none")]
    pub group_channel: Option<String>,
    /// Server or workspace of the channel.
    #[serde(rename = "GroupSpace", skip_serializing_if = "Option::is_none")]
    pub group_space: Option<String>,
    /// Name of the sender.
    #[serde(rename = "SenderName", skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// Display name of the conversation.
    #[serde(rename = "ConversationLabel", skip_serializing_if = "Option::is_none")]
    pub conversation_label: Option<String>,
}

impl MessageContext {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Key of the session; overrides all other members.
        session_key: impl Into<String> = Some(session_key.into());
        /// Sender or group, as `telegram:group:-100` or a number.
        from: impl Into<String> = Some(from.into());
        /// `direct`, `group` or `channel`.
        chat_type: impl Into<String> = Some(chat_type.into());
        /// Channel, if `From` does not begin with one; empty: no channel.
        provider: impl Into<String> = Some(provider.into());
        /// `native`: a native command of the channel.
        command_source: impl Into<String> = Some(command_source.into());
        /// Session of a native command, used instead of `SessionKey`.
        command_target_session_key: impl Into<String> = Some(command_target_session_key.into());
        /// The text alone, at whose start a reset trigger is looked for; absent: `CommandBody`.
        body_for_commands: impl Into<String> = Some(body_for_commands.into());
        /// Used instead of an absent `BodyForCommands`.
        command_body: impl Into<String> = Some(command_body.into());
        /// Used instead of an absent `CommandBody`; absent: `Body`.
        raw_body: impl Into<String> = Some(raw_body.into());
        /// The message, possibly with history, timestamps and names around it.
        body: impl Into<String> = Some(body.into());
        /// The recipient; replies are sent to it.
        to: impl Into<String> = Some(to.into());
        /// Where replies are sent; overrides `To`.
        originating_to: impl Into<String> = Some(originating_to.into());
        /// Channel to which replies are sent.
        originating_channel: impl Into<String> = Some(originating_channel.into());
        /// Channel on which the message was received.
        surface: impl Into<String> = Some(surface.into());
        /// The agent's account on the channel.
        account_id: impl Into<String> = Some(account_id.into());
        /// Thread or topic; 0 and the empty string are valid.
        message_thread_id: impl Into<Raw> = Some(message_thread_id.into());
        /// Name of the thread; becomes that of the session.
        thread_label: impl Into<String> = Some(thread_label.into());
        /// The first message of the thread.
        thread_starter_body: impl Into<String> = Some(thread_starter_body.into());
        /// Key of the parent session, whose transcript a new thread copies.
        parent_session_key: impl Into<String> = Some(parent_session_key.into());
        /// The group's title.
        group_subject: impl Into<String> = Some(group_subject.into());
        /// The channel's name, as `#general`.
        group_channel: impl Into<String> = Some(group_channel.into());
        /// Server or workspace of the channel.
        group_space: impl Into<String> = Some(group_space.into());
        /// Name of the sender.
        sender_name: impl Into<String> = Some(sender_name.into());
        /// Display name of the conversation.
        conversation_label: impl Into<String> = Some(conversation_label.into());
    }
}

/// Messages of the whole file, including other branches and compacted messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MessageFigures {
    /// Number of messages by role; the key is empty for messages without a role. An answer that an agent keeps in several entries (`partOf`) is one message.
    #[serde(rename = "byRole")]
    pub by_role: BTreeMap<String, i64>,
}

/// The messages to measure: send exactly one of the two members.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MessagesParams {
    /// Handle of the session: measure the context at its leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Messages in order, each an object with a string `role`. Other members that are missing or have an unexpected type count as 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Json<Message>>>,
}

impl MessagesParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Handle of the session: measure the context at its leaf.
        session: impl Into<String> = Some(session.into());
        /// Messages in order, each an object with a string `role`. Other members that are missing or have an unexpected type count as 0.
        messages: Vec<Json<Message>> = Some(messages);
    }
}

/// A change of the model by the user; it applies from here on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "model_change")]
pub struct ModelChangeEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// Provider of the model, such as `anthropic`.
    pub provider: String,
    /// Id of the model.
    #[serde(rename = "modelId")]
    pub model_id: String,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
}

impl ModelChangeEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, provider: impl Into<String>, model_id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            provider: provider.into(),
            model_id: model_id.into(),
            append_mode: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
    }
}

/// Messages, tokens and cost of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelFigures {
    /// Empty, like `model`, for usage that names no model.
    pub provider: String,
    /// Id of the model.
    pub model: String,
    /// Number of its assistant messages.
    pub messages: i64,
    /// Numbers of tokens.
    pub tokens: TokenFigures,
    /// Absent: there is usage, and none of it records a cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostFigures>,
    /// Number of entries with usage that record no cost: the true cost is higher. Absent: there are none.
    #[serde(rename = "withoutCost", default, skip_serializing_if = "Option::is_none")]
    pub without_cost: Option<i64>,
    /// Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calculated: Option<i64>,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelRef {
    /// Provider of the model, such as `anthropic`.
    pub provider: String,
    /// Id of the model.
    #[serde(rename = "modelId")]
    pub model_id: String,
}

/// The usage of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelUsage {
    /// Empty, like `model`, for usage that names no model.
    pub provider: String,
    /// Id of the model.
    pub model: String,
    /// The sums.
    pub sums: UsageSums,
}

/// The entry to move to.
///
/// The conditions hold for the move, too; `newEntryId` is the id of the label's entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NavigateParams {
    /// If it is a user message or custom message, its parent becomes the leaf, and its text is answered for editing. Any other entry becomes the leaf itself. If it is the leaf already, nothing happens.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
    #[serde(rename = "newEntryId", skip_serializing_if = "Option::is_none")]
    pub new_entry_id: Option<String>,
    /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
    #[serde(rename = "expectedLeafId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_leaf_id: Nullable<String>,
    /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
    #[serde(rename = "expectedTipId", skip_serializing_if = "Nullable::is_absent")]
    pub expected_tip_id: Nullable<String>,
    /// Label for the target. It is stored in an entry under the new leaf, and that entry becomes the leaf. Absent, null or empty: no label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl NavigateParams {
    /// Creates params with the required members.
    pub fn new(target_id: impl Into<String>) -> Self {
        Self {
            target_id: target_id.into(),
            new_entry_id: Default::default(),
            expected_leaf_id: Default::default(),
            expected_tip_id: Default::default(),
            label: Default::default(),
        }
    }

    setters! {
        /// Id of the new entry, for safe retries: if this entry exists already, it is the answer and nothing is written. If another entry has the id, the answer is `IdConflict`. Absent: the daemon chooses 8 hexadecimal digits.
        new_entry_id: impl Into<String> = Some(new_entry_id.into());
        /// Write only if this is the handle's leaf (null: before the first entry); otherwise `LeafConflict`.
        expected_leaf_id: impl Into<Nullable<String>> = expected_leaf_id.into();
        /// Write only if this is the last entry of the file (null: there is none), which means that no other program has written in between; otherwise `LeafConflict`.
        expected_tip_id: impl Into<Nullable<String>> = expected_tip_id.into();
        /// Label for the target. It is stored in an entry under the new leaf, and that entry becomes the leaf. Absent, null or empty: no label.
        label: impl Into<String> = Some(label.into());
    }
}

impl From<&str> for NavigateParams {
    fn from(target_id: &str) -> Self {
        Self::new(target_id)
    }
}

impl From<&String> for NavigateParams {
    fn from(target_id: &String) -> Self {
        Self::new(target_id)
    }
}

impl From<String> for NavigateParams {
    fn from(target_id: String) -> Self {
        Self::new(target_id)
    }
}

/// The new position of the handle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NavigateResult {
    /// null: before the first entry.
    #[serde(rename = "leafId", deserialize_with = "Option::deserialize")]
    pub leaf_id: Option<String>,
    /// Text of the user or custom message, for the user to edit.
    #[serde(rename = "editorText", default, skip_serializing_if = "Option::is_none")]
    pub editor_text: Option<String>,
}

/// A new session for an existing handle; the working directory stays the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NewSessionParams {
    /// Id of the new session, as in `session/create`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Path of the parent session; stored in the header.
    #[serde(rename = "parentSession", skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
}

impl NewSessionParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Id of the new session, as in `session/create`.
        id: impl Into<String> = Some(id.into());
        /// Path of the parent session; stored in the header.
        parent_session: impl Into<String> = Some(parent_session.into());
    }
}

/// A node of the tree, by `detail`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Node {
    /// An entry in the tree, complete.
    TreeNode(TreeNode),
    /// An entry in the tree, without its content.
    OutlineNode(OutlineNode),
    /// A value that is unknown or does not fit: its text, unchanged.
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

/// A session to open, by its file or its id.
///
/// If the file is missing or empty, a new session is created there. A missing file whose name does
/// not end in `.jsonl`, such as an id, is `SessionNotFound`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OpenParams {
    /// The session file; absent: `id` names the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Instead of `path`: the whole id of a session in any directory that the daemon serves; of several files with one id the latest counts. An unknown id is `SessionNotFound`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Directory for sessions branched off this one; absent: the directory of the file.
    #[serde(rename = "sessionDir", skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
    /// Working directory to use instead of the one in the header; with `id`: only a session of this working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Refuse writes; a file of an older version is migrated in memory only.
    #[serde(rename = "readOnly", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The handle's leaf (null: before the first entry), such as the one it had on an earlier connection. Absent, or while the file has no such entry: the leaf of the file.
    #[serde(rename = "leafId", skip_serializing_if = "Nullable::is_absent")]
    pub leaf_id: Nullable<String>,
    /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
    /// Refuse a missing file (`SessionNotFound`).
    #[serde(rename = "mustExist", skip_serializing_if = "Option::is_none")]
    pub must_exist: Option<bool>,
    /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl OpenParams {
    /// Creates params with the required members.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: Some(path.into()),
            id: Default::default(),
            session_dir: Default::default(),
            cwd: Default::default(),
            read_only: Default::default(),
            leaf_id: Default::default(),
            follow: Default::default(),
            must_exist: Some(true),
            session: Default::default(),
        }
    }

    setters! {
        /// The session file; absent: `id` names the session.
        path: impl Into<String> = Some(path.into());
        /// Instead of `path`: the whole id of a session in any directory that the daemon serves; of several files with one id the latest counts. An unknown id is `SessionNotFound`.
        id: impl Into<String> = Some(id.into());
        /// Directory for sessions branched off this one; absent: the directory of the file.
        session_dir: impl Into<String> = Some(session_dir.into());
        /// Working directory to use instead of the one in the header; with `id`: only a session of this working directory.
        cwd: impl Into<String> = Some(cwd.into());
        /// Refuse writes; a file of an older version is migrated in memory only.
        read_only: bool = Some(read_only);
        /// The handle's leaf (null: before the first entry), such as the one it had on an earlier connection. Absent, or while the file has no such entry: the leaf of the file.
        leaf_id: impl Into<Nullable<String>> = leaf_id.into();
        /// Move the handle's leaf whenever the leaf of the file moves, so that appends of others and own ones continue one branch. A handle that is moved to another entry stops following.
        follow: bool = Some(follow);
        /// Refuse a missing file (`SessionNotFound`).
        must_exist: bool = Some(must_exist);
        /// The handle to give; one that is in use on this connection is `InvalidParams`. Absent: the daemon chooses.
        session: impl Into<String> = Some(session.into());
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

/// Other processes that have the session open for writing, as far as is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OtherProcesses {
    /// Ids of the processes.
    pub pids: Vec<i64>,
}

/// An entry in the tree, without its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutlineNode {
    /// Id of the entry.
    pub id: String,
    /// As in the entry.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// Ids of the children, by time.
    pub children: Vec<String>,
    /// Type of the entry.
    #[serde(rename = "type")]
    pub type_: String,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// The beginning of its text, at most 120 characters.
    pub preview: String,
    /// Role of a message entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The parts of `agent:<agentId>:<rest>`, in their original case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParsedKey {
    /// Id of the agent.
    #[serde(rename = "agentId")]
    pub agent_id: String,
    /// The key without the agent.
    pub rest: String,
}

/// The sorted list of the sessions read so far, up to the `limit` of the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartialSessions {
    /// The sessions.
    pub sessions: Vec<SessionInfo>,
}

/// A session before its next turn. Exactly one of `entry` and `sessionKey`.
///
/// With `entry` no file is read, and an absent `config` is then empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlanMemoryFlushParams {
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Key, in any spelling that a gateway accepts; the store is read.
    #[serde(rename = "sessionKey", skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// Entry of the session; the rule reads `totalTokens`, `totalTokensFresh`, `compactionCount` and `memoryFlushCompactionCount`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<BTreeMap<String, Raw>>,
    /// Context window; absent: `agents.defaults.contextTokens`, else 200,000.
    #[serde(rename = "contextWindow", skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub context_window: Option<f64>,
    /// Whether the turn is sandboxed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandboxed: Option<bool>,
    /// Access of the sandbox: `none`, `ro` or `rw`; a flush needs `rw`.
    #[serde(rename = "workspaceAccess", skip_serializing_if = "Option::is_none")]
    pub workspace_access: Option<String>,
    /// Whether the turn is a heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heartbeat: Option<bool>,
    /// Whether the model is run as a command.
    #[serde(rename = "cliProvider", skip_serializing_if = "Option::is_none")]
    pub cli_provider: Option<bool>,
    /// Time in the prompt, in milliseconds since the epoch; absent: the host's time.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub now: Option<f64>,
    /// IANA name of the time zone in the prompt; absent: `agents.defaults.userTimezone`, else the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

impl PlanMemoryFlushParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Key, in any spelling that a gateway accepts; the store is read.
        session_key: impl Into<String> = Some(session_key.into());
        /// Entry of the session; the rule reads `totalTokens`, `totalTokensFresh`, `compactionCount` and `memoryFlushCompactionCount`.
        entry: impl Into<BTreeMap<String, Raw>> = Some(entry.into());
        /// Context window; absent: `agents.defaults.contextTokens`, else 200,000.
        context_window: f64 = Some(context_window);
        /// Whether the turn is sandboxed.
        sandboxed: bool = Some(sandboxed);
        /// Access of the sandbox: `none`, `ro` or `rw`; a flush needs `rw`.
        workspace_access: impl Into<String> = Some(workspace_access.into());
        /// Whether the turn is a heartbeat.
        heartbeat: bool = Some(heartbeat);
        /// Whether the model is run as a command.
        cli_provider: bool = Some(cli_provider);
        /// Time in the prompt, in milliseconds since the epoch; absent: the host's time.
        now: f64 = Some(now);
        /// IANA name of the time zone in the prompt; absent: `agents.defaults.userTimezone`, else the host's.
        timezone: impl Into<String> = Some(timezone.into());
    }
}

/// Whether to run a turn that saves memories first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlanMemoryFlushResult {
    /// Whether to run a turn that saves memories first.
    pub flush: bool,
    /// `due`, or the first reason why not.
    pub reason: PlanMemoryFlushReason,
    /// Number of tokens at which the flush is due; 0: the context window is too small.
    pub threshold: i64,
    /// Prompt for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Text to append to its system prompt, after a blank line.
    #[serde(rename = "systemPrompt", default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// The entry to continue from, and limits for the summary.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PrepareBranchSummaryParams {
    /// The entry to continue from.
    #[serde(rename = "targetId")]
    pub target_id: String,
    /// Maximum number of tokens of messages; the newest are kept. Absent or 0: no limit. pi uses the context window (128,000 if unknown) minus 16,384.
    #[serde(rename = "tokenBudget", skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<i64>,
    /// Add the complete prompts for the model.
    #[serde(rename = "includePrompts", skip_serializing_if = "Option::is_none")]
    pub include_prompts: Option<bool>,
    /// Instructions for the summary, added to the prompt.
    #[serde(rename = "customInstructions", skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// Use `customInstructions` instead of the standard instructions.
    #[serde(rename = "replaceInstructions", skip_serializing_if = "Option::is_none")]
    pub replace_instructions: Option<bool>,
}

impl PrepareBranchSummaryParams {
    /// Creates params with the required members.
    pub fn new(target_id: impl Into<String>) -> Self {
        Self {
            target_id: target_id.into(),
            token_budget: Default::default(),
            include_prompts: Default::default(),
            custom_instructions: Default::default(),
            replace_instructions: Default::default(),
        }
    }

    setters! {
        /// Maximum number of tokens of messages; the newest are kept. Absent or 0: no limit. pi uses the context window (128,000 if unknown) minus 16,384.
        token_budget: i64 = Some(token_budget);
        /// Add the complete prompts for the model.
        include_prompts: bool = Some(include_prompts);
        /// Instructions for the summary, added to the prompt.
        custom_instructions: impl Into<String> = Some(custom_instructions.into());
        /// Use `customInstructions` instead of the standard instructions.
        replace_instructions: bool = Some(replace_instructions);
    }
}

impl From<&str> for PrepareBranchSummaryParams {
    fn from(target_id: &str) -> Self {
        Self::new(target_id)
    }
}

impl From<&String> for PrepareBranchSummaryParams {
    fn from(target_id: &String) -> Self {
        Self::new(target_id)
    }
}

impl From<String> for PrepareBranchSummaryParams {
    fn from(target_id: String) -> Self {
        Self::new(target_id)
    }
}

/// The part of the branch that is left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PrepareBranchSummaryResult {
    /// Deepest entry that is on both branches; null: there is none.
    #[serde(rename = "commonAncestorId", deserialize_with = "Option::deserialize")]
    pub common_ancestor_id: Option<String>,
    /// The entries after the common ancestor up to the leaf; may be empty.
    pub entries: Vec<Json<Entry>>,
    /// Messages of the entries within the budget, after context edits, without tool results.
    pub messages: Vec<Json<Message>>,
    /// Files that the summarized messages used.
    #[serde(rename = "fileOps")]
    pub file_ops: FileOperations,
    /// Estimated tokens of `messages`.
    #[serde(rename = "totalTokens")]
    pub total_tokens: i64,
    /// Only with `includePrompts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<BranchPrompts>,
}

/// Settings of the plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PrepareCompactionParams {
    /// The settings of compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<CompactionSettings>,
    /// Add the complete prompts for the model.
    #[serde(rename = "includePrompts", skip_serializing_if = "Option::is_none")]
    pub include_prompts: Option<bool>,
    /// Instructions for the summaries, added to the prompts.
    #[serde(rename = "customInstructions", skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
}

impl PrepareCompactionParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// The settings of compaction.
        settings: impl Into<CompactionSettings> = Some(settings.into());
        /// Add the complete prompts for the model.
        include_prompts: bool = Some(include_prompts);
        /// Instructions for the summaries, added to the prompts.
        custom_instructions: impl Into<String> = Some(custom_instructions.into());
    }
}

/// A plan, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PrepareCompactionResult {
    /// null: there is nothing to compact.
    #[serde(deserialize_with = "Option::deserialize")]
    pub preparation: Option<CompactionPreparation>,
    /// Why there is nothing to compact, in pi's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<PrepareCompactionReason>,
}

/// The prices with which costs were calculated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PriceData {
    /// The package that carries them.
    pub package: String,
    /// Its version, which says how old they are.
    pub version: String,
}

/// Progress of the request that carried the token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgressParams {
    /// The token from the request.
    pub token: Id,
    /// `WorkDoneProgress` or `PartialSessions`, depending on the token.
    pub value: Json<ProgressValue>,
}

/// The value of `$/progress`, by its token.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ProgressValue {
    /// The progress of a request: one `begin`, any number of `report`s, one `end`.
    WorkDoneProgress(WorkDoneProgress),
    /// The sorted list of the sessions read so far, up to the `limit` of the request.
    PartialSessions(PartialSessions),
    /// A value that is unknown or does not fit: its text, unchanged.
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

/// An entry and the messages that it contributes to the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectedEntry {
    /// The entry.
    #[serde(rename = "sourceEntry")]
    pub source_entry: Json<Entry>,
    /// Messages after context edits; empty: the entry contributes none.
    pub messages: Vec<Json<Message>>,
}

/// The present state of an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PublishDraftParams {
    /// The whole message as far as it goes, with a `role`, of at most 256 kB; null: there is none.
    pub message: Option<Json<Message>>,
}

impl PublishDraftParams {
    /// Creates params with the required members.
    pub fn new(message: impl Into<Option<Json<Message>>>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl From<Option<Json<Message>>> for PublishDraftParams {
    fn from(message: Option<Json<Message>>) -> Self {
        Self::new(message)
    }
}

/// A compaction that took place; at most one is counted per run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecordCompactionParams {
    /// Key of the session, in any spelling that a gateway accepts.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Estimated tokens of the context now, if not above the number before; it also removes `inputTokens` and `outputTokens`. Absent or 0: unknown.
    #[serde(rename = "tokensAfter", skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub tokens_after: Option<f64>,
}

impl RecordCompactionParams {
    /// Creates params with the required members.
    pub fn new(session_key: impl Into<String>) -> Self {
        Self {
            session_key: session_key.into(),
            agent_id: Default::default(),
            store_path: Default::default(),
            config: Default::default(),
            tokens_after: Default::default(),
        }
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Estimated tokens of the context now, if not above the number before; it also removes `inputTokens` and `outputTokens`. Absent or 0: unknown.
        tokens_after: f64 = Some(tokens_after);
    }
}

impl From<&str> for RecordCompactionParams {
    fn from(session_key: &str) -> Self {
        Self::new(session_key)
    }
}

impl From<&String> for RecordCompactionParams {
    fn from(session_key: &String) -> Self {
        Self::new(session_key)
    }
}

impl From<String> for RecordCompactionParams {
    fn from(session_key: String) -> Self {
        Self::new(session_key)
    }
}

/// The entry after the change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordCompactionResult {
    /// null: the store has no entry under the key; nothing was written.
    #[serde(deserialize_with = "Option::deserialize")]
    pub entry: Option<BTreeMap<String, Raw>>,
    /// Compactions of the session, with this one; null: no entry.
    #[serde(serialize_with = "finite::finite", deserialize_with = "Option::deserialize")]
    pub count: Option<f64>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// A turn that saved memories successfully.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecordMemoryFlushParams {
    /// Key of the session, in any spelling that a gateway accepts.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Number of compactions that ended during the turn; more than one count as one. The next flush is due only after another compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compactions: Option<i64>,
}

impl RecordMemoryFlushParams {
    /// Creates params with the required members.
    pub fn new(session_key: impl Into<String>) -> Self {
        Self {
            session_key: session_key.into(),
            agent_id: Default::default(),
            store_path: Default::default(),
            config: Default::default(),
            compactions: Default::default(),
        }
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Number of compactions that ended during the turn; more than one count as one. The next flush is due only after another compaction.
        compactions: i64 = Some(compactions);
    }
}

impl From<&str> for RecordMemoryFlushParams {
    fn from(session_key: &str) -> Self {
        Self::new(session_key)
    }
}

impl From<&String> for RecordMemoryFlushParams {
    fn from(session_key: &String) -> Self {
        Self::new(session_key)
    }
}

impl From<String> for RecordMemoryFlushParams {
    fn from(session_key: String) -> Self {
        Self::new(session_key)
    }
}

/// The entry after the change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordResult {
    /// null: the store has no entry under the key; nothing was written.
    #[serde(deserialize_with = "Option::deserialize")]
    pub entry: Option<BTreeMap<String, Raw>>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// The usage of a run.
///
/// If `usage` has a count above 0, `inputTokens` and `outputTokens` become those of the run, and
/// `totalTokens` becomes the size of the last prompt: `promptTokens`, else input and cache of
/// `lastCallUsage`, else its sum, else its input. If none of these is known, `totalTokens` is
/// removed and `totalTokensFresh` is false.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecordUsageParams {
    /// Key of the session, in any spelling that a gateway accepts.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Sum over all calls of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenCounts>,
    /// Usage of the last call.
    #[serde(rename = "lastCallUsage", skip_serializing_if = "Option::is_none")]
    pub last_call_usage: Option<TokenCounts>,
    /// Size of the last prompt, if it is known exactly; 0: unknown.
    #[serde(rename = "promptTokens", skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub prompt_tokens: Option<f64>,
    /// The model that answered; absent: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Provider of the model; absent: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model's context window. Absent or 0: `agents.defaults.contextTokens`, else the previous value, else 200,000.
    #[serde(rename = "contextWindow", skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub context_window: Option<f64>,
    /// The parts of the system prompt; absent: unchanged.
    #[serde(rename = "systemPromptReport", skip_serializing_if = "Option::is_none")]
    pub system_prompt_report: Option<BTreeMap<String, Raw>>,
}

impl RecordUsageParams {
    /// Creates params with the required members.
    pub fn new(session_key: impl Into<String>) -> Self {
        Self {
            session_key: session_key.into(),
            agent_id: Default::default(),
            store_path: Default::default(),
            config: Default::default(),
            usage: Default::default(),
            last_call_usage: Default::default(),
            prompt_tokens: Default::default(),
            model: Default::default(),
            provider: Default::default(),
            context_window: Default::default(),
            system_prompt_report: Default::default(),
        }
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Sum over all calls of the run.
        usage: impl Into<TokenCounts> = Some(usage.into());
        /// Usage of the last call.
        last_call_usage: impl Into<TokenCounts> = Some(last_call_usage.into());
        /// Size of the last prompt, if it is known exactly; 0: unknown.
        prompt_tokens: f64 = Some(prompt_tokens);
        /// The model that answered; absent: unchanged.
        model: impl Into<String> = Some(model.into());
        /// Provider of the model; absent: unchanged.
        provider: impl Into<String> = Some(provider.into());
        /// The model's context window. Absent or 0: `agents.defaults.contextTokens`, else the previous value, else 200,000.
        context_window: f64 = Some(context_window);
        /// The parts of the system prompt; absent: unchanged.
        system_prompt_report: impl Into<BTreeMap<String, Raw>> = Some(system_prompt_report.into());
    }
}

impl From<&str> for RecordUsageParams {
    fn from(session_key: &str) -> Self {
        Self::new(session_key)
    }
}

impl From<&String> for RecordUsageParams {
    fn from(session_key: &String) -> Self {
        Self::new(session_key)
    }
}

impl From<String> for RecordUsageParams {
    fn from(session_key: String) -> Self {
        Self::new(session_key)
    }
}

/// A new name for a session, which need not be open.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RenameParams {
    /// The session file, which must exist.
    pub path: String,
    /// Line breaks become a space and white space at the ends is removed; an empty name clears it.
    pub name: String,
    /// Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
}

impl RenameParams {
    /// Creates params with the required members.
    pub fn new(path: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            name: name.into(),
            change: Default::default(),
        }
    }

    setters! {
        /// Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row with the same name are taken back together.
        change: impl Into<String> = Some(change.into());
    }
}

/// The entry that stores the name.
///
/// It is appended under the last entry of the file, so that no part of the transcript leaves the
/// active branch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RenameResult {
    /// Id of the `session_info` entry.
    pub id: String,
    /// Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the change had no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoable: Option<bool>,
}

/// One action of a repair, done or planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RepairAction {
    /// Kind of the problem that it solves, or `oldVersion`: a damaged file of version 1 or 2 is migrated as well.
    pub kind: String,
    /// Text for people.
    pub message: String,
    /// Number of the line in the file before the repair; absent: the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
}

/// A file to repair.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RepairParams {
    /// The session file.
    pub path: String,
    /// true: only report what would be done. false: repair the file.
    #[serde(rename = "dryRun")]
    pub dry_run: bool,
}

impl RepairParams {
    /// Creates params with the required members.
    pub fn new(path: impl Into<String>, dry_run: bool) -> Self {
        Self {
            path: path.into(),
            dry_run,
        }
    }
}

/// The problems and the actions.
///
/// Problems without an action stay in the file; readers skip them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RepairResult {
    /// As found, in order of lines.
    pub problems: Vec<Diagnostic>,
    /// In order of lines; empty: nothing needs to be done.
    pub actions: Vec<RepairAction>,
    /// Copy of the file before the repair, `<file>.bak-<time>` in the same directory; absent: nothing was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}

/// The content that replaces the content of an entry in the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// The new content.
    pub content: Json<Content>,
}

impl Replacement {
    /// Creates params with the required members.
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

/// Starts the context again after this entry; written by OpenClaw for a new conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "reset")]
pub struct ResetEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// Such as `new` or `reset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// First earlier entry that stays in the context; absent: no entry stays.
    #[serde(rename = "firstKeptEntryId", default, skip_serializing_if = "Nullable::is_absent")]
    pub first_kept_entry_id: Nullable<String>,
}

impl ResetEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            append_mode: Default::default(),
            reason: Default::default(),
            first_kept_entry_id: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// Such as `new` or `reset`.
        reason: impl Into<String> = Some(reason.into());
        /// First earlier entry that stays in the context; absent: no entry stays.
        first_kept_entry_id: impl Into<Nullable<String>> = first_kept_entry_id.into();
    }
}

/// When a session is reset.
///
/// In mode `daily` both the hour and the idle minutes apply, whichever expires first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResetPolicy {
    /// `daily`: expires at an hour of the day; `idle`: only after time without use.
    pub mode: PolicyMode,
    /// Hour of the daily reset, in local time.
    #[serde(rename = "atHour")]
    pub at_hour: i64,
    /// Minutes without use after which the session expires; absent: it does not expire by idleness.
    #[serde(rename = "idleMinutes", default, skip_serializing_if = "Option::is_none")]
    pub idle_minutes: Option<i64>,
}

/// Exactly one of `context` and `key`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResolveKeyParams {
    /// A message of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<InboundContext>,
    /// A key as people and old stores write it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// The agent of a `key` that names none; absent: the default agent.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}

impl ResolveKeyParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// A message of the session.
        context: impl Into<InboundContext> = Some(context.into());
        /// A key as people and old stores write it.
        key: impl Into<String> = Some(key.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// The agent of a `key` that names none; absent: the default agent.
        agent_id: impl Into<String> = Some(agent_id.into());
    }
}

/// The canonical key of a session, and facts that follow from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResolveKeyResult {
    /// Empty for a blank key.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// `direct`, `group`, `global` or `unknown`, by the key.
    pub kind: ResolveKeyKind,
    /// Agent whose store has the session.
    #[serde(rename = "agentId")]
    pub agent_id: String,
    /// The parts of `key` as it was sent (with `context`: of `sessionKey`); null: it does not name an agent.
    #[serde(deserialize_with = "Option::deserialize")]
    pub parsed: Option<ParsedKey>,
    /// Other keys under which an old store may have the session. They and `sessionKey` may occur there in upper or lower case.
    pub aliases: Vec<String>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// A session to restore from the trash.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RestoreParams {
    /// Path of the file before it was deleted. If several files with this path were deleted, the latest is restored. An existing file is never replaced.
    pub path: String,
}

impl RestoreParams {
    /// Creates params with the required members.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
        }
    }
}

impl From<&str> for RestoreParams {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

impl From<&String> for RestoreParams {
    fn from(path: &String) -> Self {
        Self::new(path)
    }
}

impl From<String> for RestoreParams {
    fn from(path: String) -> Self {
        Self::new(path)
    }
}

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SearchHit {
    /// The session.
    pub info: SessionInfo,
    /// Lower is better: the sum over words and phrases of pi 1.6.0's scores. Below 1,000,000 for a match in the name, 1,000,000 in the id, a message or the working directory, about 2,000,000 for scattered characters.
    #[serde(serialize_with = "finite::finite")]
    pub distance: f64,
    /// Up to three texts in file order: first those with all words and phrases are chosen, then those with the most and rarest.
    pub snippets: Vec<SearchSnippet>,
    /// Number of texts with any of the words and phrases; 0 if the session matches by its name, id or directory alone.
    #[serde(rename = "matchCount")]
    pub match_count: i64,
    /// True: only the first 40 texts with all words and the first 40 with each were counted, and there are more.
    #[serde(rename = "hasMoreMatches", default, skip_serializing_if = "Option::is_none")]
    pub has_more_matches: Option<bool>,
    /// Paths of other hits of this page that have the same texts of the same entries, as forks do.
    #[serde(rename = "alsoIn", default, skip_serializing_if = "Option::is_none")]
    pub also_in: Option<Vec<String>>,
}

/// A part of a text, on one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SearchSnippet {
    /// Id of the message's entry; empty if the entry has none.
    #[serde(rename = "entryId")]
    pub entry_id: String,
    /// Role of the message.
    pub role: SearchSnippetRole,
    /// At most 240 characters, with the first match in the first 60; control characters are replaced by spaces. Where the text is cut, at a word if one is near, is an ellipsis.
    pub text: String,
    /// Start and end (exclusive) of each match in `text`, in units of the connection's `positionEncoding`.
    pub ranges: Vec<(i64, i64)>,
    /// Absent: `said`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<SearchSnippetField>,
    /// When it was said or done; absent: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Of a call or a result: the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Of a call: the file that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// False: the entry is not on the branch that the session is opened at. Absent: it is, or that is not known: a page of hits reads 16 MB of sessions at most for it.
    #[serde(rename = "onCurrentBranch", default, skip_serializing_if = "Option::is_none")]
    pub on_current_branch: Option<bool>,
}

/// Another search, which finds something; what is absent stays as it was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SearchSuggestion {
    /// What to search for.
    pub query: String,
    /// Number of its hits.
    pub total: i64,
    /// The fields that have the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<SearchSuggestionFields>>,
    /// True: without `cwd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub everywhere: Option<bool>,
}

/// A conversation as one text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SerializeResult {
    /// The text has no thinking. Tool results are cut after 2,000 UTF-16 code units, never inside a character.
    pub text: String,
}

/// Capabilities of the daemon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// Framing of this connection, in both directions.
    pub framing: ServerCapabilitiesFraming,
    /// Names of all methods and notifications that the daemon accepts.
    pub methods: Vec<String>,
    /// Names of all notifications that the daemon may send.
    pub notifications: Vec<String>,
}

/// The daemon's name and version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerInfo {
    /// Version of the program.
    pub version: String,
    /// Name of the program.
    pub name: ServerInfoName,
}

/// The present work of the agent of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionActivity {
    /// `waiting`: for a person. Later versions may add states.
    pub state: ActivityState,
    /// Its work, or the thing it waits for; text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The context for a model, before its messages are converted to the roles of a provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionContextResult {
    /// The messages.
    pub messages: Vec<Json<Message>>,
    /// `off` unless the branch sets another level.
    #[serde(rename = "thinkingLevel")]
    pub thinking_level: String,
    /// null: the branch sets no model.
    #[serde(deserialize_with = "Option::deserialize")]
    pub model: Option<ModelRef>,
}

/// The present draft of a session, unless this handle published it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionDidChangeDraftParams {
    /// Handle of the session.
    pub session: String,
    /// Replaces the draft before; null: there is none any more.
    #[serde(deserialize_with = "Option::deserialize")]
    pub draft: Option<Draft>,
}

/// A change of a session's file that was not made through this handle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionDidChangeParams {
    /// Handle of the session.
    pub session: String,
    /// Number of this notification: one more than that of the notification before it for the handle, so that a lost one is noticed.
    pub sequence: i64,
    /// Absolute path of the file.
    pub path: String,
    /// Number of times the file was loaded again because another program had rewritten it.
    pub generation: i64,
    /// After `deleted` or `invalid`, reads answer the last valid state until `restored` or `rewritten`.
    pub kind: SessionDidChangeKind,
    /// The handle's present leaf; null: before the first entry.
    #[serde(rename = "leafId", deserialize_with = "Option::deserialize")]
    pub leaf_id: Option<String>,
    /// Last entry of the file at present; null: there is none.
    #[serde(rename = "tipId", deserialize_with = "Option::deserialize")]
    pub tip_id: Option<String>,
    /// Present number of entries.
    #[serde(rename = "entryCount")]
    pub entry_count: i64,
    /// The appended entries, in file order; none if what was appended is no entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<EntryFacts>>,
    /// Present name; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The first 100 problems of lines appended since the notification before, also of a last line that has no end yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<Diagnostic>>,
}

/// The directory for sessions branched off this one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionDirResult {
    /// Directory of the session's file.
    #[serde(rename = "sessionDir")]
    pub session_dir: String,
}

/// Path of the session's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionFileResult {
    /// Absolute path, also before the file is written; null for a session in memory.
    #[serde(rename = "sessionFile", deserialize_with = "Option::deserialize")]
    pub session_file: Option<String>,
}

/// The first line of a session file; not part of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session")]
pub struct SessionHeader {
    /// Id of the session.
    pub id: String,
    /// Start of the session; ISO 8601 UTC.
    pub timestamp: String,
    /// Working directory.
    pub cwd: String,
    /// Version of the file format; absent: 1. OpenClaw may write 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Path of the session this one was forked from.
    #[serde(rename = "parentSession", default, skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
    /// The name of `parentSession` in version 1.
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

impl SessionHeader {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, timestamp: impl Into<String>, cwd: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            timestamp: timestamp.into(),
            cwd: cwd.into(),
            version: Default::default(),
            parent_session: Default::default(),
            branched_from: Default::default(),
            provider: Default::default(),
            model_id: Default::default(),
            thinking_level: Default::default(),
        }
    }

    setters! {
        /// Version of the file format; absent: 1. OpenClaw may write 4.
        version: i64 = Some(version);
        /// Path of the session this one was forked from.
        parent_session: impl Into<String> = Some(parent_session.into());
        /// The name of `parentSession` in version 1.
        branched_from: impl Into<String> = Some(branched_from.into());
        /// Initial provider; only version 1 wrote it.
        provider: impl Into<String> = Some(provider.into());
        /// Initial model; only version 1 wrote it.
        model_id: impl Into<String> = Some(model_id.into());
        /// Initial thinking level; only version 1 wrote it.
        thinking_level: impl Into<String> = Some(thinking_level.into());
    }
}

/// The file in which a mirrored session is written; its copy in the store is read-only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionHome {
    /// Name of the host, as its mirror gives it.
    pub host: String,
    /// Absolute path of the file on that host.
    pub path: String,
}

/// The id in the session's header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionIdResult {
    /// Id of the session.
    #[serde(rename = "sessionId")]
    pub session_id: String,
}

/// A session as lists show it. All times are ISO 8601 UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Absolute path of the file.
    pub path: String,
    /// Id in the session's header.
    pub id: String,
    /// Working directory; empty: the header has none.
    pub cwd: String,
    /// Time from the header.
    pub created: String,
    /// Time of the latest user or assistant message; without one, that of the header or of the file.
    pub modified: String,
    /// Number of message entries of any role.
    #[serde(rename = "messageCount")]
    pub message_count: i64,
    /// Text of the first user message, or `(no messages)`.
    #[serde(rename = "firstMessage")]
    pub first_message: String,
    /// Size of the file in bytes.
    #[serde(rename = "sizeBytes")]
    pub size_bytes: i64,
    /// With `allAgents`: profile of its agent; absent: it is in no agent's place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Name given by a user; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path of the session it was forked from, from the header; of a subagent's session, that of the session that began it.
    #[serde(rename = "parentSessionPath", default, skip_serializing_if = "Option::is_none")]
    pub parent_session_path: Option<String>,
    /// Present: an agent began the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<SubagentRun>,
    /// True: a gateway put the transcript away when its conversation ended.
    #[serde(rename = "isPast", default, skip_serializing_if = "Option::is_none")]
    pub is_past: Option<bool>,
    /// When a fork was created, if it has no later message; absent: `modified` says when the session was last used.
    #[serde(rename = "lastUsed", default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<String>,
    /// Differs whenever the session has changed, also by a rename; opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Set by `catalog/setMarks`; absent: the session has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<SessionMarks>,
    /// Where the session is written, if this is a copy that a mirror keeps in the store; absent: here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<SessionHome>,
    /// Present if other processes have the session open for writing through sessiond. Agents that write by themselves, such as pi, are not seen so: see `activeSince`.
    #[serde(rename = "inUse", default, skip_serializing_if = "Option::is_none")]
    pub in_use: Option<OtherProcesses>,
    /// Time of the last write of another program to the file, as far as the daemon knows; absent: only this daemon has written to it, or it is in a store.
    #[serde(rename = "activeSince", default, skip_serializing_if = "Option::is_none")]
    pub active_since: Option<String>,
    /// As a handle has set it in this daemon (`session/setActivity`), or `running` if another program wrote to the file in the last minute, or in the last 30 with a prompt, a call or a result as its last message. Absent: nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<SessionActivity>,
    /// Text of all user and assistant messages; only with `includeText`.
    #[serde(rename = "allMessagesText", default, skip_serializing_if = "Option::is_none")]
    pub all_messages_text: Option<String>,
    /// Only with `includeShortId`: the shortest beginning of the id, of at least 8 characters, that names this session alone among all of the directory or profile. If not all ids are known it has 13 characters, which say when the session was created (UUID version 7).
    #[serde(rename = "shortId", default, skip_serializing_if = "Option::is_none")]
    pub short_id: Option<String>,
    /// Only with `includeUsage`; absent: the session has recorded none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<SessionUsage>,
}

/// A user's name for the session. The last name in the file applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session_info")]
pub struct SessionInfoEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// Trimmed when read; empty: no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl SessionInfoEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            append_mode: Default::default(),
            name: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// Trimmed when read; empty: no name.
        name: impl Into<String> = Some(name.into());
    }
}

/// The marks that a person gave a session in sessiond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionMarks {
    /// Whether lists may have it first.
    pub pinned: bool,
    /// Whether lists may leave it out.
    pub hidden: bool,
    /// Sorted; empty: none.
    pub tags: Vec<String>,
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "message")]
pub struct SessionMessageEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// The message.
    pub message: Json<Message>,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
}

impl SessionMessageEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, message: impl Into<Json<Message>>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            message: message.into(),
            append_mode: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
    }
}

/// The session's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionNameResult {
    /// null: none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub name: Option<String>,
}

/// The context together with the entries that contribute to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionProjectionResult {
    /// The entries.
    pub entries: Vec<ProjectedEntry>,
    /// `off` unless the branch sets another level.
    #[serde(rename = "thinkingLevel")]
    pub thinking_level: String,
    /// null: the branch sets no model.
    #[serde(deserialize_with = "Option::deserialize")]
    pub model: Option<ModelRef>,
}

/// A session: its entry, and what follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionRow {
    /// The canonical key, with the agent.
    pub key: String,
    /// The agent of the store.
    #[serde(rename = "agentId")]
    pub agent_id: String,
    /// `direct`, `group`, `global` or `unknown`, by the key.
    pub kind: ResolveKeyKind,
    /// Milliseconds since the epoch; null: unknown.
    #[serde(rename = "updatedAt", serialize_with = "finite::finite", deserialize_with = "Option::deserialize")]
    pub updated_at: Option<f64>,
    /// Whether `totalTokens` is up to date.
    #[serde(rename = "totalTokensFresh")]
    pub total_tokens_fresh: bool,
    /// The entry without `skillsSnapshot` and `systemPromptReport`, which `gateway/get` answers.
    pub entry: BTreeMap<String, Raw>,
    /// Id of the session.
    #[serde(rename = "sessionId", default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Name of the session, else of the group, else label, else origin.
    #[serde(rename = "displayName", default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Label, else name, else subject, else the beginning of the first user message after the last reset, else the beginning of the session id.
    #[serde(rename = "derivedTitle", default, skip_serializing_if = "Option::is_none")]
    pub derived_title: Option<String>,
    /// Text of the last user or assistant message.
    #[serde(rename = "lastMessagePreview", default, skip_serializing_if = "Option::is_none")]
    pub last_message_preview: Option<String>,
    /// Channel of the entry, else of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// That of the last run, else the override.
    #[serde(rename = "modelProvider", default, skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// That of the last run, else the override.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Absent if it may be outdated.
    #[serde(rename = "totalTokens", default, skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub total_tokens: Option<f64>,
}

/// An open session as its handle sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionState {
    /// The handle: an opaque string, valid on this connection only.
    pub session: String,
    /// Id in the session's header.
    #[serde(rename = "sessionId")]
    pub session_id: String,
    /// Absolute path of the file, also before it is written; null for a session in memory.
    #[serde(rename = "sessionFile", deserialize_with = "Option::deserialize")]
    pub session_file: Option<String>,
    /// Directory for sessions branched off this one; empty for a session in memory.
    #[serde(rename = "sessionDir")]
    pub session_dir: String,
    /// Working directory of the session.
    pub cwd: String,
    /// Whether the session belongs to a file.
    pub persisted: bool,
    /// Whether appends are refused: the session was opened for reading only, only its agent may write it, or it has a `home` elsewhere.
    #[serde(rename = "readOnly")]
    pub read_only: bool,
    /// Entry under which the next one is appended; null: before the first entry. In a file just opened it is the last entry, unless a `leaf` line or entries with `appendMode: side` of OpenClaw say otherwise.
    #[serde(rename = "leafId", deserialize_with = "Option::deserialize")]
    pub leaf_id: Option<String>,
    /// Last entry of the file, including `leaf` lines and entries appended with `appendMode: side`; null: there is none.
    #[serde(rename = "tipId", deserialize_with = "Option::deserialize")]
    pub tip_id: Option<String>,
    /// Number of entries, without the header.
    #[serde(rename = "entryCount")]
    pub entry_count: i64,
    /// Version of the file format, after migration.
    pub version: i64,
    /// Number of times the file was loaded again because another program had rewritten it.
    pub generation: i64,
    /// The session's header.
    pub header: Json<Header>,
    /// The first 100 problems of the file; `catalog/check` reports all.
    pub diagnostics: Vec<Diagnostic>,
    /// With `allAgents`: profile of its agent; absent: it is in no agent's place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Why the session cannot be written, and what to do instead; text for people. Absent: it can, or the client chose to read only.
    #[serde(rename = "readOnlyReason", default, skip_serializing_if = "Option::is_none")]
    pub read_only_reason: Option<String>,
    /// Where the session is written, if this is a copy that a mirror keeps in the store; absent: here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<SessionHome>,
    /// Name given by a user; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Present if other processes have the session open for writing.
    #[serde(rename = "inUse", default, skip_serializing_if = "Option::is_none")]
    pub in_use: Option<OtherProcesses>,
    /// An answer in progress that another handle has published; `session/didChangeDraft` reports how it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Draft>,
    /// Number of problems of the file; absent: `diagnostics` has all of them.
    #[serde(rename = "diagnosticCount", default, skip_serializing_if = "Option::is_none")]
    pub diagnostic_count: Option<i64>,
}

/// The params of one `session/update`, ready to be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionUpdate {
    /// Id in the session's header.
    #[serde(rename = "sessionId")]
    pub session_id: String,
    /// A `SessionUpdate` of ACP, version 1.
    pub update: Raw,
}

/// What the entries of a session have recorded, including those that it shares with others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionUsage {
    /// Tokens of all kinds.
    pub tokens: i64,
    /// Number of entries that used tokens without a recorded cost; if it is not 0, the true cost is higher.
    #[serde(rename = "withoutCost")]
    pub without_cost: i64,
    /// `provider/model` of each model, as recorded.
    pub models: Vec<String>,
    /// US dollars; absent: no cost is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub cost: Option<f64>,
    /// Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calculated: Option<i64>,
}

/// The work of the agent behind a handle from now on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetActivityParams {
    /// `waiting`: for a person, such as for a permission.
    pub state: ActivityState,
    /// Its work, or the thing it waits for; text for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl SetActivityParams {
    /// Creates params with the required members.
    pub fn new(state: impl Into<ActivityState>) -> Self {
        Self {
            state: state.into(),
            text: Default::default(),
        }
    }

    setters! {
        /// Its work, or the thing it waits for; text for people.
        text: impl Into<String> = Some(text.into());
    }
}

impl From<ActivityState> for SetActivityParams {
    fn from(state: ActivityState) -> Self {
        Self::new(state)
    }
}

/// Sessions, and the marks that all of them get or lose; absent ones stay as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetMarksParams {
    /// The session files, which must exist; at most 1000.
    pub paths: Vec<String>,
    /// Whether they are pinned from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Whether they are hidden from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Words of at most 64 characters, without white space, commas and control characters.
    #[serde(rename = "addTags", skip_serializing_if = "Option::is_none")]
    pub add_tags: Option<Vec<String>>,
    /// Tags that they lose; a tag that is in `addTags`, too, stays.
    #[serde(rename = "removeTags", skip_serializing_if = "Option::is_none")]
    pub remove_tags: Option<Vec<String>>,
}

impl SetMarksParams {
    /// Creates params with the required members.
    pub fn new(paths: Vec<String>) -> Self {
        Self {
            paths,
            pinned: Default::default(),
            hidden: Default::default(),
            add_tags: Default::default(),
            remove_tags: Default::default(),
        }
    }

    setters! {
        /// Whether they are pinned from now on.
        pinned: bool = Some(pinned);
        /// Whether they are hidden from now on.
        hidden: bool = Some(hidden);
        /// Words of at most 64 characters, without white space, commas and control characters.
        add_tags: Vec<String> = Some(add_tags);
        /// Tags that they lose; a tag that is in `addTags`, too, stays.
        remove_tags: Vec<String> = Some(remove_tags);
    }
}

impl From<Vec<String>> for SetMarksParams {
    fn from(paths: Vec<String>) -> Self {
        Self::new(paths)
    }
}

/// The marks that the sessions have now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetMarksResult {
    /// In the order of `paths`.
    pub marks: Vec<SessionMarks>,
}

/// Another file for an existing handle.
///
/// A handle in memory loads the file and never writes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetSessionFileParams {
    /// The session file.
    pub path: String,
}

impl SetSessionFileParams {
    /// Creates params with the required members.
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

/// The context window that the context must fit into.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ShouldCompactParams {
    /// Size of the model's context window, in tokens.
    #[serde(rename = "contextWindow")]
    pub context_window: i64,
    /// The settings of compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<CompactionSettings>,
}

impl ShouldCompactParams {
    /// Creates params with the required members.
    pub fn new(context_window: i64) -> Self {
        Self {
            context_window,
            settings: Default::default(),
        }
    }

    setters! {
        /// The settings of compaction.
        settings: impl Into<CompactionSettings> = Some(settings.into());
    }
}

impl From<i64> for ShouldCompactParams {
    fn from(context_window: i64) -> Self {
        Self::new(context_window)
    }
}

/// Whether to compact: compaction is enabled and `tokens` exceed `threshold`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShouldCompactResult {
    /// Whether the context should be compacted now.
    pub compact: bool,
    /// The `tokens` of `context/estimateTokens`.
    pub tokens: i64,
    /// The context window minus the reserve; negative if the reserve is larger.
    pub threshold: i64,
}

/// A line of a file or a row of a database, as the agent wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceRecord {
    /// Number of bytes, without a line feed.
    #[serde(rename = "sizeBytes")]
    pub size_bytes: i64,
    /// Its beginning; bytes that are not UTF-8 are shown as U+FFFD.
    pub text: String,
    /// Whether the text is only the beginning of the record.
    pub truncated: bool,
    /// The file; absent: the session has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of the line, from 1; absent: it is no line of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// Number of bytes before the line.
    #[serde(rename = "byteOffset", default, skip_serializing_if = "Option::is_none")]
    pub byte_offset: Option<i64>,
}

/// The session to count: send exactly one of the two members.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StatsParams {
    /// A session file; it is not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Handle of an open session, also before its file is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// IANA name of the time zone for days; by default that of the daemon's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// First day to count, as `YYYY-MM-DD` in `timezone`. With it or `until` entries without a date do not count; `branches` and `sizeBytes` are always those of the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Last day to count, as `YYYY-MM-DD` in `timezone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<bool>,
}

impl StatsParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// A session file; it is not changed.
        path: impl Into<String> = Some(path.into());
        /// Handle of an open session, also before its file is written.
        session: impl Into<String> = Some(session.into());
        /// IANA name of the time zone for days; by default that of the daemon's machine.
        timezone: impl Into<String> = Some(timezone.into());
        /// First day to count, as `YYYY-MM-DD` in `timezone`. With it or `until` entries without a date do not count; `branches` and `sizeBytes` are always those of the whole file.
        since: impl Into<String> = Some(since.into());
        /// Last day to count, as `YYYY-MM-DD` in `timezone`.
        until: impl Into<String> = Some(until.into());
        /// Whether to calculate the cost of entries that record none, with the prices of the package genai-prices; refused (`Unsupported`) where that is not installed.
        prices: bool = Some(prices);
    }
}

/// Statistics over all entries of the file, on all branches.
///
/// Usage is counted from assistant messages, tool results, `usage` entries, and the summaries of
/// compactions and branches (as in pi 1.6.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StatsResult {
    /// Numbers of messages.
    pub messages: MessageFigures,
    /// Tool calls in assistant messages.
    #[serde(rename = "toolCalls")]
    pub tool_calls: i64,
    /// Messages of role `toolResult`.
    #[serde(rename = "toolResults")]
    pub tool_results: i64,
    /// Number of entries without children: 1 for a session without forks.
    pub branches: i64,
    /// Number of compactions.
    pub compactions: i64,
    /// Numbers of tokens.
    pub tokens: TokenFigures,
    /// In order of first use; the sums equal the totals.
    #[serde(rename = "byModel")]
    pub by_model: Vec<ModelFigures>,
    /// In order of days. An entry counts for the day of its message's timestamp, else of its own timestamp; without a date it counts for no day.
    #[serde(rename = "byDay")]
    pub by_day: Vec<DayFigures>,
    /// Size of the file; 0 before it is written.
    #[serde(rename = "sizeBytes")]
    pub size_bytes: i64,
    /// Absent: there is usage, and none of it records a cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostFigures>,
    /// Number of entries with usage that record no cost: the true cost is higher. Absent: there are none.
    #[serde(rename = "withoutCost", default, skip_serializing_if = "Option::is_none")]
    pub without_cost: Option<i64>,
    /// Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calculated: Option<i64>,
    /// Time of the earliest user or assistant message, ISO 8601 UTC with milliseconds; absent: there is none.
    #[serde(rename = "firstActivity", default, skip_serializing_if = "Option::is_none")]
    pub first_activity: Option<String>,
    /// Time of the latest user or assistant message, as `modified` in lists.
    #[serde(rename = "lastActivity", default, skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<String>,
    /// The prices that were used; only with `prices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceData>,
}

/// Counters of the daemon, for people and for monitoring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StatusResult {
    /// Version of the program.
    pub version: String,
    /// Process id.
    pub pid: i64,
    /// Milliseconds since the start.
    #[serde(rename = "uptimeMs")]
    pub uptime_ms: i64,
    /// Number of requests received so far.
    pub requests: i64,
    /// Number of open session handles.
    #[serde(rename = "openSessions")]
    pub open_sessions: i64,
    /// The cache of documents.
    pub cache: CacheStatus,
    /// How changes of files are noticed.
    pub watch: WatchStatus,
    /// Resident memory of the process.
    #[serde(rename = "memoryBytes")]
    pub memory_bytes: i64,
    /// Whether the process also serves other clients (`--shared`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Number of clients served now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<i64>,
    /// Absent: sessions are in files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreStatus>,
}

/// A change of one key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreChange {
    /// `added`, `changed` or `removed`.
    pub kind: ChangeKind,
    /// The key as it is spelled in the store.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// An entry of a store, with all its members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<BTreeMap<String, Raw>>,
}

/// The session to remove; the main session of the default agent cannot be removed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoreDeleteParams {
    /// Key of the session, in any spelling that a gateway accepts.
    pub key: String,
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Archive the session's transcript by renaming it.
    #[serde(rename = "deleteTranscript", skip_serializing_if = "Option::is_none")]
    pub delete_transcript: Option<bool>,
    /// Do it even if the transcript is open for writing, here or in another process, or a gateway runs a turn on it; otherwise the request then fails with `InUse`. A handle that is still open creates the file again with its next append.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
}

impl StoreDeleteParams {
    /// Creates params with the required members.
    pub fn new(key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            agent_id: Default::default(),
            store_path: Default::default(),
            config: Default::default(),
            delete_transcript: Default::default(),
            force: Default::default(),
        }
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Archive the session's transcript by renaming it.
        delete_transcript: bool = Some(delete_transcript);
        /// Do it even if the transcript is open for writing, here or in another process, or a gateway runs a turn on it; otherwise the request then fails with `InUse`. A handle that is still open creates the file again with its next append.
        force: bool = Some(force);
    }
}

impl From<&str> for StoreDeleteParams {
    fn from(key: &str) -> Self {
        Self::new(key)
    }
}

impl From<&String> for StoreDeleteParams {
    fn from(key: &String) -> Self {
        Self::new(key)
    }
}

impl From<String> for StoreDeleteParams {
    fn from(key: String) -> Self {
        Self::new(key)
    }
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreDeleteResult {
    /// The key as it is spelled in the store.
    pub key: String,
    /// Whether the store had the session.
    pub deleted: bool,
    /// New paths of its transcripts: `<path>.deleted.<time>`.
    pub archived: Vec<String>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// A session by its key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoreGetParams {
    /// Key of the session, in any spelling that a gateway accepts.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
}

impl StoreGetParams {
    /// Creates params with the required members.
    pub fn new(session_key: impl Into<String>) -> Self {
        Self {
            session_key: session_key.into(),
            agent_id: Default::default(),
            store_path: Default::default(),
            config: Default::default(),
        }
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
    }
}

impl From<&str> for StoreGetParams {
    fn from(session_key: &str) -> Self {
        Self::new(session_key)
    }
}

impl From<&String> for StoreGetParams {
    fn from(session_key: &String) -> Self {
        Self::new(session_key)
    }
}

impl From<String> for StoreGetParams {
    fn from(session_key: String) -> Self {
        Self::new(session_key)
    }
}

/// The entry of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreGetResult {
    /// The key as it is spelled in the store.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// The agent whose store has the session.
    #[serde(rename = "agentId")]
    pub agent_id: String,
    /// null: there is none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub entry: Option<BTreeMap<String, Raw>>,
    /// Absolute path of the store.
    #[serde(rename = "storePath")]
    pub store_path: String,
    /// Absolute path of the transcript, or where it would lie if there is none; absent: the entry names no valid session, or one outside the roots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// Filters for the list; a session must match all of them.
///
/// Unless all agents share a store, the stores of all agents are listed: of the agents in
/// `agents.list`, or if it is absent of the agents that have a directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoreListParams {
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Only sessions of this agent.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Maximum number of sessions; the latest are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// Only sessions used within this number of minutes.
    #[serde(rename = "activeMinutes", skip_serializing_if = "Option::is_none")]
    pub active_minutes: Option<i64>,
    /// Include the session `global`.
    #[serde(rename = "includeGlobal", skip_serializing_if = "Option::is_none")]
    pub include_global: Option<bool>,
    /// Include the session `unknown`.
    #[serde(rename = "includeUnknown", skip_serializing_if = "Option::is_none")]
    pub include_unknown: Option<bool>,
    /// Add `derivedTitle`; this reads the transcripts.
    #[serde(rename = "includeDerivedTitles", skip_serializing_if = "Option::is_none")]
    pub include_derived_titles: Option<bool>,
    /// Add `lastMessagePreview`; this reads the transcripts.
    #[serde(rename = "includeLastMessage", skip_serializing_if = "Option::is_none")]
    pub include_last_message: Option<bool>,
    /// The whole label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Key of the session that spawned it.
    #[serde(rename = "spawnedBy", skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<String>,
    /// Only archived sessions (`archivedAt`), or only the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// Text that occurs in name, label, subject, session id or key; not case-sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
}

impl StoreListParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Only sessions of this agent.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Maximum number of sessions; the latest are listed.
        limit: i64 = Some(limit);
        /// Only sessions used within this number of minutes.
        active_minutes: i64 = Some(active_minutes);
        /// Include the session `global`.
        include_global: bool = Some(include_global);
        /// Include the session `unknown`.
        include_unknown: bool = Some(include_unknown);
        /// Add `derivedTitle`; this reads the transcripts.
        include_derived_titles: bool = Some(include_derived_titles);
        /// Add `lastMessagePreview`; this reads the transcripts.
        include_last_message: bool = Some(include_last_message);
        /// The whole label.
        label: impl Into<String> = Some(label.into());
        /// Key of the session that spawned it.
        spawned_by: impl Into<String> = Some(spawned_by.into());
        /// Only archived sessions (`archivedAt`), or only the others.
        archived: bool = Some(archived);
        /// Text that occurs in name, label, subject, session id or key; not case-sensitive.
        search: impl Into<String> = Some(search.into());
    }
}

/// Sessions, the latest first; cron jobs are included, their runs are not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreListResult {
    /// Time of the answer, milliseconds since the epoch.
    pub ts: i64,
    /// Path of the store; with `{agentId}` as it was given; `(multiple)`: each agent has a store.
    pub path: String,
    /// Number of sessions in `sessions`.
    pub count: i64,
    /// Settings of sessions that have none of their own.
    pub defaults: ListDefaults,
    /// The sessions.
    pub sessions: Vec<SessionRow>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// The settings to change; null removes one. Other values are refused with those allowed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StorePatchParams {
    /// Key of the session, in any spelling that a gateway accepts.
    pub key: String,
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Up to 64 characters (UTF-16 code units); unique in the store.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub label: Nullable<String>,
    /// `off`, `minimal`, `low`, `medium`, `high` or `xhigh`.
    #[serde(rename = "thinkingLevel", skip_serializing_if = "Nullable::is_absent")]
    pub thinking_level: Nullable<String>,
    /// `off`, `on` or `full`.
    #[serde(rename = "verboseLevel", skip_serializing_if = "Nullable::is_absent")]
    pub verbose_level: Nullable<String>,
    /// `on` or `stream`; `off` is the same as null.
    #[serde(rename = "reasoningLevel", skip_serializing_if = "Nullable::is_absent")]
    pub reasoning_level: Nullable<String>,
    /// `tokens` or `full`; `off` is the same as null.
    #[serde(rename = "responseUsage", skip_serializing_if = "Nullable::is_absent")]
    pub response_usage: Nullable<String>,
    /// `off`, `on`, `ask` or `full`; `off` is kept.
    #[serde(rename = "elevatedLevel", skip_serializing_if = "Nullable::is_absent")]
    pub elevated_level: Nullable<String>,
    /// `sandbox`, `gateway` or `node`.
    #[serde(rename = "execHost", skip_serializing_if = "Nullable::is_absent")]
    pub exec_host: Nullable<String>,
    /// `deny`, `allowlist` or `full`.
    #[serde(rename = "execSecurity", skip_serializing_if = "Nullable::is_absent")]
    pub exec_security: Nullable<String>,
    /// `off`, `on-miss` or `always`.
    #[serde(rename = "execAsk", skip_serializing_if = "Nullable::is_absent")]
    pub exec_ask: Nullable<String>,
    /// Name of a node; not blank.
    #[serde(rename = "execNode", skip_serializing_if = "Nullable::is_absent")]
    pub exec_node: Nullable<String>,
    /// `provider/model`, or a model of the default's provider. It is not checked, because the daemon has no list of models. null: no override. The recorded model and account of the last run are removed in any case.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub model: Nullable<String>,
    /// `allow` or `deny`.
    #[serde(rename = "sendPolicy", skip_serializing_if = "Nullable::is_absent")]
    pub send_policy: Nullable<String>,
    /// `mention` or `always`.
    #[serde(rename = "groupActivation", skip_serializing_if = "Nullable::is_absent")]
    pub group_activation: Nullable<String>,
}

impl StorePatchParams {
    /// Creates params with the required members.
    pub fn new(key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            agent_id: Default::default(),
            store_path: Default::default(),
            config: Default::default(),
            label: Default::default(),
            thinking_level: Default::default(),
            verbose_level: Default::default(),
            reasoning_level: Default::default(),
            response_usage: Default::default(),
            elevated_level: Default::default(),
            exec_host: Default::default(),
            exec_security: Default::default(),
            exec_ask: Default::default(),
            exec_node: Default::default(),
            model: Default::default(),
            send_policy: Default::default(),
            group_activation: Default::default(),
        }
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Up to 64 characters (UTF-16 code units); unique in the store.
        label: impl Into<Nullable<String>> = label.into();
        /// `off`, `minimal`, `low`, `medium`, `high` or `xhigh`.
        thinking_level: impl Into<Nullable<String>> = thinking_level.into();
        /// `off`, `on` or `full`.
        verbose_level: impl Into<Nullable<String>> = verbose_level.into();
        /// `on` or `stream`; `off` is the same as null.
        reasoning_level: impl Into<Nullable<String>> = reasoning_level.into();
        /// `tokens` or `full`; `off` is the same as null.
        response_usage: impl Into<Nullable<String>> = response_usage.into();
        /// `off`, `on`, `ask` or `full`; `off` is kept.
        elevated_level: impl Into<Nullable<String>> = elevated_level.into();
        /// `sandbox`, `gateway` or `node`.
        exec_host: impl Into<Nullable<String>> = exec_host.into();
        /// `deny`, `allowlist` or `full`.
        exec_security: impl Into<Nullable<String>> = exec_security.into();
        /// `off`, `on-miss` or `always`.
        exec_ask: impl Into<Nullable<String>> = exec_ask.into();
        /// Name of a node; not blank.
        exec_node: impl Into<Nullable<String>> = exec_node.into();
        /// `provider/model`, or a model of the default's provider. It is not checked, because the daemon has no list of models. null: no override. The recorded model and account of the last run are removed in any case.
        model: impl Into<Nullable<String>> = model.into();
        /// `allow` or `deny`.
        send_policy: impl Into<Nullable<String>> = send_policy.into();
        /// `mention` or `always`.
        group_activation: impl Into<Nullable<String>> = group_activation.into();
    }
}

impl From<&str> for StorePatchParams {
    fn from(key: &str) -> Self {
        Self::new(key)
    }
}

impl From<&String> for StorePatchParams {
    fn from(key: &String) -> Self {
        Self::new(key)
    }
}

impl From<String> for StorePatchParams {
    fn from(key: String) -> Self {
        Self::new(key)
    }
}

/// The entry after the change; it is created if there was none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StorePatchResult {
    /// Absolute path of the store.
    pub path: String,
    /// The key as it is spelled in the store.
    pub key: String,
    /// An entry of a store, with all its members.
    pub entry: BTreeMap<String, Raw>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// A problem in a store. The value that caused it was skipped and is still stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreProblem {
    /// `corruptStore`: the store is not valid; it is copied before it is replaced. `unreadableStore`: the store cannot be read; the answer about other stores is complete. `unreadableEntry`: an entry or its transcript cannot be read; the answer about other entries is complete. `notAnEntry`: a value that is not an entry. `invalidSessionId`, `invalidSessionFile`: an entry whose session cannot continue. `archiveFailed`: a transcript of an old session that could not be renamed. `replacedStore`: OpenClaw keeps these sessions in the database at `path`, which cannot be read; the store is outdated.
    pub kind: StoreProblemKind,
    /// Text for people.
    pub message: String,
    /// Key of the value in the store.
    #[serde(rename = "sessionKey", default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// Path of the file, or of its copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The session to reset.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoreResetParams {
    /// Key of the session, in any spelling that a gateway accepts.
    pub key: String,
    /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
    #[serde(rename = "storePath", skip_serializing_if = "Option::is_none")]
    pub store_path: Option<String>,
    /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<BTreeMap<String, Raw>>,
    /// Reason, for people; it has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<StoreResetReason>,
    /// Do it even if the transcript is open for writing, here or in another process, or a gateway runs a turn on it; otherwise the request then fails with `InUse`. A handle that is still open creates the file again with its next append.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
}

impl StoreResetParams {
    /// Creates params with the required members.
    pub fn new(key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            agent_id: Default::default(),
            store_path: Default::default(),
            config: Default::default(),
            reason: Default::default(),
            force: Default::default(),
        }
    }

    setters! {
        /// The agent of a key that names none; absent: that of the connection, else the default agent of the configuration.
        agent_id: impl Into<String> = Some(agent_id.into());
        /// Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`, else that of the agent (only with the profile of a gateway).
        store_path: impl Into<String> = Some(store_path.into());
        /// `session`, `agents`, `channels` and `cron` of a CoderClaw configuration; absent: the agent's configuration file.
        config: impl Into<BTreeMap<String, Raw>> = Some(config.into());
        /// Reason, for people; it has no effect.
        reason: impl Into<StoreResetReason> = Some(reason.into());
        /// Do it even if the transcript is open for writing, here or in another process, or a gateway runs a turn on it; otherwise the request then fails with `InUse`. A handle that is still open creates the file again with its next append.
        force: bool = Some(force);
    }
}

impl From<&str> for StoreResetParams {
    fn from(key: &str) -> Self {
        Self::new(key)
    }
}

impl From<&String> for StoreResetParams {
    fn from(key: &String) -> Self {
        Self::new(key)
    }
}

impl From<String> for StoreResetParams {
    fn from(key: String) -> Self {
        Self::new(key)
    }
}

/// The new session, which has no transcript yet.
///
/// The old transcript is renamed to `….reset.<time>`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreResetResult {
    /// The key as it is spelled in the store.
    pub key: String,
    /// The new entry, with a new `sessionId` and counters of 0. The levels for thinking, verbosity and reasoning, the usage footer, `model`, `contextTokens`, `sendPolicy`, `label`, `origin`, the last route, `skillsSnapshot` and unknown members are kept.
    pub entry: BTreeMap<String, Raw>,
    /// New paths of the old transcripts: `<path>.reset.<time>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<Vec<String>>,
    /// Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<StoreProblem>>,
    /// Absent: there are none.
    #[serde(rename = "configProblems", default, skip_serializing_if = "Option::is_none")]
    pub config_problems: Option<Vec<ConfigProblem>>,
}

/// The store in PostgreSQL, as this daemon sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreStatus {
    /// Its URL, without user and password.
    pub server: String,
    /// Number of requests that wait for the store or are worked on there.
    pub requests: i64,
    /// Number of changed sessions of which other hosts are still to hear.
    pub untold: i64,
    /// Why it failed the last time; absent: it never has.
    #[serde(rename = "lastError", default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// When that was, ISO 8601 UTC with milliseconds.
    #[serde(rename = "lastErrorAt", default, skip_serializing_if = "Option::is_none")]
    pub last_error_at: Option<String>,
}

/// A session in a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredSession {
    /// The agent of the store. If agents share the store: the agent of the request, else the default agent; the key names the agent of the session.
    #[serde(rename = "agentId")]
    pub agent_id: String,
    /// Absolute path of the store.
    #[serde(rename = "storePath")]
    pub store_path: String,
    /// The key as it is spelled in the store.
    #[serde(rename = "sessionKey")]
    pub session_key: String,
    /// An entry of a store, with all its members.
    pub entry: BTreeMap<String, Raw>,
}

/// What is known of a session that an agent began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubagentRun {
    /// Kind of the subagent, as its agent names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The tool call in the parent session that began it.
    #[serde(rename = "toolCallId", default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// A session that has moved, or a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SyncMove {
    /// Its id; of a subagent, the id of its parent and a path below it.
    pub session: String,
    /// The agent whose session it is.
    pub agent: String,
    /// `session`: a file that one side did not have. `entries`: entries that it lacked. `bytes`: the continuation of a file that only its agent writes. `deletion`: a session that moved to the trash. Later versions may add kinds.
    pub kind: SyncMoveKind,
    /// `pull`: to this side. `push`: to the other.
    pub direction: SyncMoveDirection,
    /// Its working directory, with `~` for the home; may be empty.
    pub cwd: String,
    /// Number of entries that moved; absent for other content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<i64>,
}

/// Another place, and what moves between it and this one; `host` or `directory` is required.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SyncParams {
    /// A machine as `ssh` names it, on which sessiond is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// A folder with a replica of the sessions, which other machines may use, too. It is created if it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// How sessiond is called on `host`; default `sessiond`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// `pull`: change only this side. `push`: only the other. Default: both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<SyncMoveDirection>,
    /// Report what would move, and write nothing.
    #[serde(rename = "dryRun", skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Move a session to the trash if the other side has it, unchanged, in its trash. By default it stays, and does not come back there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletions: Option<bool>,
    /// Only sessions of these agents, by the names of their profiles; default: the profile of the client, or all that it lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// Only sessions of the project of this directory, as in `session/listAll`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Only sessions whose file changed on one of the sides on this day (`YYYY-MM-DD`) or later, or at this time (ISO 8601) or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Directories with other paths on the other side. Those below the home directory need none: they are below the home there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<Vec<MappedDirectory>>,
    /// Token under which progress is reported; absent: no reports.
    #[serde(rename = "workDoneToken", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<Id>,
}

impl SyncParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// A machine as `ssh` names it, on which sessiond is installed.
        host: impl Into<String> = Some(host.into());
        /// A folder with a replica of the sessions, which other machines may use, too. It is created if it is missing.
        directory: impl Into<String> = Some(directory.into());
        /// How sessiond is called on `host`; default `sessiond`.
        program: impl Into<String> = Some(program.into());
        /// `pull`: change only this side. `push`: only the other. Default: both.
        direction: impl Into<SyncMoveDirection> = Some(direction.into());
        /// Report what would move, and write nothing.
        dry_run: bool = Some(dry_run);
        /// Move a session to the trash if the other side has it, unchanged, in its trash. By default it stays, and does not come back there.
        deletions: bool = Some(deletions);
        /// Only sessions of these agents, by the names of their profiles; default: the profile of the client, or all that it lists.
        agents: Vec<String> = Some(agents);
        /// Only sessions of the project of this directory, as in `session/listAll`.
        project: impl Into<String> = Some(project.into());
        /// Only sessions whose file changed on one of the sides on this day (`YYYY-MM-DD`) or later, or at this time (ISO 8601) or later.
        since: impl Into<String> = Some(since.into());
        /// Directories with other paths on the other side. Those below the home directory need none: they are below the home there.
        map: Vec<MappedDirectory> = Some(map);
        /// Token under which progress is reported; absent: no reports.
        work_done_token: impl Into<Id> = Some(work_done_token.into());
    }
}

/// A session or a file that was left alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SyncProblem {
    /// The session, as in `SyncMove`, or a path.
    pub name: String,
    /// Text for people.
    pub message: String,
}

/// Everything that moved, and what was left alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SyncResult {
    /// In a dry run, those that would be made.
    pub moves: Vec<SyncMove>,
    /// Empty if nothing was left alone.
    pub problems: Vec<SyncProblem>,
    /// Number of sessions on both sides together.
    pub compared: i64,
}

/// A part of the system prompt; all parts, applied in order, give the present prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "system")]
pub struct SystemMessage {
    /// Text to append to the prompt.
    pub content: Json<Content>,
    /// Named sections and their new text; null removes a section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<BTreeMap<String, Option<String>>>,
    /// Tool declarations to add or replace, by their `name`.
    #[serde(rename = "toolsAdded", default, skip_serializing_if = "Option::is_none")]
    pub tools_added: Option<Vec<Raw>>,
    /// `{name}` of the tools to remove, before others are added.
    #[serde(rename = "toolsRemoved", default, skip_serializing_if = "Option::is_none")]
    pub tools_removed: Option<Vec<Raw>>,
    /// Unix milliseconds; absent or null: not known. Appends do not need it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub timestamp: Nullable<i64>,
}

impl SystemMessage {
    /// Creates params with the required members.
    pub fn new(content: impl Into<Json<Content>>) -> Self {
        Self {
            content: content.into(),
            sections: Default::default(),
            tools_added: Default::default(),
            tools_removed: Default::default(),
            timestamp: Default::default(),
        }
    }

    setters! {
        /// Named sections and their new text; null removes a section.
        sections: impl Into<BTreeMap<String, Option<String>>> = Some(sections.into());
        /// Tool declarations to add or replace, by their `name`.
        tools_added: Vec<Raw> = Some(tools_added);
        /// `{name}` of the tools to remove, before others are added.
        tools_removed: Vec<Raw> = Some(tools_removed);
        /// Unix milliseconds; absent or null: not known. Appends do not need it.
        timestamp: impl Into<Nullable<i64>> = timestamp.into();
    }
}

impl From<Json<Content>> for SystemMessage {
    fn from(content: Json<Content>) -> Self {
        Self::new(content)
    }
}

impl From<Content> for SystemMessage {
    fn from(content: Content) -> Self {
        Self::new(content)
    }
}

/// Text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "text")]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// Signature from the provider, for replay; opaque.
    #[serde(rename = "textSignature", default, skip_serializing_if = "Option::is_none")]
    pub text_signature: Option<String>,
}

impl TextContent {
    /// Creates params with the required members.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            text_signature: Default::default(),
        }
    }

    setters! {
        /// Signature from the provider, for replay; opaque.
        text_signature: impl Into<String> = Some(text_signature.into());
    }
}

impl From<&str> for TextContent {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&String> for TextContent {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<String> for TextContent {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// A model's thinking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "thinking")]
pub struct ThinkingContent {
    /// Text of the thinking.
    pub thinking: String,
    /// Signature from the provider, for replay; contains the payload of redacted thinking.
    #[serde(rename = "thinkingSignature", default, skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
    /// Whether the provider withheld the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<bool>,
}

impl ThinkingContent {
    /// Creates params with the required members.
    pub fn new(thinking: impl Into<String>) -> Self {
        Self {
            thinking: thinking.into(),
            thinking_signature: Default::default(),
            redacted: Default::default(),
        }
    }

    setters! {
        /// Signature from the provider, for replay; contains the payload of redacted thinking.
        thinking_signature: impl Into<String> = Some(thinking_signature.into());
        /// Whether the provider withheld the text.
        redacted: bool = Some(redacted);
    }
}

impl From<&str> for ThinkingContent {
    fn from(thinking: &str) -> Self {
        Self::new(thinking)
    }
}

impl From<&String> for ThinkingContent {
    fn from(thinking: &String) -> Self {
        Self::new(thinking)
    }
}

impl From<String> for ThinkingContent {
    fn from(thinking: String) -> Self {
        Self::new(thinking)
    }
}

/// A change of the thinking level by the user; it applies from here on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "thinking_level_change")]
pub struct ThinkingLevelChangeEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// As the agent names it, such as `high`.
    #[serde(rename = "thinkingLevel")]
    pub thinking_level: String,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
}

impl ThinkingLevelChangeEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, thinking_level: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            thinking_level: thinking_level.into(),
            append_mode: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
    }
}

/// The messages to convert: send exactly one of `session` and `messages`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToLlmParams {
    /// Handle of the session: measure the context at its leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Messages in order, each an object with a string `role`. Other members that are missing or have an unexpected type count as 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Json<Message>>>,
    /// Make providers accept what an interrupted turn left: each call without a result gets one (`No result provided`), and results without a call, aborted answers and answers that ended in an error are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<bool>,
}

impl ToLlmParams {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Handle of the session: measure the context at its leaf.
        session: impl Into<String> = Some(session.into());
        /// Messages in order, each an object with a string `role`. Other members that are missing or have an unexpected type count as 0.
        messages: Vec<Json<Message>> = Some(messages);
        /// Make providers accept what an interrupted turn left: each call without a result gets one (`No result provided`), and results without a call, aborted answers and answers that ended in an error are left out.
        repair: bool = Some(repair);
    }
}

/// Numbers of tokens, with the names of pi's `usage`; its other members are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TokenCounts {
    /// Of prompts, without those in the cache.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub input: Option<f64>,
    /// Of answers.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub output: Option<f64>,
    /// Of prompts, read from the cache.
    #[serde(rename = "cacheRead", skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub cache_read: Option<f64>,
    /// Of prompts, written to the cache.
    #[serde(rename = "cacheWrite", skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub cache_write: Option<f64>,
    /// The sum; it is used if the parts of the prompt are unknown.
    #[serde(rename = "totalTokens", skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub total_tokens: Option<f64>,
}

impl TokenCounts {
    /// Creates empty params.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Of prompts, without those in the cache.
        input: f64 = Some(input);
        /// Of answers.
        output: f64 = Some(output);
        /// Of prompts, read from the cache.
        cache_read: f64 = Some(cache_read);
        /// Of prompts, written to the cache.
        cache_write: f64 = Some(cache_write);
        /// The sum; it is used if the parts of the prompt are unknown.
        total_tokens: f64 = Some(total_tokens);
    }
}

/// Sum of the tokens in all recorded usage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenFigures {
    /// Number of input tokens.
    pub input: i64,
    /// Number of output tokens.
    pub output: i64,
    /// Number of tokens read from the provider's cache.
    #[serde(rename = "cacheRead")]
    pub cache_read: i64,
    /// Number of tokens written to the provider's cache.
    #[serde(rename = "cacheWrite")]
    pub cache_write: i64,
    /// Sum of the other four (as in pi).
    pub total: i64,
}

/// A request of a model to call a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "toolCall")]
pub struct ToolCall {
    /// Id of the call, which the tool's result refers to.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// As the tool defines them.
    pub arguments: BTreeMap<String, Raw>,
    /// Signature from the provider, for replay; opaque.
    #[serde(rename = "thoughtSignature", default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
    /// Namespace of the tool's name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Why the text of the model is no object; `arguments` is then empty.
    #[serde(rename = "argumentsError", default, skip_serializing_if = "Option::is_none")]
    pub arguments_error: Option<String>,
}

impl ToolCall {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<BTreeMap<String, Raw>>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            thought_signature: Default::default(),
            namespace: Default::default(),
            arguments_error: Default::default(),
        }
    }

    setters! {
        /// Signature from the provider, for replay; opaque.
        thought_signature: impl Into<String> = Some(thought_signature.into());
        /// Namespace of the tool's name, if it has one.
        namespace: impl Into<String> = Some(namespace.into());
        /// Why the text of the model is no object; `arguments` is then empty.
        arguments_error: impl Into<String> = Some(arguments_error.into());
    }
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "toolResult")]
pub struct ToolResultMessage {
    /// `id` of the `ToolCall`.
    #[serde(rename = "toolCallId")]
    pub tool_call_id: String,
    /// Name of the tool.
    #[serde(rename = "toolName")]
    pub tool_name: String,
    /// Text and image blocks.
    pub content: Vec<Json<Block>>,
    /// Whether the tool failed.
    #[serde(rename = "isError")]
    pub is_error: bool,
    /// Data of the tool; not sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub details: Option<Raw>,
    /// Usage of models by the tool itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// `{calls: [{id, name, arguments?, …}], complete}`: the tools that this tool called.
    #[serde(rename = "nestedCalls", default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable::present")]
    pub nested_calls: Option<Raw>,
    /// Unix milliseconds; absent or null: not known. Appends do not need it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub timestamp: Nullable<i64>,
}

impl ToolResultMessage {
    /// Creates params with the required members.
    pub fn new(tool_call_id: impl Into<String>, tool_name: impl Into<String>, content: Vec<Json<Block>>, is_error: bool) -> Self {
        Self {
            tool_call_id: tool_call_id.into(),
            tool_name: tool_name.into(),
            content,
            is_error,
            details: Default::default(),
            usage: Default::default(),
            nested_calls: Default::default(),
            timestamp: Default::default(),
        }
    }

    setters! {
        /// Data of the tool; not sent to a model.
        details: impl Into<Raw> = Some(details.into());
        /// Usage of models by the tool itself.
        usage: impl Into<Usage> = Some(usage.into());
        /// `{calls: [{id, name, arguments?, …}], complete}`: the tools that this tool called.
        nested_calls: impl Into<Raw> = Some(nested_calls.into());
        /// Unix milliseconds; absent or null: not known. Appends do not need it.
        timestamp: impl Into<Nullable<i64>> = timestamp.into();
    }
}

/// A session in the trash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrashedSession {
    /// Where it was, and what `catalog/restore` takes.
    pub path: String,
    /// Where it is now.
    pub file: String,
    /// What lists would say of it; its `path` is the former one.
    pub info: SessionInfo,
    /// When it was deleted, ISO 8601 UTC; absent: the trash does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<String>,
}

/// An entry in the tree, complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreeNode {
    /// Id of the entry.
    pub id: String,
    /// Ids of the children, by time.
    pub children: Vec<String>,
    /// The entry.
    pub entry: Json<Entry>,
    /// Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Time of the latest change of the label.
    #[serde(rename = "labelTimestamp", default, skip_serializing_if = "Option::is_none")]
    pub label_timestamp: Option<String>,
}

/// The tree as a flat list.
///
/// Of an id that occurs more than once, only the last entry is listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreeResult {
    /// Ids of entries whose parent is not in the file.
    pub roots: Vec<String>,
    /// Every id exactly once.
    pub nodes: Vec<Json<Node>>,
}

/// The changes that were taken back, and those that could not be; none if nothing is left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UndoResult {
    /// What changed, one per file or key.
    pub changes: Vec<UndoneChange>,
    /// Why something was not taken back; `changed`: it was changed again since, and stays. Other failures are tried again by the next `catalog/undo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FileProblem>>,
}

/// A change that was taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UndoneChange {
    /// The change that there was.
    pub kind: UndoneChangeKind,
    /// The session file.
    pub path: String,
    /// The name that the session has again; only for `rename`, and maybe empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The entry, for `label`.
    #[serde(rename = "entryId", default, skip_serializing_if = "Option::is_none")]
    pub entry_id: Option<String>,
    /// The label that the entry has again; only for `label`, and maybe empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Lines or rows of another agent's format that sessiond does not know yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnknownLines {
    /// Their type, as the agent names it.
    #[serde(rename = "type")]
    pub type_: String,
    /// Number of entries.
    pub count: i64,
}

/// An agent whose sessions exist, and which sessiond does not read yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnreadAgent {
    /// Name of the agent, for people.
    pub name: String,
    /// Directory of its sessions.
    pub directory: String,
}

/// Tokens used by calls to a model. `input` excludes tokens read from or written to a cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Number of input tokens.
    pub input: i64,
    /// Number of output tokens.
    pub output: i64,
    /// Number of tokens read from the provider's cache.
    #[serde(rename = "cacheRead")]
    pub cache_read: i64,
    /// Number of tokens written to the provider's cache.
    #[serde(rename = "cacheWrite")]
    pub cache_write: i64,
    /// Costs in US dollars.
    pub cost: Cost,
    /// The part of `cacheWrite` that is kept for an hour.
    #[serde(rename = "cacheWrite1h", default, skip_serializing_if = "Option::is_none")]
    pub cache_write1h: Option<i64>,
    /// The part of `output` spent on reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<i64>,
    /// Sum of input, output, cacheRead and cacheWrite; old pis did not write it.
    #[serde(rename = "totalTokens", default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<i64>,
}

impl Usage {
    /// Creates params with the required members.
    pub fn new(input: i64, output: i64, cache_read: i64, cache_write: i64, cost: impl Into<Cost>) -> Self {
        Self {
            input,
            output,
            cache_read,
            cache_write,
            cost: cost.into(),
            cache_write1h: Default::default(),
            reasoning: Default::default(),
            total_tokens: Default::default(),
        }
    }

    setters! {
        /// The part of `cacheWrite` that is kept for an hour.
        cache_write1h: i64 = Some(cache_write1h);
        /// The part of `output` spent on reasoning.
        reasoning: i64 = Some(reasoning);
        /// Sum of input, output, cacheRead and cacheWrite; old pis did not write it.
        total_tokens: i64 = Some(total_tokens);
    }
}

/// Usage outside the conversation: counted in totals, never part of the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "usage")]
pub struct UsageEntry {
    /// Unique in the file; pi writes 8 hexadecimal digits.
    pub id: String,
    /// Id of the parent entry; null: the entry is a root.
    #[serde(rename = "parentId", deserialize_with = "Option::deserialize")]
    pub parent_id: Option<String>,
    /// ISO 8601 UTC with milliseconds.
    pub timestamp: String,
    /// Purpose, such as `cache_warm`.
    pub kind: String,
    /// Provider of the model, such as `anthropic`.
    pub provider: String,
    /// Id of the model.
    pub model: String,
    /// Tokens and cost.
    pub usage: Usage,
    /// `side`: the entry does not move the leaf; written by OpenClaw.
    #[serde(rename = "appendMode", default, skip_serializing_if = "Option::is_none")]
    pub append_mode: Option<String>,
    /// Text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl UsageEntry {
    /// Creates params with the required members.
    pub fn new(id: impl Into<String>, parent_id: impl Into<Option<String>>, timestamp: impl Into<String>, kind: impl Into<String>, provider: impl Into<String>, model: impl Into<String>, usage: impl Into<Usage>) -> Self {
        Self {
            id: id.into(),
            parent_id: parent_id.into(),
            timestamp: timestamp.into(),
            kind: kind.into(),
            provider: provider.into(),
            model: model.into(),
            usage: usage.into(),
            append_mode: Default::default(),
            note: Default::default(),
        }
    }

    setters! {
        /// `side`: the entry does not move the leaf; written by OpenClaw.
        append_mode: impl Into<String> = Some(append_mode.into());
        /// Text for people.
        note: impl Into<String> = Some(note.into());
    }
}

/// The usage of one day, week, month, model, project, agent or session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UsageRow {
    /// `YYYY-MM-DD`, the ISO week (`2026-W03`, from Monday), `YYYY-MM`, when the block begins (`YYYY-MM-DD HH:MM`), `provider/model`, the directory of the project, the agent, or the path of the session. Empty for entries without time, model or directory.
    pub key: String,
    /// The sums.
    pub sums: UsageSums,
    /// By model; they add up to `sums`.
    pub models: Vec<ModelUsage>,
    /// The session; only in rows by `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<SessionInfo>,
    /// The parts of this row by `thenBy`, in the order of rows; they add up to `sums`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<InnerUsageRow>>,
}

/// Sums over entries.
///
/// Every assistant message counts, and every tool result, `usage` entry, and summary of a
/// compaction or a branch that has recorded usage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UsageSums {
    /// Number of entries.
    pub entries: i64,
    /// Number of these entries without a cost. The true cost is higher if this is not 0.
    #[serde(rename = "withoutCost")]
    pub without_cost: i64,
    /// Numbers of tokens.
    pub tokens: TokenFigures,
    /// Absent: there is usage, and none of it records a cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostFigures>,
    /// Number of entries whose cost was not recorded, but calculated for `prices`. Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calculated: Option<i64>,
}

/// A message from a user, or from a program that acts for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename = "user")]
pub struct UserMessage {
    /// Text, or text and image blocks.
    pub content: Json<Content>,
    /// Unix milliseconds; absent or null: not known. Appends do not need it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub timestamp: Nullable<i64>,
}

impl UserMessage {
    /// Creates params with the required members.
    pub fn new(content: impl Into<Json<Content>>) -> Self {
        Self {
            content: content.into(),
            timestamp: Default::default(),
        }
    }

    setters! {
        /// Unix milliseconds; absent or null: not known. Appends do not need it.
        timestamp: impl Into<Nullable<i64>> = timestamp.into();
    }
}

impl From<Json<Content>> for UserMessage {
    fn from(content: Json<Content>) -> Self {
        Self::new(content)
    }
}

impl From<Content> for UserMessage {
    fn from(content: Content) -> Self {
        Self::new(content)
    }
}

/// Whether the session's directory is the default one of its working directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UsesDefaultSessionDirResult {
    /// Whether the session is in the default directory of its agent.
    pub default: bool,
}

/// One argument of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ViewArgument {
    /// Name of the argument.
    pub name: String,
    /// The value if it is a string, otherwise its JSON.
    pub text: String,
}

/// A part of an entry. A kind that is not known is drawn as its `text`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ViewBlock {
    /// `text`: Markdown as it was written; `thinking`; `call`: a tool call, whose text is its main argument on one line; `diff`: the change of a file by a call; `result`: the output of a tool; `command`: the output of a command of the user; `image`: its type and size; `summary`: Markdown; `error`: why an answer failed; `data`: JSON.
    pub kind: ViewBlockKind,
    /// What it says, without terminal sequences; absent: it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of a `command` the command itself, of a `result` the main argument of its call, of `data` its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether a client that can fold shows only the beginning at first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<bool>,
    /// Name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Id of the call that this block belongs to.
    #[serde(rename = "callId", default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The file that the call is about, as the call names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Arguments of a call, without those that a `diff` shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<ViewArgument>>,
    /// Lines of a diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<ViewChange>>,
    /// Whether the tool or command failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
    /// Exit code of a command, if it is recorded.
    #[serde(rename = "exitCode", default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Such as `image/png`.
    #[serde(rename = "mimeType", default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Size of an image.
    #[serde(rename = "sizeBytes", default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<i64>,
    /// The entry with the call that this is the result of.
    #[serde(rename = "callEntryId", default, skip_serializing_if = "Option::is_none")]
    pub call_entry_id: Option<String>,
    /// The entry with the result of this call.
    #[serde(rename = "resultEntryId", default, skip_serializing_if = "Option::is_none")]
    pub result_entry_id: Option<String>,
    /// Number of characters that `maxChars` has cut.
    #[serde(rename = "omittedChars", default, skip_serializing_if = "Option::is_none")]
    pub omitted_chars: Option<i64>,
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ViewChange {
    /// `gap`: lines are left out here; `text` may be a heading of the diff.
    pub kind: ViewChangeKind,
    /// The line; absent: it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Line number, if the source of the diff has one: in the new file for `added`, else in the old one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
}

/// One entry as a person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ViewItem {
    /// Id of the entry.
    #[serde(rename = "entryId")]
    pub entry_id: String,
    /// Type of the entry.
    #[serde(rename = "type")]
    pub type_: String,
    /// Role of a message, else the type of the entry.
    pub role: String,
    /// As written in the entry.
    pub time: String,
    /// Who speaks, or what the entry sets, in words.
    pub title: String,
    /// Whether the title says everything: a model, a name, a label.
    #[serde(rename = "isSetting", default, skip_serializing_if = "Option::is_none")]
    pub is_setting: Option<bool>,
    /// Short remarks for the heading, such as `aborted` or `hidden`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
    /// Provider and model of an answer, joined by a slash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens that the entry records, of all kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<i64>,
    /// In US dollars, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub cost: Option<f64>,
    /// The present label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Some agents keep an answer in several entries: the id of the first one, if this is a later one. It needs no heading of its own.
    #[serde(rename = "partOf", default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// Empty if there is none, as for a setting; 0.2 left it out then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<ViewBlock>>,
}

/// The watcher of directories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WatchStatus {
    /// Number of directories watched.
    pub directories: i64,
    /// `native`: by the system's events; `polling`; or `off`.
    pub mode: WatchStatusMode,
    /// Number of events seen since the start.
    pub events: i64,
}

/// The context window of the present model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WindowUsageParams {
    /// Size of the model's context window, in tokens.
    #[serde(rename = "contextWindow")]
    pub context_window: i64,
}

impl WindowUsageParams {
    /// Creates params with the required members.
    pub fn new(context_window: i64) -> Self {
        Self {
            context_window,
        }
    }
}

impl From<i64> for WindowUsageParams {
    fn from(context_window: i64) -> Self {
        Self::new(context_window)
    }
}

/// Measure how much of the context window is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WindowUsageResult {
    /// null: unknown, between a compaction and the next answer.
    #[serde(deserialize_with = "Option::deserialize")]
    pub tokens: Option<i64>,
    /// The context window from the request.
    #[serde(rename = "contextWindow")]
    pub context_window: i64,
    /// Percentage of the context window, which may exceed 100; null: unknown.
    #[serde(serialize_with = "finite::finite", deserialize_with = "Option::deserialize")]
    pub percent: Option<f64>,
}

/// The progress of a request: one `begin`, any number of `report`s, one `end`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkDoneProgress {
    /// `begin`, `report` or `end`.
    pub kind: WorkDoneProgressKind,
    /// Text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// From 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite::finite")]
    pub percentage: Option<f64>,
    /// Number of items done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded: Option<i64>,
    /// Number of items in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
}

values! {
    /// Member of [`SessionActivity`], [`SetActivityParams`]. Later versions may add values.
    ActivityState {
        Idle = "idle",
        Running = "running",
        Waiting = "waiting",
    }
}

values! {
    /// Member of [`AgentSummary`], [`ListedAgent`]. Later versions may add values.
    AgentSummaryAgent {
        Clanker = "clanker",
        ClaudeCode = "claude-code",
        Coderclaw = "coderclaw",
        Codex = "codex",
        Companion = "companion",
        Copilot = "copilot",
        GeminiCli = "gemini-cli",
        Indusagi = "indusagi",
        Omp = "omp",
        Openclaw = "openclaw",
        Opencode = "opencode",
        Pi = "pi",
        QwenCode = "qwen-code",
    }
}

values! {
    /// Member of [`AssistantMessage`]. Later versions may add values.
    AssistantMessageStopReason {
        Pending = "pending",
        Stop = "stop",
        Length = "length",
        ToolUse = "toolUse",
        Error = "error",
        Aborted = "aborted",
        Deferred = "deferred",
    }
}

values! {
    /// Member of [`BeginResult`], [`EvaluateFreshnessParams`]. Later versions may add values.
    BeginResetType {
        Direct = "direct",
        Group = "group",
        Thread = "thread",
    }
}

values! {
    /// Member of . Later versions may add values.
    CatalogSearchFields {
        Calls = "calls",
        Commands = "commands",
        Labels = "labels",
        Results = "results",
        Said = "said",
        Summaries = "summaries",
        Thinking = "thinking",
    }
}

values! {
    /// Member of [`CatalogSearchParams`]. Later versions may add values.
    CatalogSearchMode {
        Fuzzy = "fuzzy",
        Regex = "regex",
        Text = "text",
    }
}

values! {
    /// Member of . Later versions may add values.
    CatalogSearchRoles {
        Assistant = "assistant",
        BashExecution = "bashExecution",
        BranchSummary = "branch_summary",
        Compaction = "compaction",
        Label = "label",
        ToolResult = "toolResult",
        User = "user",
    }
}

values! {
    /// Member of [`CatalogSubscribeParams`], [`ListAllParams`], [`ListParams`]. Later versions may add values.
    CatalogSubscribeHidden {
        Exclude = "exclude",
        Include = "include",
        Only = "only",
    }
}

values! {
    /// Member of [`CatalogUsageParams`]. Later versions may add values.
    CatalogUsageBy {
        Agent = "agent",
        Block = "block",
        Day = "day",
        Model = "model",
        Month = "month",
        Project = "project",
        Session = "session",
        Week = "week",
    }
}

values! {
    /// Member of [`CatalogUsageResult`]. Later versions may add values.
    CatalogUsageCurrency {
        Usd = "USD",
    }
}

values! {
    /// Member of [`CatalogUsageParams`]. Later versions may add values.
    CatalogUsageThenBy {
        Agent = "agent",
        Block = "block",
        Day = "day",
        Model = "model",
        Month = "month",
        Project = "project",
        Session = "session",
        Week = "week",
    }
}

values! {
    /// Member of [`CatalogChange`], [`StoreChange`]. Later versions may add values.
    ChangeKind {
        Added = "added",
        Changed = "changed",
        Removed = "removed",
    }
}

values! {
    /// Member of [`Diagnostic`]. Later versions may add values.
    DiagnosticKind {
        MalformedLine = "malformedLine",
        NotAnEntry = "notAnEntry",
        MissingId = "missingId",
        DuplicateId = "duplicateId",
        Orphan = "orphan",
        SelfParent = "selfParent",
        Cycle = "cycle",
        SecondHeader = "secondHeader",
        TornTail = "tornTail",
        InvalidUtf8 = "invalidUtf8",
        ByteOrderMark = "byteOrderMark",
        UnknownVersion = "unknownVersion",
        MissingTarget = "missingTarget",
        InvalidTimestamp = "invalidTimestamp",
        MissingNewline = "missingNewline",
        MalformedEntry = "malformedEntry",
        NotASession = "notASession",
        Unreadable = "unreadable",
        InternalError = "internalError",
    }
}

values! {
    /// Member of [`ExportParams`]. Later versions may add values.
    ExportFormat {
        Html = "html",
        Jsonl = "jsonl",
        Markdown = "markdown",
    }
}

values! {
    /// Member of [`FileProblem`]. Later versions may add values.
    FileProblemKind {
        Unreadable = "unreadable",
        InternalError = "internalError",
        TimedOut = "timedOut",
    }
}

values! {
    /// Member of [`GetTreeParams`]. Later versions may add values.
    GetTreeDetail {
        Full = "full",
        Outline = "outline",
    }
}

values! {
    /// Member of [`InitializeParams`], [`InitializeResult`]. Later versions may add values.
    InitializePositionEncoding {
        Utf16 = "utf-16",
        Utf32 = "utf-32",
        Utf8 = "utf-8",
    }
}

values! {
    /// Member of [`InitializeParams`], [`InitializeResult`]. Later versions may add values.
    InitializeProfile {
        Clanker = "clanker",
        ClaudeCode = "claude-code",
        Coderclaw = "coderclaw",
        Codex = "codex",
        Companion = "companion",
        Copilot = "copilot",
        GeminiCli = "gemini-cli",
        Indusagi = "indusagi",
        Omp = "omp",
        Openclaw = "openclaw",
        Opencode = "opencode",
        Pi = "pi",
        QwenCode = "qwen-code",
    }
}

values! {
    /// Member of [`ListAllParams`], [`ListParams`]. Later versions may add values.
    ListAllSort {
        Cost = "cost",
        Messages = "messages",
        Modified = "modified",
        Size = "size",
        Used = "used",
    }
}

values! {
    /// Member of [`MaintainParams`], [`MaintainResult`]. Later versions may add values.
    MaintainMode {
        Enforce = "enforce",
        Warn = "warn",
    }
}

values! {
    /// Member of [`PlanMemoryFlushResult`]. Later versions may add values.
    PlanMemoryFlushReason {
        Due = "due",
        Disabled = "disabled",
        WorkspaceNotWritable = "workspaceNotWritable",
        Heartbeat = "heartbeat",
        CliProvider = "cliProvider",
        TokensUnknown = "tokensUnknown",
        WindowTooSmall = "windowTooSmall",
        BelowThreshold = "belowThreshold",
        AlreadyFlushed = "alreadyFlushed",
    }
}

values! {
    /// Member of [`GivenPolicy`], [`ResetPolicy`]. Later versions may add values.
    PolicyMode {
        Daily = "daily",
        Idle = "idle",
    }
}

values! {
    /// Member of [`PrepareCompactionResult`]. Later versions may add values.
    PrepareCompactionReason {
        AlreadyCompacted = "Already compacted",
        NothingToCompactSessionTooSmall = "Nothing to compact (session too small)",
    }
}

values! {
    /// Member of [`ResolveKeyResult`], [`SessionRow`]. Later versions may add values.
    ResolveKeyKind {
        Direct = "direct",
        Global = "global",
        Group = "group",
        Unknown = "unknown",
    }
}

values! {
    /// Member of [`SearchSnippet`]. Later versions may add values.
    SearchSnippetField {
        Calls = "calls",
        Commands = "commands",
        Labels = "labels",
        Results = "results",
        Said = "said",
        Summaries = "summaries",
        Thinking = "thinking",
    }
}

values! {
    /// Member of [`SearchSnippet`]. Later versions may add values.
    SearchSnippetRole {
        Assistant = "assistant",
        BashExecution = "bashExecution",
        BranchSummary = "branch_summary",
        Compaction = "compaction",
        Label = "label",
        ToolResult = "toolResult",
        User = "user",
    }
}

values! {
    /// Member of . Later versions may add values.
    SearchSuggestionFields {
        Calls = "calls",
        Commands = "commands",
        Labels = "labels",
        Results = "results",
        Said = "said",
        Summaries = "summaries",
        Thinking = "thinking",
    }
}

values! {
    /// Member of [`ServerCapabilities`]. Later versions may add values.
    ServerCapabilitiesFraming {
        Header = "header",
        Line = "line",
    }
}

values! {
    /// Member of [`ServerInfo`]. Later versions may add values.
    ServerInfoName {
        Sessiond = "sessiond",
    }
}

values! {
    /// Member of [`SessionDidChangeParams`]. Later versions may add values.
    SessionDidChangeKind {
        Appended = "appended",
        Deleted = "deleted",
        Invalid = "invalid",
        Restored = "restored",
        Rewritten = "rewritten",
    }
}

values! {
    /// Member of [`StoreProblem`]. Later versions may add values.
    StoreProblemKind {
        CorruptStore = "corruptStore",
        UnreadableStore = "unreadableStore",
        UnreadableEntry = "unreadableEntry",
        NotAnEntry = "notAnEntry",
        InvalidSessionId = "invalidSessionId",
        InvalidSessionFile = "invalidSessionFile",
        ArchiveFailed = "archiveFailed",
        ReplacedStore = "replacedStore",
    }
}

values! {
    /// Member of [`StoreResetParams`]. Later versions may add values.
    StoreResetReason {
        New = "new",
        Reset = "reset",
    }
}

values! {
    /// Member of [`SyncMove`], [`SyncParams`]. Later versions may add values.
    SyncMoveDirection {
        Pull = "pull",
        Push = "push",
    }
}

values! {
    /// Member of [`SyncMove`]. Later versions may add values.
    SyncMoveKind {
        Session = "session",
        Entries = "entries",
        Bytes = "bytes",
        Deletion = "deletion",
    }
}

values! {
    /// Member of [`UndoneChange`]. Later versions may add values.
    UndoneChangeKind {
        Delete = "delete",
        Label = "label",
        Rename = "rename",
    }
}

values! {
    /// Member of [`ViewBlock`]. Later versions may add values.
    ViewBlockKind {
        Text = "text",
        Thinking = "thinking",
        Call = "call",
        Diff = "diff",
        Result = "result",
        Command = "command",
        Image = "image",
        Summary = "summary",
        Error = "error",
        Data = "data",
    }
}

values! {
    /// Member of [`ViewChange`]. Later versions may add values.
    ViewChangeKind {
        Added = "added",
        Removed = "removed",
        Same = "same",
        Gap = "gap",
    }
}

values! {
    /// Member of [`WatchStatus`]. Later versions may add values.
    WatchStatusMode {
        Native = "native",
        Off = "off",
        Polling = "polling",
    }
}

values! {
    /// Member of [`WorkDoneProgress`]. Later versions may add values.
    WorkDoneProgressKind {
        Begin = "begin",
        End = "end",
        Report = "report",
    }
}

/// A notification of the daemon.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notification {
    /// `$/progress`. The progress of a request that carried a token.
    Progress(ProgressParams),
    /// `session/didChange`. The session's file was changed, but not through this handle.
    SessionDidChange(SessionDidChangeParams),
    /// `session/didChangeDraft`. Another handle of the session has published a draft, or its draft has ended.
    SessionDidChangeDraft(SessionDidChangeDraftParams),
    /// `catalog/didChange`. Session files were added, changed or removed.
    CatalogDidChange(CatalogDidChangeParams),
    /// `gateway/didChange`. Sessions of a store were added, changed or removed.
    GatewayDidChange(GatewayDidChangeParams),
    /// An unknown notification, or one that does not fit its type.
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
            "session/didChangeDraft" => params.parse().map(Self::SessionDidChangeDraft).ok(),
            "catalog/didChange" => params.parse().map(Self::CatalogDidChange).ok(),
            "gateway/didChange" => params.parse().map(Self::GatewayDidChange).ok(),
            _ => None,
        };
        read.unwrap_or_else(|| Self::Unknown {
            method: method.to_owned(),
            params: params.clone(),
        })
    }
}
