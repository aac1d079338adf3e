use crate::backlog::Receiver;
use crate::error::Error;

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

/// A stream of events; see [`Client::events`](crate::Client::events).
#[derive(Debug)]
pub struct Events {
    events: Receiver<Event>,
}

impl Events {
    pub(crate) fn new(events: Receiver<Event>) -> Self {
        Self { events }
    }

    /// Wait for the next event; `None` after [`Event::Lost`], or if the client was closed.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// The next event, if it has arrived.
    pub fn try_next(&mut self) -> Option<Event> {
        self.events.try_recv()
    }
}
