use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::generated::errors::ErrorKind;
use crate::json::{member, Raw};
use crate::lossy::Lenient;

/// Why a call has no result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The daemon said why.
    Daemon(Box<Failure>),
    /// There is no such program.
    NotInstalled {
        /// What was looked for.
        program: PathBuf,
    },
    /// The daemon could not be started.
    Start {
        /// What was to be started.
        program: PathBuf,
        /// What the operating system said.
        source: Arc<io::Error>,
    },
    /// The daemon ended by itself, and starting it anew was of no use, or not wanted.
    Crashed {
        /// How it ended.
        status: String,
        /// The end of its log; empty where the log went elsewhere.
        log: String,
    },
    /// The daemon ended while this call was under way. Nobody knows whether it was done, and doing
    /// it twice would not be the same as once.
    Interrupted {
        /// Name of the method.
        method: String,
    },
    /// The session could not be opened again after the daemon had ended.
    SessionLost {
        /// Its file, unless it was in memory.
        path: Option<String>,
        /// Why.
        reason: String,
    },
    /// The session, or the subscription, was closed.
    SessionClosed,
    /// The client was closed.
    Closed,
    /// The answer is not what the contract says.
    Answer {
        /// Name of the method.
        method: String,
        /// What does not fit.
        source: Arc<serde_json::Error>,
    },
    /// The params are no JSON.
    Params(Arc<serde_json::Error>),
}

/// What the daemon answered in place of a result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// JSON-RPC's code or the contract's.
    pub code: i64,
    /// For people; names the file or id, and says what to do.
    pub message: String,
    /// Which error it is, with its data.
    pub kind: ErrorKind,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// All data, as it came.
    pub data: Option<Raw>,
}

impl Failure {
    pub(crate) fn read(error: &str) -> Self {
        let text = |name| member::<Lenient<String>>(error, name).map(|text| text.0);
        let code = member(error, "code").unwrap_or_default();
        let data: Option<Raw> = member(error, "data");
        Self {
            code,
            message: text("message").unwrap_or_else(|| error.to_owned()),
            kind: ErrorKind::read(code, data.as_ref()),
            retryable: data
                .as_ref()
                .and_then(|data| data.member("retryable"))
                .unwrap_or(false),
            data,
        }
    }

    /// Where in the params the fault is, such as `$.message.role`; for `InvalidParams`.
    pub fn path(&self) -> Option<String> {
        self.data.as_ref()?.member("path")
    }
}

impl Error {
    /// Which error the daemon answered; `None` for what went wrong outside of it.
    pub fn kind(&self) -> Option<&ErrorKind> {
        match self {
            Self::Daemon(failure) => Some(&failure.kind),
            _ => None,
        }
    }

    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Daemon(failure) if failure.retryable)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Daemon(failure) => out.write_str(&failure.message),
            Self::NotInstalled { program } => write!(
                out,
                "{} was not found: install sessiond (pip install sessiond), or name its program \
                 in the environment variable SESSIOND or with Options::program",
                program.display()
            ),
            Self::Start { program, source } => {
                write!(out, "{} could not be started: {source}", program.display())
            }
            Self::Crashed { status, log } if log.is_empty() => {
                write!(out, "sessiond ended unexpectedly ({status})")
            }
            Self::Crashed { status, log } => {
                write!(out, "sessiond ended unexpectedly ({status}):\n{log}")
            }
            Self::Interrupted { method } => write!(
                out,
                "sessiond ended while {method} was under way; whether it was done is not known"
            ),
            Self::SessionLost { path, reason } => match path {
                Some(path) => write!(out, "{path} could not be opened again: {reason}"),
                None => out.write_str("the session was in the memory of a sessiond that ended"),
            },
            Self::SessionClosed => out.write_str("this session or subscription was closed"),
            Self::Closed => out.write_str("the client was closed"),
            Self::Answer { method, source } => {
                write!(
                    out,
                    "the answer to {method} is not as the contract says: {source}"
                )
            }
            Self::Params(source) => write!(out, "the params are no JSON: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } => Some(source.as_ref()),
            Self::Answer { source, .. } | Self::Params(source) => Some(source.as_ref()),
            _ => None,
        }
    }
}
