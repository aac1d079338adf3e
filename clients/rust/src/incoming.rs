//! Messages from the daemon: answers go to their calls, notifications to their listeners.

use std::sync::Arc;

use serde::Deserialize;

use crate::call::Call;
use crate::error::{Error, Failure};
use crate::generated::errors::ErrorKind;
use crate::json::{member, Raw};
use crate::lossy::decoded;
use crate::method::Tracks;
use crate::shared::{Answer, Handle, Pending, Shared, State};
use crate::slot::{News, Slot};
use crate::types::SessionState;
use crate::updates::Told;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Envelope {
    id: Option<Raw>,
    method: Option<String>,
    params: Option<Raw>,
    result: Option<Raw>,
    error: Option<Raw>,
}

/// Handle one message. Fails if it is not JSON-RPC.
pub(crate) fn received(shared: &Arc<Shared>, body: &str) -> Result<(), serde_json::Error> {
    let message: Envelope = serde_json::from_str(body)?;
    if let Some(method) = message.method {
        told(shared, method, message.params.unwrap_or_else(Raw::null));
        return Ok(());
    }
    let id = message.id.and_then(|id| id.parse().ok());
    if let Some(error) = message.error {
        let failure = Failure::read(error.text());
        match id {
            Some(id) => failed(&mut shared.lock(), id, failure),
            None => failed_without_id(&mut shared.lock(), &failure),
        }
    } else if let Some(id) = id {
        answered(shared, id, message.result.unwrap_or_else(Raw::null));
    }
    Ok(())
}

fn answered(shared: &Arc<Shared>, id: i64, result: Raw) {
    let mut state = shared.lock();
    let Some(pending) = state.take(id) else {
        return;
    };
    let opened = track(&mut state, &pending.call, &result);
    drop(state);
    let opened = opened.map(|slot| Handle::new(shared, slot));
    let answer = Answer { result, opened };
    let unclaimed = match pending.reply {
        Some(reply) => reply.send(Ok(answer)).err(),
        None => Some(Ok(answer)),
    };
    if let Some(Ok(answer)) = unclaimed {
        shared.unclaimed(&pending.call.name, &answer);
    }
}

fn failed(state: &mut State, id: i64, failure: Failure) {
    if let Some(pending) = state.take(id) {
        pending.fail(Error::Daemon(Box::new(failure)));
    }
}

/// The answer to a message that was too large has no id; find the request by its size.
fn failed_without_id(state: &mut State, failure: &Failure) {
    if let ErrorKind::TooLarge { limit } = failure.kind {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let large =
            |(id, pending): (&i64, &Pending)| (pending.sent && pending.size > limit).then_some(*id);
        let ids: Vec<i64> = state.pending.iter().filter_map(large).collect();
        for id in ids {
            failed(state, id, failure.clone());
        }
    }
}

/// Update what is known of a session from an answer. Return what the call opened.
fn track(state: &mut State, call: &Call, result: &Raw) -> Option<Arc<Slot>> {
    let params = call.params.as_deref().unwrap_or_default();
    let opened = match call.tracks {
        Tracks::Nothing => return None,
        Tracks::Opens => {
            let follow = member(params, "follow").unwrap_or(false);
            Slot::session(decoded(result.text()).ok()?, follow)
        }
        Tracks::Subscribes { told, ends } => {
            let made = (call.name.clone(), call.params.clone());
            Slot::subscription(result.member("subscription")?, made, told, ends)
        }
        Tracks::Closes => {
            state.forget(call.slot.as_ref()?);
            return None;
        }
        Tracks::State | Tracks::Leaf | Tracks::Appends | Tracks::Renews => {
            update(call.slot.as_ref()?, call.tracks, result);
            return None;
        }
    };
    let opened = Arc::new(opened);
    state.register(&opened);
    Some(opened)
}

/// Update a slot from an answer that is about it.
fn update(slot: &Slot, tracks: Tracks, result: &Raw) -> Option<()> {
    let mut inner = slot.lock();
    match (tracks, &mut inner.session) {
        // Here, so that a change in the next message is reported after the state.
        (Tracks::Renews, session) => {
            if let Some(known) = session {
                let state: SessionState = decoded(result.text()).ok()?;
                if !known.is_same(&state) {
                    return None;
                }
                known.update(state);
            }
            inner.news.send(&News::Reconnected(result.clone()));
        }
        (Tracks::State, Some(known)) => known.update(decoded(result.text()).ok()?),
        (_, Some(known)) => {
            known.leaf = result.member("leafId")?;
            if tracks == Tracks::Appends && result.member("existed") != Some(true) {
                known.tip = result.member("id");
            }
        }
        (_, None) => {}
    }
    Some(())
}

fn told(shared: &Shared, method: String, params: Raw) {
    let mut state = shared.lock();
    for member in ["session", "subscription"] {
        let handle = params.member::<String>(member);
        let slot = handle.and_then(|handle| state.slot(member, &handle));
        let Some(slot) = slot.filter(|slot| slot.told == method) else {
            continue;
        };
        let mut inner = slot.lock();
        if let Some(known) = &mut inner.session {
            known.leaf = params.member("leafId").unwrap_or_default();
            known.tip = params.member("tipId").unwrap_or_default();
        }
        inner.news.send(&News::Changed(params.clone()));
    }
    state.told.send(&Told { method, params });
}
