#![doc = include_str!("../README.md")]

mod call;
mod client;
mod ended;
mod error;
mod framing;
mod generated;
mod incoming;
mod json;
mod lossy;
mod message;
mod method;
mod nullable;
mod options;
mod process;
mod session;
mod shared;
mod slot;
mod subscription;
mod supervisor;
mod updates;

pub use client::Client;
pub use ended::Ended;
pub use error::{Error, Failure};
pub use generated::errors::ErrorKind;
pub use generated::types;
pub use json::{Json, Raw, Union};
pub use nullable::{Id, Nullable};
pub use options::{Log, Options};
pub use session::Session;
pub use subscription::Subscription;
pub use updates::{Notifications, Told, Update, Updates};
