//! Streams of changes and notifications. In each the last 1,024 wait to be read.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::backlog::Receiver;
use crate::error::Error;
use crate::json::Raw;
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
    Reconnected(SessionState),
    /// The client could not open the session again. This is the last change.
    Lost(Error),
    /// A notification that this version cannot read: its text.
    Unknown(Raw),
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

/// What a stream of updates consists of: [`Change`] or [`Update`].
pub trait Reported: Sized + private::Read {}

impl Reported for Change {}

impl<S: DeserializeOwned, N: DeserializeOwned> Reported for Update<S, N> {}

mod private {
    use super::{Change, DeserializeOwned, News, SessionDidChangeKind, Update};
    use crate::lossy::decoded;
    use crate::types::SessionDidChangeParams;

    pub trait Read {
        #[doc(hidden)]
        #[allow(private_interfaces)]
        fn read(news: News) -> Self;
    }

    impl<S: DeserializeOwned, N: DeserializeOwned> Read for Update<S, N> {
        #[allow(private_interfaces)]
        fn read(news: News) -> Self {
            match news {
                News::Changed(raw) => decoded(raw.text()).map_or(Self::Unknown(raw), Self::Changed),
                News::Reconnected(raw) => {
                    decoded(raw.text()).map_or(Self::Unknown(raw), Self::Reconnected)
                }
                News::Lost(error) => Self::Lost(error),
            }
        }
    }

    impl Read for Change {
        #[allow(private_interfaces)]
        fn read(news: News) -> Self {
            let raw = match news {
                News::Changed(raw) => raw,
                News::Reconnected(raw) => {
                    return decoded(raw.text()).map_or(Self::Unknown(raw), Self::Reconnected)
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
}

/// A stream of changes; see [`Session::changes`](crate::Session::changes).
#[derive(Debug)]
pub struct Updates<T> {
    news: Receiver<News>,
    reported: PhantomData<fn() -> T>,
}

impl<T: Reported> Updates<T> {
    pub(crate) fn new(news: Receiver<News>) -> Self {
        Self {
            news,
            reported: PhantomData,
        }
    }

    /// Wait for the next change; `None` after `Lost`, and if the session or the client was closed.
    pub async fn next(&mut self) -> Option<T> {
        self.news.recv().await.map(T::read)
    }

    /// The next change, if it has arrived.
    pub fn try_next(&mut self) -> Option<T> {
        self.news.try_recv().map(T::read)
    }
}

/// A notification.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Told {
    /// Its name.
    pub method: String,
    /// Its params; `null` if it has none. Handles belong to the current process of the daemon.
    pub params: Raw,
}

impl Told {
    /// The typed notification.
    pub fn read(&self) -> Notification {
        Notification::read(&self.method, &self.params)
    }
}

/// A stream of all notifications; see [`Client::notifications`](crate::Client::notifications).
#[derive(Debug)]
pub struct Notifications {
    told: Receiver<Told>,
}

impl Notifications {
    pub(crate) fn new(told: Receiver<Told>) -> Self {
        Self { told }
    }

    /// Wait for the next notification; `None` if the client was closed.
    pub async fn next(&mut self) -> Option<Told> {
        self.told.recv().await
    }

    /// The next notification, if it has arrived.
    pub fn try_next(&mut self) -> Option<Told> {
        self.told.try_recv()
    }
}

#[cfg(feature = "stream")]
mod stream {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use futures_core::Stream;

    use super::{Notifications, Reported, Told, Updates};

    #[cfg_attr(docsrs, doc(cfg(feature = "stream")))]
    impl<T: Reported> Stream for Updates<T> {
        type Item = T;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<T>> {
            self.news.poll_recv(context).map(|news| news.map(T::read))
        }
    }

    #[cfg_attr(docsrs, doc(cfg(feature = "stream")))]
    impl Stream for Notifications {
        type Item = Told;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<Told>> {
            self.told.poll_recv(context)
        }
    }
}
