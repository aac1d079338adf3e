use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;

use crate::generated::errors::ErrorKind;
use crate::json::{member, Raw};

/// Why a call failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The daemon answered with an error.
    Daemon(Box<Failure>),
    /// The program was not found.
    NotInstalled {
        /// The program that was looked for.
        program: PathBuf,
    },
    /// The daemon could not be started.
    Start {
        /// The program that failed to start.
        program: PathBuf,
        /// The error of the operating system.
        source: Arc<io::Error>,
    },
    /// The daemon ended unexpectedly, and restarting it failed or was disabled.
    Crashed {
        /// How it ended.
        status: String,
        /// The end of its log; empty if the log is inherited.
        log: String,
    },
    /// The daemon ended during this call. The call may have been carried out, and is not safe to
    /// repeat.
    Interrupted {
        /// Name of the method.
        method: String,
    },
    /// The session could not be opened again after the daemon had ended.
    SessionLost {
        /// Its file; `None` if it was in memory.
        path: Option<String>,
        /// Why.
        reason: String,
    },
    /// No answer arrived within the limit of [`Options::timeout`](crate::Options::timeout) or
    /// [`Client::with_timeout`](crate::Client::with_timeout). The call was cancelled; it may have
    /// been carried out.
    Timeout {
        /// Name of the method.
        method: String,
    },
    /// The session, or the subscription, was closed.
    SessionClosed,
    /// The client was closed, or the runtime ended in which it was spawned.
    Closed,
    /// The answer does not fit the contract.
    Answer {
        /// Name of the method.
        method: String,
        /// What does not fit.
        source: Arc<serde_json::Error>,
    },
    /// The params are not JSON, or cannot be: a number is NaN or infinite.
    Params(Arc<serde_json::Error>),
}

/// An error that the daemon answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// Code of JSON-RPC or of the contract.
    pub code: i64,
    /// Message for people; it names the file or id, and says what to do.
    pub message: String,
    /// The kind of error, with its data.
    pub kind: ErrorKind,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// All data, as received.
    pub data: Option<Raw>,
}

impl Failure {
    pub(crate) fn read(error: &str) -> Self {
        let text = |name| member::<String>(error, name);
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

    /// For `InvalidParams`, the JSON pointer of the wrong param, such as `/message/role`.
    pub fn pointer(&self) -> Option<String> {
        self.data.as_ref()?.member("pointer")
    }
}

impl Error {
    /// The kind of an error of the daemon; `None` for errors of the client.
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
                "{} was not found: install sessiond (`pip install .` in a checkout of it) so that it \
                 is on the PATH, or name its program in the environment variable SESSIOND or with \
                 Options::program",
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
                "sessiond ended during {method}, which may have been carried out"
            ),
            Self::SessionLost { path, reason } => match path {
                Some(path) => write!(out, "{path} could not be opened again: {reason}"),
                None => out.write_str("the session was in the memory of a sessiond that ended"),
            },
            Self::Timeout { method } => write!(out, "no answer to {method} arrived in time"),
            Self::SessionClosed => out.write_str("this session or subscription was closed"),
            Self::Closed => out.write_str("the client was closed"),
            Self::Answer { method, source } => {
                write!(
                    out,
                    "the answer to {method} does not fit the contract: {source}"
                )
            }
            Self::Params(source) => write!(out, "the params are not JSON: {source}"),
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

/// How the daemon ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The exit status of its last process.
    pub status: Option<ExitStatus>,
    /// Why it ended, if the client was not closed.
    pub error: Option<Error>,
}
