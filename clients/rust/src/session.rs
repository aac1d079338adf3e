use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::call::Call;
use crate::client::Client;
use crate::error::Error;
use crate::method::Method;
use crate::slot::Slot;
use crate::types::{SessionDidChangeParams, SessionState};
use crate::updates::Updates;

/// An open session: a place in its tree (the leaf), and the file with everybody's entries.
///
/// It stays valid when the daemon has to be started again. Clones are the same session. When the
/// last one is dropped, the session is closed.
#[derive(Clone, Debug)]
pub struct Session {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    client: Client,
    slot: Arc<Slot>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.client.shared().release(&self.slot);
    }
}

impl Session {
    pub(crate) fn new(client: Client, slot: Arc<Slot>) -> Self {
        Self {
            inner: Arc::new(Inner { client, slot }),
        }
    }

    /// The client it was opened with.
    pub fn client(&self) -> &Client {
        &self.inner.client
    }

    /// The handle in the daemon's present process, for params that name a session beside others.
    pub fn handle(&self) -> String {
        self.inner.slot.lock().handle.clone()
    }

    /// The state as it was when the session was opened, opened again, or asked for its state;
    /// [`Session::get_state`] asks for it as it is now.
    pub fn state(&self) -> Arc<SessionState> {
        let inner = self.inner.slot.lock();
        Arc::clone(&inner.session.as_ref().expect("the slot of a session").state)
    }

    /// Changes that others make to the session's file: another program, another session on it.
    ///
    /// The first call gets what was told since the session was opened, up to 1,024 changes; take
    /// it at once where that could be more. Later ones begin when they are made.
    pub fn updates(&self) -> Updates<SessionState, SessionDidChangeParams> {
        Updates::new(self.inner.slot.listen())
    }

    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<R, Error> {
        let call = Call::of(method, params).on(&self.inner.slot);
        let answer = self.inner.client.send(call).await?;
        answer.parse(method.name)
    }
}

impl Client {
    pub(crate) async fn open_with(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<Session, Error> {
        let answer = self.send(Call::of(method, params)).await?;
        match &answer.opened {
            Some(slot) => Ok(Session::new(self.clone(), Arc::clone(slot))),
            None => answer
                .parse::<SessionState>(method.name)
                .and(Err(Error::Closed)),
        }
    }
}
