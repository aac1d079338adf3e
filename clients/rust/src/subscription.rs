use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::slot::Slot;
use crate::updates::{Update, Updates};

/// A snapshot, and every change after it. Ends when it is dropped.
#[derive(Debug)]
pub struct Subscription<S, N> {
    client: Client,
    slot: Arc<Slot>,
    snapshot: S,
    updates: Updates<S, N>,
}

impl<S: DeserializeOwned, N: DeserializeOwned> Subscription<S, N> {
    pub(crate) fn new(client: Client, slot: Arc<Slot>, snapshot: S) -> Self {
        let updates = Updates::new(slot.listen());
        Self {
            client,
            slot,
            snapshot,
            updates,
        }
    }

    /// How things were at the start.
    pub fn snapshot(&self) -> &S {
        &self.snapshot
    }

    /// The next change; a new snapshot where the daemon had to be started again; `None` when the
    /// client was closed.
    pub async fn next(&mut self) -> Option<Update<S, N>> {
        self.updates.next().await
    }

    /// The stream of changes.
    pub fn updates(&mut self) -> &mut Updates<S, N> {
        &mut self.updates
    }
}

impl<S, N> Drop for Subscription<S, N> {
    fn drop(&mut self) {
        self.client.shared().release(&self.slot);
    }
}
