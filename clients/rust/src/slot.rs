//! The state of an open session or subscription, with which to restore it after a crash.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::backlog::{Feed, Reader};
use crate::error::Error;
use crate::json::Raw;
use crate::types::{OpenParams, SessionState};

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
    /// The name of the member that carries the handle.
    pub(crate) member: &'static str,
    /// The notification of changes.
    pub(crate) told: &'static str,
    /// The method that closes it.
    pub(crate) ends: &'static str,
    /// The method and params that made the subscription.
    pub(crate) made: Option<(String, Option<String>)>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    status: Status,
    pub(crate) session: Option<Known>,
    pub(crate) news: Feed<News>,
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
    /// The last entry of the file; `None` if it has none.
    pub(crate) tip: Option<String>,
    /// Whether the leaf moves with the tip while it is there.
    pub(crate) follow: bool,
}

impl Slot {
    pub(crate) fn session(state: SessionState, follow: bool) -> Self {
        let handle = state.session.clone();
        let inner = Inner::new(Some(Known {
            leaf: state.leaf_id.clone(),
            tip: state.tip_id.clone(),
            state: Arc::new(state),
            follow,
        }));
        Self {
            handle,
            member: "session",
            told: "session/didChange",
            ends: "session/close",
            made: None,
            inner: Mutex::new(inner),
        }
    }

    pub(crate) fn subscription(
        handle: String,
        made: (String, Option<String>),
        told: &'static str,
        ends: &'static str,
    ) -> Self {
        Self {
            handle,
            member: "subscription",
            told,
            ends,
            made: Some(made),
            inner: Mutex::new(Inner::new(None)),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no lock is held over a panic")
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.lock().status {
            Status::Open => Ok(()),
            Status::Closed => Err(Error::SessionClosed),
            Status::Lost(error) => Err(error.clone()),
        }
    }

    /// End the streams of news.
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
    fn new(session: Option<Known>) -> Self {
        let mut news = Feed::new();
        let first = Some(news.reader());
        Self {
            status: Status::Open,
            session,
            news,
            first,
        }
    }
}

impl Known {
    /// The file of the session, if it has one.
    pub(crate) fn file(&self) -> Option<String> {
        let file = self.state.session_file.clone();
        file.filter(|_| self.state.persisted)
    }

    /// Params that open the session again, at its leaf; `None` if it was in memory.
    pub(crate) fn reopening(&self) -> Option<OpenParams> {
        let params = OpenParams::new(self.file()?)
            .session(&self.state.session)
            .session_dir(&self.state.session_dir)
            .cwd(&self.state.cwd)
            .read_only(self.state.read_only)
            .follow(self.follow)
            // An empty session need not have a file.
            .must_exist(self.tip.is_some());
        if self.follow && self.leaf == self.tip {
            return Some(params);
        }
        Some(params.leaf_id(self.leaf.clone()))
    }

    /// Store a new state of the session.
    pub(crate) fn update(&mut self, state: SessionState) {
        self.leaf.clone_from(&state.leaf_id);
        self.tip.clone_from(&state.tip_id);
        self.state = Arc::new(state);
    }

    /// Whether a state is that of the same session. An empty one may have another id, as it has no file.
    pub(crate) fn is_same(&self, state: &SessionState) -> bool {
        self.tip.is_none() || self.state.session_id == state.session_id
    }
}
