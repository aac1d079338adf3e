//! Streams of notifications. None drops anything: they keep what was not read.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::error::Error;
use crate::json::Raw;
use crate::slot::Event;
use crate::types::Notification;

/// An event of a session or a subscription.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Update<S, N> {
    /// A change.
    Changed(N),
    /// The daemon was restarted; this is the current state. Changes made during the restart are not
    /// reported one by one.
    Renewed(S),
    /// The daemon ended, and the session or subscription could not be restored. Nothing follows.
    Lost(Error),
    /// A notification that this version cannot read: its text.
    Unknown(Raw),
}

/// A stream of updates; see [`Session::updates`](crate::Session::updates).
#[derive(Debug)]
pub struct Updates<S, N> {
    events: UnboundedReceiver<Event>,
    told: PhantomData<fn() -> (S, N)>,
}

impl<S: DeserializeOwned, N: DeserializeOwned> Updates<S, N> {
    pub(crate) fn new(events: UnboundedReceiver<Event>) -> Self {
        Self {
            events,
            told: PhantomData,
        }
    }

    /// Wait for the next update; `None` if the session or the client was closed.
    pub async fn next(&mut self) -> Option<Update<S, N>> {
        self.events.recv().await.map(read)
    }

    /// The next update, if it has arrived.
    pub fn try_next(&mut self) -> Option<Update<S, N>> {
        self.events.try_recv().ok().map(read)
    }
}

fn read<S: DeserializeOwned, N: DeserializeOwned>(event: Event) -> Update<S, N> {
    match event {
        Event::Changed(raw) => raw.parse().map_or(Update::Unknown(raw), Update::Changed),
        Event::Renewed(raw) => raw.parse().map_or(Update::Unknown(raw), Update::Renewed),
        Event::Lost(error) => Update::Lost(error),
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
    told: UnboundedReceiver<Told>,
}

impl Notifications {
    pub(crate) fn new(told: UnboundedReceiver<Told>) -> Self {
        Self { told }
    }

    /// Wait for the next notification; `None` if the client was closed.
    pub async fn next(&mut self) -> Option<Told> {
        self.told.recv().await
    }

    /// The next notification, if it has arrived.
    pub fn try_next(&mut self) -> Option<Told> {
        self.told.try_recv().ok()
    }
}

#[cfg(feature = "stream")]
mod stream {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use futures_core::Stream;

    use super::{read, DeserializeOwned, Notifications, Told, Update, Updates};

    impl<S: DeserializeOwned, N: DeserializeOwned> Stream for Updates<S, N> {
        type Item = Update<S, N>;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<Self::Item>> {
            self.events.poll_recv(context).map(|event| event.map(read))
        }
    }

    impl Stream for Notifications {
        type Item = Told;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<Told>> {
            self.told.poll_recv(context)
        }
    }
}
