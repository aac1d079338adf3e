use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::types::{ClientInfo, InitializeParams};

/// How the daemon is started.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    pub(crate) program: Option<PathBuf>,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) initialize: Option<InitializeParams>,
    pub(crate) log: Log,
    pub(crate) restarts: u32,
    pub(crate) patience: Duration,
}

/// What becomes of the daemon's log, which is its stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Log {
    /// Its end is kept for the message of [`Error::Crashed`](crate::Error::Crashed).
    #[default]
    Tail,
    /// It goes where the program's own stderr goes.
    Inherit,
}

impl Default for Options {
    fn default() -> Self {
        let info = ClientInfo::new(env!("CARGO_PKG_NAME")).version(env!("CARGO_PKG_VERSION"));
        Self {
            program: None,
            arguments: Vec::new(),
            variables: Vec::new(),
            directory: None,
            initialize: Some(InitializeParams::new().client_info(info)),
            log: Log::default(),
            restarts: 3,
            patience: Duration::from_secs(10),
        }
    }
}

impl Options {
    /// The program of the environment variable `SESSIOND`, else `sessiond` on the `PATH`, with the
    /// defaults of the daemon.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The daemon's program: a path, or a name looked up on the `PATH`.
    #[must_use]
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// One more argument on its command line.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// One more variable in its environment.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Its working directory, from which relative paths count.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Settings of the connection, sent with `initialize` at every start. `clientInfo` is this
    /// crate's and `processId` this process's unless given.
    #[must_use]
    pub fn initialize(mut self, params: InitializeParams) -> Self {
        self.initialize = Some(params);
        self
    }

    /// Do not send `initialize`, for those who do it themselves with
    /// [`Client::call_text`](crate::Client::call_text).
    #[must_use]
    pub fn without_initialize(mut self) -> Self {
        self.initialize = None;
        self
    }

    /// What becomes of the daemon's log.
    #[must_use]
    pub fn log(mut self, log: Log) -> Self {
        self.log = log;
        self
    }

    /// How often in a row the daemon is started anew without having answered anything before it
    /// ended again: 3 by default, 0 for never.
    #[must_use]
    pub fn restarts(mut self, restarts: u32) -> Self {
        self.restarts = restarts;
        self
    }

    /// How long to wait for the daemon when closing, before it is killed: 10 seconds by default.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    pub(crate) fn found_program(&self) -> PathBuf {
        let named = || std::env::var_os("SESSIOND").filter(|value| !value.is_empty());
        match &self.program {
            Some(program) => program.clone(),
            None => named().unwrap_or_else(|| "sessiond".into()).into(),
        }
    }
}
