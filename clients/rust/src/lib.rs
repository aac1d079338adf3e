#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod backlog;
mod call;
mod client;
mod error;
mod finite;
mod framing;
mod generated;
mod incoming;
mod json;
mod lossy;
mod message;
mod method;
mod nullable;
mod options;
mod paging;
mod process;
mod session;
mod setters;
mod shared;
mod slot;
mod subscription;
mod supervisor;
mod updates;
mod values;

pub use backlog::Updates;
pub use client::Client;
pub use error::{Ended, Error, Failure};
pub use generated::errors::ErrorKind;
pub use generated::types;
pub use json::{Json, Raw, Union};
pub use nullable::{Id, Nullable};
pub use options::{Log, Options};
pub use paging::Pages;
pub use session::Session;
pub use subscription::Subscription;
pub use updates::{Change, Event, Reconnection, Told, Update};
