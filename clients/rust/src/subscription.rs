use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::backlog::Updates;
use crate::call::Call;
use crate::client::Client;
use crate::error::Error;
use crate::method::Method;
use crate::shared::Handle;
use crate::updates::Update;

/// A snapshot, and every change after it. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription<S, N> {
    _opened: Handle,
    snapshot: S,
    updates: Updates<Update<S, N>>,
}

impl<S, N> Subscription<S, N> {
    /// Wait for the next change, or for a new snapshot after a restart of the daemon. `None` if the
    /// client was closed.
    pub async fn next(&mut self) -> Option<Update<S, N>> {
        self.updates.next().await
    }

    /// The state at the start of the subscription.
    pub fn snapshot(&self) -> &S {
        &self.snapshot
    }

    /// The stream of changes.
    pub fn updates(&mut self) -> &mut Updates<Update<S, N>> {
        &mut self.updates
    }
}

impl Client {
    pub(crate) async fn subscribe_with<S, N>(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<Subscription<S, N>, Error>
    where
        S: DeserializeOwned + 'static,
        N: DeserializeOwned + 'static,
    {
        let mut answer = self.send(Call::of(method, params)?).await?;
        let snapshot = answer.parse(method.name)?;
        let opened = answer.opened.take().ok_or(Error::Closed)?;
        Ok(Subscription {
            updates: Updates::new(opened.slot.reader(), Update::read),
            _opened: opened,
            snapshot,
        })
    }
}
