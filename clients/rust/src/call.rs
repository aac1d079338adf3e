//! One call and its answer.

use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::error::Error;
use crate::framing::frame;
use crate::json::Raw;
use crate::lossy::decoded;
use crate::method::{Method, Tracks};
use crate::slot::Slot;

/// A request that can be sent again: the handle is added when it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: &'static Method,
    pub(crate) name: String,
    pub(crate) slot: Option<Arc<Slot>>,
    /// A JSON object without the handle, or no params.
    pub(crate) params: Option<String>,
}

impl Call {
    pub(crate) fn new(method: &'static Method, params: String) -> Self {
        Self {
            method,
            name: method.name.to_owned(),
            slot: None,
            params: Some(params),
        }
    }

    /// A call of a method of the contract.
    pub(crate) fn of(method: &'static Method, params: &impl Serialize) -> Result<Self, Error> {
        let text = serde_json::to_string(params).map_err(|source| Error::Params(Arc::new(source)));
        text.map(|text| Self::new(method, text))
    }

    pub(crate) fn on(mut self, slot: &Arc<Slot>) -> Self {
        self.slot = Some(Arc::clone(slot));
        self
    }

    /// Send another method, whose answer is handled as that of `self.method`.
    pub(crate) fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    pub(crate) fn frame(&self, id: i64) -> Vec<u8> {
        let name = serde_json::to_string(&self.name).expect("a string is JSON");
        let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{name}"#);
        frame(body(head, self.params_text().as_deref()).as_bytes())
    }

    fn params_text(&self) -> Option<String> {
        let Some(slot) = self.slot.as_ref().filter(|_| !self.renews()) else {
            return self.params.clone();
        };
        let params = self.params.as_deref().unwrap_or("{}");
        let rest = params.strip_prefix('{').unwrap_or("}");
        let comma = if rest.trim_start().starts_with('}') {
            ""
        } else {
            ","
        };
        let handle = serde_json::to_string(&slot.handle).expect("a string is JSON");
        Some(format!(r#"{{"{}":{handle}{comma}{rest}"#, slot.member()))
    }

    fn renews(&self) -> bool {
        self.method.tracks == Tracks::Renews
    }
}

/// The frame of a notification.
pub(crate) fn notification(name: &str, params: Option<&str>) -> Vec<u8> {
    let name = serde_json::to_string(name).expect("a string is JSON");
    let head = format!(r#"{{"jsonrpc":"2.0","method":{name}"#);
    frame(body(head, params).as_bytes())
}

fn body(mut body: String, params: Option<&str>) -> String {
    if let Some(params) = params {
        body.push_str(r#","params":"#);
        body.push_str(params);
    }
    body.push('}');
    body
}

/// A result, as a part of the message that it arrived in.
#[derive(Debug)]
pub(crate) struct Answer {
    body: String,
    result: Range<usize>,
    /// The session or subscription that the call opened.
    pub(crate) opened: Option<Arc<Slot>>,
}

impl Answer {
    pub(crate) fn new(body: String, result: Range<usize>, opened: Option<Arc<Slot>>) -> Self {
        Self {
            body,
            result,
            opened,
        }
    }

    pub(crate) fn null() -> Self {
        Self::new("null".to_owned(), 0..4, None)
    }

    pub(crate) fn text(&self) -> &str {
        &self.body[self.result.clone()]
    }

    pub(crate) fn parse<T: DeserializeOwned>(&self, method: &str) -> Result<T, Error> {
        decoded(self.text()).map_err(|source| Error::Answer {
            method: method.to_owned(),
            source: Arc::new(source),
        })
    }

    pub(crate) fn raw(&self) -> Raw {
        Raw::from_text(self.text()).expect("a part of valid JSON")
    }
}
