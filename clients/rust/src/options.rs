use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::types::{ClientInfo, InitializeParams};

/// How the daemon is started.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    pub(crate) program: Option<PathBuf>,
    pub(crate) args: Vec<OsString>,
    pub(crate) envs: Vec<(OsString, OsString)>,
    pub(crate) current_dir: Option<PathBuf>,
    pub(crate) initialize: InitializeParams,
    pub(crate) log: Log,
    pub(crate) restarts: u32,
    pub(crate) close_timeout: Duration,
    pub(crate) timeout: Option<Duration>,
}

/// What to do with the daemon's log, which is its stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Log {
    /// Keep its end for the message of [`Error::Crashed`](crate::Error::Crashed).
    #[default]
    Tail,
    /// Write it to the stderr of this process.
    Inherit,
}

impl Default for Options {
    fn default() -> Self {
        let info = ClientInfo::new(env!("CARGO_PKG_NAME")).version(env!("CARGO_PKG_VERSION"));
        Self {
            program: None,
            args: Vec::new(),
            envs: Vec::new(),
            current_dir: None,
            initialize: InitializeParams::new().client_info(info),
            log: Log::default(),
            restarts: 2,
            close_timeout: Duration::from_secs(10),
            timeout: None,
        }
    }
}

impl Options {
    /// The defaults: the program in the environment variable `SESSIOND`, else `sessiond` on the
    /// `PATH`, with the default settings of the daemon.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The daemon's program: a path, or a name looked up on the `PATH`. A relative path is relative to
    /// the working directory of this process.
    #[must_use]
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// One more argument on its command line.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// More arguments on its command line.
    #[must_use]
    pub fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator<Item: Into<OsString>>,
    {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// One more variable in its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.envs.push((name.into(), value.into()));
        self
    }

    /// Share one daemon with the other clients of this user, or do not. The default is what the
    /// environment variable `SESSIOND_SHARED` says, else not. A daemon that knows no sharing serves
    /// alone.
    #[must_use]
    pub fn shared(self, shared: bool) -> Self {
        self.env("SESSIOND_SHARED", if shared { "1" } else { "0" })
    }

    /// Its working directory, to which paths are relative.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(directory.into());
        self
    }

    /// Params of `initialize`, sent at every start. The defaults of `clientInfo`,
    /// `processId` and `protocolVersions` describe this crate and this process.
    #[must_use]
    pub fn initialize(mut self, params: InitializeParams) -> Self {
        self.initialize = params;
        self
    }

    /// What to do with the daemon's log.
    #[must_use]
    pub fn log(mut self, log: Log) -> Self {
        self.log = log;
        self
    }

    /// How many times in a row the daemon is restarted without an answer in between. The default is
    /// 2, so that the client gives up after three crashes; 0 disables restarts.
    #[must_use]
    pub fn restarts(mut self, restarts: u32) -> Self {
        self.restarts = restarts;
        self
    }

    /// How long a call, or the start of the client, waits for its answer before it is cancelled and
    /// fails with [`Error::Timeout`](crate::Error::Timeout). The default is without limit. For single calls use
    /// [`Client::with_timeout`](crate::Client::with_timeout).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How long `close` waits for the daemon before killing it. The default is 10 seconds.
    #[must_use]
    pub fn close_timeout(mut self, timeout: Duration) -> Self {
        self.close_timeout = timeout;
        self
    }

    /// The program: an absolute path, which stays valid in another working directory, or a name.
    pub(crate) fn program_to_start(&self) -> PathBuf {
        let from_environment = || std::env::var_os("SESSIOND").filter(|value| !value.is_empty());
        let program = match &self.program {
            Some(program) => program.clone(),
            None => from_environment()
                .unwrap_or_else(|| "sessiond".into())
                .into(),
        };
        if program.components().count() == 1 {
            return program;
        }
        std::path::absolute(&program).unwrap_or(program)
    }
}
