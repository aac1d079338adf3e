//! The state of an open session or subscription, with which to restore it after a crash.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::backlog::{Feed, Reader};
use crate::error::Error;
use crate::json::{member, Raw};
use crate::lossy::decoded;
use crate::method::Method;
use crate::types::SessionState;

/// An event of a session or subscription: params of a notification, or a new state.
#[derive(Clone, Debug)]
pub(crate) enum News {
    Changed(Raw),
    Reconnected(Raw),
    Lost(Error),
}

/// An open session or subscription. It outlives the process of the daemon, and so does its handle.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) handle: String,
    pub(crate) kind: Kind,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Session,
    Subscription {
        method: &'static Method,
        params: String,
        told: &'static str,
        ends: &'static str,
    },
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) status: Status,
    /// The last state or snapshot.
    pub(crate) text: Raw,
    pub(crate) session: Option<Known>,
    news: Feed<News>,
    /// For the first reader: it has the news from the beginning.
    first: Option<Reader<News>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Status {
    Open,
    Closed,
    Lost(Error),
}

/// The known state of a session.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) state: Arc<SessionState>,
    pub(crate) leaf: Option<String>,
    /// Whether the leaf follows the last entry of the file.
    pub(crate) follow: bool,
    /// Whether the leaf was set explicitly, so that it may not be the last entry.
    pub(crate) placed: bool,
    /// Whether it has entries.
    pub(crate) filled: bool,
}

impl Slot {
    pub(crate) fn session(state: SessionState, text: Raw, follow: bool) -> Self {
        let handle = state.session.clone();
        let known = Known {
            leaf: state.leaf_id.clone(),
            filled: state.entry_count > 0,
            state: Arc::new(state),
            follow,
            placed: false,
        };
        Self::new(Kind::Session, handle, text, Some(known))
    }

    pub(crate) fn subscription(kind: Kind, handle: String, text: Raw) -> Self {
        Self::new(kind, handle, text, None)
    }

    fn new(kind: Kind, handle: String, text: Raw, session: Option<Known>) -> Self {
        let mut news = Feed::new();
        let first = Some(news.reader());
        Self {
            handle,
            kind,
            inner: Mutex::new(Inner {
                status: Status::Open,
                text,
                session,
                news,
                first,
            }),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no lock is held over a panic")
    }

    /// The name of the member that carries the handle.
    pub(crate) fn member(&self) -> &'static str {
        match self.kind {
            Kind::Session => "session",
            Kind::Subscription { .. } => "subscription",
        }
    }

    /// Whether the answer that opened it again is about the same session. An empty one has no file.
    pub(crate) fn is_same(&self, answer: &str) -> bool {
        let id = || member::<String>(answer, "sessionId");
        let inner = self.lock();
        let known = inner.session.as_ref();
        known.is_none_or(|known| !known.filled || id().as_ref() == Some(&known.state.session_id))
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.lock().status {
            Status::Open => Ok(()),
            Status::Closed => Err(Error::SessionClosed),
            Status::Lost(error) => Err(error.clone()),
        }
    }

    pub(crate) fn tell(&self, event: News) {
        self.lock().news.send(&event);
    }

    /// End the streams of events.
    pub(crate) fn finish(&self, status: Status) {
        let mut inner = self.lock();
        if let Status::Lost(error) = &status {
            inner.news.send(&News::Lost(error.clone()));
        }
        if matches!(inner.status, Status::Open) {
            inner.status = status;
        }
        inner.news.end();
    }

    pub(crate) fn reader(&self) -> Reader<News> {
        let mut inner = self.lock();
        let first = inner.first.take();
        first.unwrap_or_else(|| inner.news.reader())
    }
}

impl Inner {
    /// Store what an answer says after a restart.
    pub(crate) fn renew(&mut self, answer: &str, text: Raw) {
        match decoded(answer) {
            Ok(state) if self.session.is_some() => self.update(state, text, false),
            _ => self.text = text,
        }
    }

    /// Store a new state of the session.
    pub(crate) fn update(&mut self, state: SessionState, text: Raw, moves: bool) {
        if let Some(known) = &mut self.session {
            known.leaf.clone_from(&state.leaf_id);
            known.filled = state.entry_count > 0;
            known.placed = known.placed && !moves;
            known.follow = known.follow && !moves;
            known.state = Arc::new(state);
            self.text = text;
        }
    }
}
