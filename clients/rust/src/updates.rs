//! Streams of what the daemon tells unasked. None drops anything: they hold what was not read.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::error::Error;
use crate::json::Raw;
use crate::slot::Event;
use crate::types::Notification;

/// What became of a session, or of what is subscribed to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Update<S, N> {
    /// The daemon told of a change.
    Changed(N),
    /// The daemon had ended and was started again; this is how things are now. What changed in
    /// between was not told.
    Renewed(S),
    /// The daemon had ended, and it cannot be had again. Nothing follows.
    Lost(Error),
    /// Told in a way not known here: the text as it came.
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

    /// The next one; `None` when the session or the client was closed.
    pub async fn next(&mut self) -> Option<Update<S, N>> {
        self.events.recv().await.map(read)
    }

    /// The next one if it is there already.
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

/// A notification as it came.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Told {
    /// Its name.
    pub method: String,
    /// Its params; `null` if it had none. Handles in them are those of the daemon's process.
    pub params: Raw,
}

impl Told {
    /// The typed view.
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

    /// The next one; `None` when the client was closed.
    pub async fn next(&mut self) -> Option<Told> {
        self.told.recv().await
    }

    /// The next one if it is there already.
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
