use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::backlog::Updates;
use crate::call::Call;
use crate::client::Client;
use crate::error::Error;
use crate::json::Raw;
use crate::method::{Method, Tracks};
use crate::shared::{Answer, Handle};
use crate::types::SessionState;
use crate::updates::Change;

/// An open session: a file that others may also change, and a leaf of its own.
///
/// It stays valid when the daemon is restarted. Clones are the same session. When the last clone is
/// dropped, the session is closed. Calls after [`Session::close`] fail with [`Error::SessionClosed`];
/// another `close` does nothing.
#[derive(Clone, Debug)]
pub struct Session {
    opened: Arc<Handle>,
    client: Client,
}

impl Session {
    /// The client that opened the session.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The same session with another limit of time for each call; see [`Client::with_timeout`].
    #[must_use = "the session itself keeps its limit"]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self {
            opened: Arc::clone(&self.opened),
            client: self.client.with_timeout(timeout),
        }
    }

    /// The handle, for params that name other sessions. It stays the same in every daemon.
    pub fn handle(&self) -> String {
        self.opened.slot.handle.clone()
    }

    /// The last state that the daemon reported, on opening, after a restart or in answer to
    /// [`Session::get_state`], which requests the current one.
    pub fn state(&self) -> Arc<SessionState> {
        let inner = self.opened.slot.lock();
        Arc::clone(&inner.session.as_ref().expect("the slot of a session").state)
    }

    /// The entry under which the next one is appended; `None`: before the first entry. It is kept current
    /// with the changes of this client and of others.
    pub fn leaf_id(&self) -> Option<String> {
        let inner = self.opened.slot.lock();
        inner
            .session
            .as_ref()
            .expect("the slot of a session")
            .leaf
            .clone()
    }

    /// The last entry of the file, which is kept current as [`Session::leaf_id`] is; `None`: there is none.
    pub fn tip_id(&self) -> Option<String> {
        let inner = self.opened.slot.lock();
        inner
            .session
            .as_ref()
            .expect("the slot of a session")
            .tip
            .clone()
    }

    /// Changes that others make to the file: other programs, or other sessions of this client.
    ///
    /// The first call returns a stream of the changes since the session was opened. Streams of later
    /// calls start with the next change. In each the last 1,024 changes wait to be read; where older
    /// ones were dropped, `sequence` has a gap.
    pub fn changes(&self) -> Updates<Change> {
        Updates::new(self.opened.slot.reader(), Change::read)
    }

    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<R, Error> {
        let call = Call::on(&self.opened.slot, method, params)?;
        match self.client.send(call).await {
            Err(Error::SessionClosed) if method.tracks == Tracks::Closes => Answer {
                result: Raw::null(),
                opened: None,
            }
            .parse(method.name),
            answer => answer?.parse(method.name),
        }
    }
}

impl Client {
    pub(crate) async fn open_with(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<Session, Error> {
        let mut answer = self.send(Call::of(method, params)?).await?;
        match answer.opened.take() {
            Some(opened) => Ok(Session {
                opened: Arc::new(opened),
                client: self.clone(),
            }),
            None => answer
                .parse::<SessionState>(method.name)
                .and(Err(Error::Closed)),
        }
    }
}
