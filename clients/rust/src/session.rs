use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::backlog::Updates;
use crate::call::{Answer, Call};
use crate::client::Client;
use crate::error::Error;
use crate::generated::errors::ErrorKind;
use crate::method::{Method, Tracks};
use crate::shared::Shared;
use crate::slot::Slot;
use crate::types::SessionState;
use crate::updates::Change;

/// An open session: a file that others may also change, and a leaf of its own.
///
/// It stays valid when the daemon is restarted. Clones are the same session. When the last clone is
/// dropped, the session is closed. Calls after [`Session::close`] fail with [`Error::SessionClosed`];
/// another `close` does nothing.
#[derive(Clone, Debug)]
pub struct Session {
    inner: Arc<Inner>,
    client: Client,
}

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    slot: Arc<Slot>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.release(&self.slot);
    }
}

impl Session {
    pub(crate) fn new(client: Client, slot: Arc<Slot>) -> Self {
        let shared = Arc::clone(client.shared());
        Self {
            inner: Arc::new(Inner { shared, slot }),
            client,
        }
    }

    /// The client that opened the session.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The same session with another limit of time for each call; see [`Client::with_timeout`].
    #[must_use = "the session itself keeps its limit"]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            client: self.client.with_timeout(timeout),
        }
    }

    /// The handle, for params that name other sessions. It stays the same in every daemon.
    pub fn handle(&self) -> String {
        self.inner.slot.handle.clone()
    }

    /// The last state that the daemon reported, on opening, after a restart or in answer to
    /// [`Session::get_state`], which requests the current one.
    pub fn state(&self) -> Arc<SessionState> {
        let inner = self.inner.slot.lock();
        Arc::clone(&inner.session.as_ref().expect("the slot of a session").state)
    }

    /// Changes that others make to the file: other programs, or other sessions of this client.
    ///
    /// The first call returns a stream of the changes since the session was opened. Streams of later
    /// calls start with the next change. In each the last 1,024 changes wait to be read; where older
    /// ones were dropped, `sequence` has a gap.
    pub fn changes(&self) -> Updates<Change> {
        Updates::new(self.inner.slot.reader(), Change::read)
    }

    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<R, Error> {
        let call = Call::of(method, params)?.on(&self.inner.slot);
        let answer = self.client.send(call).await;
        let closed = match &answer {
            Err(Error::SessionClosed) => true,
            // It was closed while the call was on its way.
            Err(error) => {
                matches!(error.kind(), Some(ErrorKind::UnknownSession { .. }))
                    && matches!(self.inner.slot.check(), Err(Error::SessionClosed))
            }
            Ok(_) => false,
        };
        match (closed, method.tracks) {
            (true, Tracks::Closes) => Answer::null().parse(method.name),
            (true, _) => Err(Error::SessionClosed),
            _ => answer?.parse(method.name),
        }
    }
}

impl Client {
    pub(crate) async fn open_with(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<Session, Error> {
        let answer = self.send(Call::of(method, params)?).await?;
        match &answer.opened {
            Some(slot) => Ok(Session::new(self.clone(), Arc::clone(slot))),
            None => answer
                .parse::<SessionState>(method.name)
                .and(Err(Error::Closed)),
        }
    }
}
