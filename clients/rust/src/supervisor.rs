//! Starts the daemon, and starts it again when it ends unexpectedly: sessions and subscriptions are
//! opened again, and unanswered calls are sent again where that is safe.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{json, Map, Value};

use crate::call::{notification, Answer, Call};
use crate::ended::Ended;
use crate::error::{Error, Failure};
use crate::json::{member, Raw};
use crate::method::{OTHER, RENEW};
use crate::process::{Process, Starting};
use crate::shared::{Shared, Writer};
use crate::slot::{Kind, Slot, Status};
use crate::updates::{Event, Reconnection};

const PROTOCOL_VERSION: &str = "1";

/// The longest pause before a restart.
const SLOWEST: Duration = Duration::from_secs(2);

/// Why a new process cannot be used.
enum Useless {
    /// It has ended, or is ending.
    Ended,
    /// It refused `initialize`, as any other process would.
    Refused(Error),
}

/// Start the daemon for the first time. Returns the answer to `initialize`. If the future is dropped
/// before that, the process is killed.
pub(crate) async fn start(shared: &Arc<Shared>) -> Result<(Process, Option<Raw>), Error> {
    let starting = Starting::new(Process::start(shared)?);
    let initialized = initialize(shared, starting.process()).await;
    let process = starting.done();
    match initialized {
        Ok((writer, settings)) => {
            shared.resume(writer);
            Ok((process, settings))
        }
        Err(useless) => {
            if matches!(useless, Useless::Refused(_)) {
                shared.kill.notify_one();
            }
            let (status, log) = process.end(shared).await;
            Err(match useless {
                Useless::Refused(error) => error,
                Useless::Ended => crashed(status, log),
            })
        }
    }
}

/// A client whose calls fail with [`Error::Closed`] when this is dropped: the task that owns it ended
/// without an answer to them, because its runtime ended.
pub(crate) struct Supervised(pub(crate) Arc<Shared>);

impl Drop for Supervised {
    fn drop(&mut self) {
        if self.0.ended.borrow().is_none() {
            let ended = Ended::new(None, Some(Error::Closed));
            self.0.finish(&Error::Closed, ended);
        }
    }
}

/// Restart the daemon whenever it ends, until the client is closed.
pub(crate) async fn supervise(supervised: Supervised, mut process: Process) {
    let shared = Arc::clone(&supervised.0);
    let mut crashes = 0;
    // Only the link keeps the writer, so that closing the link closes the daemon's stdin.
    process.writer = None;
    loop {
        let (status, log) = process.end(&shared).await;
        if shared.lock().closing {
            return shared.finish(&Error::Closed, Ended::new(status, None));
        }
        let error = crashed(status, log);
        let answered = shared.sort_out(&error);
        crashes = if answered { 1 } else { crashes + 1 };
        if crashes > shared.options.restarts {
            return give_up(&shared, status, error);
        }
        let pause = Duration::from_millis(100) * (crashes - 1);
        tokio::time::sleep(pause.min(SLOWEST)).await;
        process = match Process::start(&shared) {
            Ok(process) => process,
            Err(error) => return give_up(&shared, status, error),
        };
        let restored = tokio::select! {
            restored = restore(&shared, &process) => restored,
            () = shared.kill.notified() => {
                shared.kill.notify_one();
                Err(Useless::Ended)
            }
        };
        match restored {
            Ok((writer, lost)) => {
                shared.resume(writer);
                let event = Event::Reconnected(Reconnection { cause: error, lost });
                shared.lock().events.send(&event);
            }
            Err(Useless::Ended) => {}
            Err(Useless::Refused(error)) => {
                shared.kill.notify_one();
                let (status, _) = process.end(&shared).await;
                return give_up(&shared, status, error);
            }
        }
        process.writer = None;
    }
}

fn give_up(shared: &Shared, status: Option<ExitStatus>, error: Error) {
    shared.lock().events.send(&Event::Lost(error.clone()));
    shared.finish(&error, Ended::new(status, Some(error.clone())));
}

fn crashed(status: Option<ExitStatus>, log: String) -> Error {
    Error::Crashed {
        status: status.map_or_else(|| "status unknown".to_owned(), |status| status.to_string()),
        log,
    }
}

async fn initialize(shared: &Shared, process: &Process) -> Result<(Writer, Option<Raw>), Useless> {
    let writer = process.writer.clone().ok_or(Useless::Ended)?;
    let Some(params) = &shared.options.initialize else {
        return Ok((writer, None));
    };
    let mut params = params.clone();
    params
        .process_id
        .get_or_insert_with(|| i64::from(std::process::id()));
    params
        .protocol_versions
        .get_or_insert_with(|| vec![PROTOCOL_VERSION.to_owned()]);
    let call = Call::of(&OTHER, &params).map_err(Useless::Refused)?;
    let call = call.named("initialize");
    let answer = match shared.ask(&writer, call).await {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return Err(Useless::Refused(error)),
        None => return Err(Useless::Ended),
    };
    let version = member::<String>(answer.text(), "protocolVersion").unwrap_or_default();
    if version != PROTOCOL_VERSION {
        return Err(Useless::Refused(unsupported(&version)));
    }
    writer
        .send(notification("initialized", Some("{}")))
        .map_err(|_| Useless::Ended)?;
    Ok((writer, Some(answer.raw())))
}

/// The error for a daemon that answers with another version of the protocol.
fn unsupported(version: &str) -> Error {
    let message = format!(
        "the daemon speaks protocol version {version}, and this client version {PROTOCOL_VERSION}"
    );
    let data = json!({ "kind": "UnsupportedVersion", "retryable": false, "supported": [version] });
    let error = json!({ "code": 1021, "message": message, "data": data });
    Error::Daemon(Box::new(Failure::read(&error.to_string())))
}

/// Open everything again. Returns the sessions and subscriptions that are lost.
async fn restore(shared: &Shared, process: &Process) -> Result<(Writer, Vec<Error>), Useless> {
    let (writer, _) = initialize(shared, process).await?;
    let slots = shared.lock().open();
    let mut lost = Vec::new();
    for slot in slots {
        if slot.check().is_err() {
            continue; // dropped meanwhile
        }
        let renewed = match &slot.kind {
            Kind::Session => reopen(shared, &writer, &slot).await,
            Kind::Subscription { method, params, .. } => {
                let call = Call::new(&RENEW, params.clone()).on(&slot);
                let call = call.named(method.name);
                ask(shared, &writer, call)
                    .await
                    .map(|answer| answer.map(drop))
            }
        };
        if let Err(error) = renewed? {
            shared.lock().forget(&slot);
            if slot.check().is_err() {
                continue;
            }
            let error = match error {
                Error::SessionLost { .. } => error,
                _ => Error::SessionLost {
                    path: file(&slot),
                    reason: error.to_string(),
                },
            };
            lost.push(error.clone());
            slot.finish(Status::Lost(error));
        }
    }
    Ok((writer, lost))
}

/// The file of a session that has one.
fn file(slot: &Slot) -> Option<String> {
    let inner = slot.lock();
    let state = &inner.session.as_ref()?.state;
    state.session_file.clone().filter(|_| state.persisted)
}

/// An answer; the outer error means that the process ended.
type Asked<T> = Result<Result<T, Error>, Useless>;

async fn ask(shared: &Shared, writer: &Writer, call: Call) -> Asked<Answer> {
    shared.ask(writer, call).await.ok_or(Useless::Ended)
}

/// Open a session again, at its leaf.
async fn reopen(shared: &Shared, writer: &Writer, slot: &Arc<Slot>) -> Asked<()> {
    let Some(path) = file(slot) else {
        return Ok(Err(Error::Interrupted {
            method: "session/inMemory".to_owned(),
        }));
    };
    let params = {
        let inner = slot.lock();
        let known = inner.session.as_ref().expect("the slot of a session");
        let mut params = Map::new();
        let mut add = |name: &str, value| params.insert(name.to_owned(), value);
        add("session", json!(slot.handle));
        add("path", json!(path));
        add("sessionDir", json!(known.state.session_dir));
        add("cwd", json!(known.state.cwd));
        add("readOnly", json!(known.state.read_only));
        add("follow", json!(known.follow));
        // An empty session need not have a file.
        add("mustExist", json!(known.filled));
        if !known.follow || known.placed {
            add("leafId", json!(known.leaf));
        }
        Value::Object(params).to_string()
    };
    let open = Call::new(&RENEW, params).on(slot).named("session/open");
    let opened = ask(shared, writer, open).await?;
    if !opened
        .as_ref()
        .is_ok_and(|answer| !slot.is_same(answer.text()))
    {
        return Ok(opened.map(drop));
    }
    let close = Call::new(&OTHER, "{}".to_owned()).on(slot);
    ask(shared, writer, close.named("session/close"))
        .await?
        .ok();
    Ok(Err(Error::SessionLost {
        path: Some(path),
        reason: "its file is another session now".to_owned(),
    }))
}
