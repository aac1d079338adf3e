//! What the streams consist of: changes, updates, notifications and events.

use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::json::Raw;
use crate::lossy::decoded;
use crate::slot::News;
use crate::types::{Notification, SessionDidChangeKind, SessionDidChangeParams, SessionState};

/// A change of a session that was not made with this handle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Change {
    /// Entries were appended.
    Appended(SessionDidChangeParams),
    /// Another program replaced the content: read the session again.
    Rewritten(SessionDidChangeParams),
    /// The file was deleted. Reads answer the last state until `Restored`.
    Deleted(SessionDidChangeParams),
    /// The file is no longer a session. Reads answer the last valid state until `Restored` or
    /// `Rewritten`.
    Invalid(SessionDidChangeParams),
    /// The deleted or invalid file is back, unchanged apart from appended entries.
    Restored(SessionDidChangeParams),
    /// The daemon ended, and the client opened the session again in a new one. Changes in between
    /// were not reported: read the session again.
    Reconnected(Box<SessionState>),
    /// The client could not open the session again. This is the last change.
    Lost(Error),
    /// A notification that this version cannot read: its text.
    Unknown(Raw),
}

impl Change {
    pub(crate) fn read(news: News) -> Self {
        let raw = match news {
            News::Changed(raw) => raw,
            News::Reconnected(raw) => {
                return decoded(raw.text()).map_or(Self::Unknown(raw), |state| {
                    Self::Reconnected(Box::new(state))
                })
            }
            News::Lost(error) => return Self::Lost(error),
        };
        let Ok(change) = decoded::<SessionDidChangeParams>(raw.text()) else {
            return Self::Unknown(raw);
        };
        match change.kind {
            SessionDidChangeKind::Appended => Self::Appended(change),
            SessionDidChangeKind::Rewritten => Self::Rewritten(change),
            SessionDidChangeKind::Deleted => Self::Deleted(change),
            SessionDidChangeKind::Invalid => Self::Invalid(change),
            SessionDidChangeKind::Restored => Self::Restored(change),
            SessionDidChangeKind::Unrecognized(_) => Self::Unknown(raw),
        }
    }
}

/// A change of what was subscribed to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Update<S, N> {
    /// A change.
    Changed(N),
    /// The daemon was restarted; the snapshot replaces the state so far.
    Reconnected(S),
    /// The client could not subscribe again. This is the last update.
    Lost(Error),
    /// A notification that this version cannot read: its text.
    Unknown(Raw),
}

impl<S: DeserializeOwned, N: DeserializeOwned> Update<S, N> {
    pub(crate) fn read(news: News) -> Self {
        match news {
            News::Changed(raw) => decoded(raw.text()).map_or(Self::Unknown(raw), Self::Changed),
            News::Reconnected(raw) => {
                decoded(raw.text()).map_or(Self::Unknown(raw), Self::Reconnected)
            }
            News::Lost(error) => Self::Lost(error),
        }
    }
}

/// A notification.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Told {
    /// Its name.
    pub method: String,
    /// Its params; `null` if it has none.
    pub params: Raw,
}

impl Told {
    /// The typed notification.
    pub fn read(&self) -> Notification {
        Notification::read(&self.method, &self.params)
    }
}

/// An event of the client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The daemon ended, and the client started a new one and opened everything in it again.
    Reconnected(Reconnection),
    /// The daemon ended, and the client gave up. All calls fail with this error.
    Lost(Error),
}

/// A restart of the daemon.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reconnection {
    /// How the daemon ended, with the end of its log.
    pub cause: Error,
    /// The sessions and subscriptions that could not be opened again.
    pub lost: Vec<Error>,
}
