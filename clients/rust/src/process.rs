//! One process of the daemon, with one task that reads from it and one that writes to it.

use std::collections::VecDeque;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver};
use tokio::task::JoinHandle;

use crate::error::Error;
use crate::framing;
use crate::incoming::received;
use crate::options::{Log, Options};
use crate::shared::{Shared, Writer};

/// How many bytes of the log are kept, and how long a process may take to end after its stdout
/// ended.
const TAIL: usize = 4096;
const GRACE: Duration = Duration::from_secs(5);

/// How a process ended, and the end of its log.
pub(crate) type End = (Option<ExitStatus>, String);

pub(crate) struct Process {
    /// Dropping all writers closes the daemon's stdin.
    pub(crate) writer: Writer,
    pub(crate) end: JoinHandle<End>,
}

impl Process {
    pub(crate) fn start(shared: &Arc<Shared>) -> Result<Self, Error> {
        let options = &shared.options;
        let mut command = Command::new(options.program_to_start());
        command
            .args(&options.args)
            .envs(options.envs.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(match options.log {
                Log::Tail => Stdio::piped(),
                Log::Inherit => Stdio::inherit(),
            });
        if let Some(directory) = &options.current_dir {
            command.current_dir(directory);
        }
        // Ctrl-C in a terminal is for the program; the daemon ends with its input.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command
            .spawn()
            .map_err(|source| not_started(options, source))?;
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (writer, frames) = unbounded_channel();
        tokio::spawn(write(stdin, frames));
        let end = tokio::spawn(run(Arc::clone(shared), child, stdout));
        Ok(Self { writer, end })
    }
}

/// Read from a process until its stdout ends, or until it is to be killed, and wait for its end.
async fn run(shared: Arc<Shared>, mut child: Child, stdout: ChildStdout) -> End {
    let log = child.stderr.take().map(|log| tokio::spawn(tail(log)));
    tokio::select! {
        () = read(&shared, stdout) => {}
        () = shared.kill.notified() => {
            // The process may have ended already.
            let _ = child.start_kill();
        }
    }
    shared.lock().disconnect();
    let status = match tokio::time::timeout(GRACE, child.wait()).await {
        Ok(status) => status.ok(),
        Err(_) => {
            let _ = child.start_kill();
            child.wait().await.ok()
        }
    };
    let log = match log {
        // Another process may have inherited the pipe, so that it never ends.
        Some(mut log) => match tokio::time::timeout(GRACE / 5, &mut log).await {
            Ok(text) => text.unwrap_or_default(),
            Err(_) => {
                log.abort();
                String::new()
            }
        },
        None => String::new(),
    };
    (status, log)
}

/// The error for a program that the system did not start: what does not exist, if that is why.
fn not_started(options: &Options, source: io::Error) -> Error {
    let program = options.program_to_start();
    let directory = options.current_dir.as_ref();
    let missing = |what: String| io::Error::new(io::ErrorKind::NotFound, what);
    let source = match (source.kind(), directory.filter(|path| !path.is_dir())) {
        (io::ErrorKind::NotFound, Some(path)) => {
            missing(format!("no directory {}", path.display()))
        }
        (io::ErrorKind::NotFound, None) if program.is_absolute() && program.exists() => {
            missing("its interpreter, which its first line names, is missing".to_owned())
        }
        (io::ErrorKind::NotFound, None) => return Error::NotInstalled { program },
        _ => source,
    };
    Error::Start {
        program,
        source: Arc::new(source),
    }
}

async fn read(shared: &Arc<Shared>, stdout: ChildStdout) {
    let mut stdout = BufReader::with_capacity(64 * 1024, stdout);
    // After invalid input the next message cannot be found, so treat it as the end of the daemon.
    while let Ok(Some(body)) = framing::read(&mut stdout).await {
        if received(shared, &body).is_err() {
            break;
        }
    }
}

async fn write(mut stdin: ChildStdin, mut frames: UnboundedReceiver<Vec<u8>>) {
    while let Some(mut frame) = frames.recv().await {
        while frame.len() < 64 * 1024 {
            match frames.try_recv() {
                Ok(next) => frame.extend_from_slice(&next),
                Err(_) => break,
            }
        }
        if stdin.write_all(&frame).await.is_err() {
            break;
        }
    }
}

async fn tail(mut log: ChildStderr) -> String {
    let mut end = VecDeque::with_capacity(TAIL);
    let mut chunk = [0; TAIL];
    while let Ok(read @ 1..) = log.read(&mut chunk).await {
        end.extend(&chunk[..read]);
        end.drain(..end.len().saturating_sub(TAIL));
    }
    String::from_utf8_lossy(end.make_contiguous())
        .trim()
        .to_owned()
}
