//! Facts about methods, apart from their types.

use std::hash::{BuildHasher, Hasher, RandomState};

use serde::Serialize;

/// A method of the contract.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Whether it may be sent again if it is unknown whether it was carried out.
    pub(crate) repeatable: bool,
    pub(crate) tracks: Tracks,
}

/// What an answer says about handles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tracks {
    Nothing,
    /// The answer is the state of a new handle.
    Opens,
    /// The answer is the state of the handle.
    State,
    /// The answer has the leaf.
    Leaf,
    /// The answer has the leaf, and perhaps a new entry.
    Appends,
    Closes,
    /// The answer is the snapshot of a new subscription.
    Subscribes {
        told: &'static str,
        ends: &'static str,
    },
    /// The answer is the state or snapshot of what is open again after a restart, to be reported.
    Renews,
}

/// The params of methods that take none.
#[derive(Serialize)]
pub(crate) struct Nothing {}

/// Return sixteen random hexadecimal digits, for a new entry or a handle. If an id exists already, the
/// daemon answers that entry and writes nothing; with eight digits, as in pi, that happens by chance in
/// long sessions.
pub(crate) fn new_id() -> String {
    // Every RandomState has different keys, from the random numbers of the system.
    let random = RandomState::new().build_hasher().finish();
    format!("{random:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ() {
        let mut ids: Vec<_> = (0..1000).map(|_| new_id()).collect();
        assert!(ids.iter().all(|id| id.len() == 16));
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 1000);
    }
}
