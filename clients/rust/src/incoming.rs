//! Messages from the daemon: answers go to their calls, notifications to their listeners.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::call::{Answer, Call};
use crate::error::{Error, Failure};
use crate::generated::errors::ErrorKind;
use crate::json::{member, Raw};
use crate::lossy::decoded;
use crate::method::Tracks;
use crate::shared::{Pending, Shared, State};
use crate::slot::{Kind, News, Slot, Status};
use crate::types::SessionState;
use crate::updates::Told;

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Handle one message. Fails if it is not JSON-RPC.
pub(crate) fn received(shared: &Shared, body: String) -> Result<(), serde_json::Error> {
    let message: Envelope = serde_json::from_str(&body)?;
    if let Some(method) = message.method {
        let params = message.params.map_or("null", RawValue::get);
        told(shared, &method, params);
        return Ok(());
    }
    let id = message.id.and_then(|id| id.get().parse().ok());
    if let Some(error) = message.error {
        let failure = Failure::read(error.get());
        match id {
            Some(id) => failed(&mut shared.lock(), id, failure),
            None => failed_without_id(&mut shared.lock(), &failure),
        }
    } else if let Some(id) = id {
        let result = message.result.map(|result| {
            let start = result.get().as_ptr() as usize - body.as_ptr() as usize;
            start..start + result.get().len()
        });
        answered(shared, id, result, body);
    }
    Ok(())
}

fn answered(shared: &Shared, id: i64, result: Option<std::ops::Range<usize>>, body: String) {
    let mut answer = match result {
        Some(result) => Answer::new(body, result, None),
        None => Answer::null(),
    };
    let mut state = shared.lock();
    let Some(pending) = state.take(id) else {
        return;
    };
    answer.opened = track(&mut state, &pending.call, &answer);
    drop(state);
    let unclaimed = match pending.reply {
        Some(reply) => reply.send(Ok(answer)).err(),
        None => Some(Ok(answer)),
    };
    if let Some(Ok(answer)) = unclaimed {
        shared.unclaimed(&pending.call.name, &answer);
    }
}

fn failed(state: &mut State, id: i64, failure: Failure) {
    if let Some(reply) = state.take(id).and_then(|pending| pending.reply) {
        let _ = reply.send(Err(Error::Daemon(Box::new(failure))));
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

/// Update the slot of a session from an answer. Return the slot that the call opened.
fn track(state: &mut State, call: &Call, answer: &Answer) -> Option<Arc<Slot>> {
    let text = answer.text();
    let params = call.params.as_deref().unwrap_or_default();
    let opened = |slot: Slot, state: &mut State| {
        let slot = Arc::new(slot);
        state.register(&slot);
        Some(slot)
    };
    match call.method.tracks {
        Tracks::Nothing => None,
        Tracks::Opens => {
            let opened_state: SessionState = decoded(text).ok()?;
            let follow = member(params, "follow").unwrap_or(false);
            opened(Slot::session(opened_state, answer.raw(), follow), state)
        }
        Tracks::Subscribes { told, ends } => {
            let kind = Kind::Subscription {
                method: call.method,
                params: params.to_owned(),
                told,
                ends,
            };
            let handle = member(text, "subscription")?;
            opened(Slot::subscription(kind, handle, answer.raw()), state)
        }
        // Here, so that a change in the next message is reported after the state.
        Tracks::Renews => {
            let slot = call.slot.as_ref()?;
            if slot.is_same(text) {
                slot.lock().renew(text, answer.raw());
                slot.tell(News::Reconnected(answer.raw()));
            }
            None
        }
        Tracks::Closes => {
            let slot = call.slot.as_ref()?;
            state.forget(slot);
            slot.finish(Status::Closed);
            None
        }
        Tracks::State { moves } => {
            let session_state: SessionState = decoded(text).ok()?;
            call.slot
                .as_ref()?
                .lock()
                .update(session_state, answer.raw(), moves);
            None
        }
        Tracks::Leaf { moves } => {
            let leaf = member::<Option<String>>(text, "leafId")?;
            let mut inner = call.slot.as_ref()?.lock();
            let known = inner.session.as_mut()?;
            known.leaf = leaf;
            known.placed = known.placed || moves;
            None
        }
        Tracks::Appends => {
            let leaf = member::<Option<String>>(text, "leafId")?;
            let mut inner = call.slot.as_ref()?.lock();
            let known = inner.session.as_mut()?;
            known.leaf = leaf;
            known.placed = known.leaf != member(text, "id");
            known.filled = true;
            None
        }
    }
}

fn told(shared: &Shared, method: &str, params: &str) {
    let raw = || Raw::from_text(params).expect("a part of valid JSON");
    let mut state = shared.lock();
    if state.told.is_read() {
        let told = Told {
            method: method.to_owned(),
            params: raw(),
        };
        state.told.send(&told);
    }
    for name in ["session", "subscription"] {
        let handle = member::<String>(params, name);
        let Some(slot) = handle.and_then(|handle| state.slot(name, &handle)) else {
            continue;
        };
        let wanted = match slot.kind {
            Kind::Session => method == "session/didChange",
            Kind::Subscription { told, .. } => method == told,
        };
        if wanted {
            if let Some(known) = &mut slot.lock().session {
                if let Some(leaf) = member(params, "leafId") {
                    known.leaf = leaf;
                }
                known.filled |= member::<i64>(params, "entryCount").is_some_and(|count| count > 0);
            }
            slot.tell(News::Changed(raw()));
        }
    }
}
