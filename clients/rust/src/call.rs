//! One call and its answer.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use crate::error::Error;
use crate::framing::frame;
use crate::method::{Method, Tracks};
use crate::slot::Slot;

/// A request that can be sent again.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// A JSON object, or no params.
    pub(crate) params: Option<String>,
    /// Whether it may be sent again if it is unknown whether it was carried out.
    pub(crate) repeatable: bool,
    pub(crate) tracks: Tracks,
    /// The session or subscription that it is about.
    pub(crate) slot: Option<Arc<Slot>>,
}

impl Call {
    /// A call whose answer says nothing about handles, and that is not sent again.
    pub(crate) fn new(name: &str, params: Option<String>) -> Self {
        Self {
            name: name.to_owned(),
            params,
            repeatable: false,
            tracks: Tracks::Nothing,
            slot: None,
        }
    }

    /// A call of a method of the contract.
    pub(crate) fn of(method: &Method, params: &impl Serialize) -> Result<Self, Error> {
        let params =
            serde_json::to_string(params).map_err(|source| Error::Params(Arc::new(source)))?;
        Ok(Self {
            repeatable: method.repeatable,
            tracks: method.tracks,
            ..Self::new(method.name, Some(params))
        })
    }

    /// A call of a method of a session, whose handle is added to the params.
    pub(crate) fn on(
        slot: &Arc<Slot>,
        method: &Method,
        params: &impl Serialize,
    ) -> Result<Self, Error> {
        #[derive(Serialize)]
        struct Owned<'a, P> {
            session: &'a str,
            #[serde(flatten)]
            params: &'a P,
        }
        let session = &slot.handle;
        let call = Self::of(method, &Owned { session, params })?;
        Ok(Self {
            slot: Some(Arc::clone(slot)),
            ..call
        })
    }

    /// A call that closes a session or ends a subscription.
    pub(crate) fn ending(slot: &Slot) -> Self {
        let params = json!({ slot.member: slot.handle });
        Self::new(slot.ends, Some(params.to_string()))
    }

    /// The same call, to open a session or subscription again in a new process of the daemon.
    pub(crate) fn renewing(self, slot: &Arc<Slot>) -> Self {
        Self {
            tracks: Tracks::Renews,
            slot: Some(Arc::clone(slot)),
            ..self
        }
    }

    /// Fails if what it is about is closed or lost.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.slot.as_ref().map_or(Ok(()), |slot| slot.check())
    }

    pub(crate) fn frame(&self, id: i64) -> Vec<u8> {
        message(Some(id), &self.name, self.params.as_deref())
    }
}

/// The frame of a notification.
pub(crate) fn notification(name: &str, params: Option<&str>) -> Vec<u8> {
    message(None, name, params)
}

fn message(id: Option<i64>, name: &str, params: Option<&str>) -> Vec<u8> {
    let id = id.map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
    let name = json!(name);
    let params = params.map(|params| format!(r#","params":{params}"#));
    let params = params.unwrap_or_default();
    frame(format!(r#"{{"jsonrpc":"2.0",{id}"method":{name}{params}}}"#).as_bytes())
}
