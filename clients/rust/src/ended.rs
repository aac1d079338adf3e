use std::process::ExitStatus;

use crate::error::Error;

/// How the daemon ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The exit status of its last process.
    pub status: Option<ExitStatus>,
    /// Why it ended, if the client was not closed.
    pub error: Option<Error>,
}

impl Ended {
    pub(crate) fn new(status: Option<ExitStatus>, error: Option<Error>) -> Self {
        Self { status, error }
    }
}
