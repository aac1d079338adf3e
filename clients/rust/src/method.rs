//! What is to be known of a method beside its types.

use std::hash::{BuildHasher, Hasher, RandomState};

use serde::Serialize;

/// A method, and what its answers say of the handle it was called on.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Whether it may be sent again when nobody knows whether it was done.
    pub(crate) repeatable: bool,
    pub(crate) tracks: Tracks,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tracks {
    Nothing,
    /// The answer is the state of a new handle.
    Opens,
    /// The answer is the state of the handle; `moves` if it may have been turned elsewhere.
    State {
        moves: bool,
    },
    /// The answer names the leaf; `moves` if the call set it.
    Leaf {
        moves: bool,
    },
    /// The entry that is answered is now the leaf.
    Appends,
    Closes,
    /// The answer is the snapshot of a new subscription.
    Subscribes {
        told: &'static str,
        ends: &'static str,
    },
    /// The answer is the state, or the snapshot, under a new handle of something open before.
    Renews,
}

/// What is not called by way of the contract.
pub(crate) const OTHER: Method = own(Tracks::Nothing);
/// `session/open` and the like for what was open before the daemon ended.
pub(crate) const RENEW: Method = own(Tracks::Renews);

const fn own(tracks: Tracks) -> Method {
    Method {
        name: "",
        repeatable: false,
        tracks,
    }
}

/// The params of methods that take none.
#[derive(Serialize)]
pub(crate) struct Nothing {}

/// Sixteen hexadecimal digits: an id that is there already would be answered and nothing written,
/// and eight, as pi gives its entries, do meet by chance in long sessions.
pub(crate) fn new_entry_id() -> String {
    // Every RandomState has other keys, from the system's random numbers.
    let random = RandomState::new().build_hasher().finish();
    format!("{random:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_ids_differ() {
        let mut ids: Vec<_> = (0..1000).map(|_| new_entry_id()).collect();
        assert!(ids.iter().all(|id| id.len() == 16));
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 1000);
    }
}
