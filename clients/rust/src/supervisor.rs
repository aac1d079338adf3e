//! Starts the daemon, and starts it again when it ends unexpectedly: sessions and subscriptions are
//! opened again, and unanswered calls are sent again where that is safe.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;

use crate::call::{notification, Call};
use crate::error::{Ended, Error, Failure};
use crate::generated::methods::SESSION_OPEN;
use crate::method::{Method, Tracks};
use crate::process::Process;
use crate::shared::{Shared, Writer};
use crate::slot::{Known, Slot, Status};
use crate::updates::{Event, Reconnection};

const PROTOCOL_VERSION: &str = "1";

const INITIALIZE: Method = Method {
    name: "initialize",
    repeatable: false,
    tracks: Tracks::Nothing,
};

/// The longest pause before a restart.
const SLOWEST: Duration = Duration::from_secs(2);

/// A client whose calls fail with [`Error::Closed`] when this is dropped: the task that owns it ended
/// without an answer to them, because its runtime ended.
pub(crate) struct Supervised(pub(crate) Arc<Shared>);

impl Drop for Supervised {
    fn drop(&mut self) {
        if self.0.ended.borrow().is_none() {
            self.0.finish(Ended {
                status: None,
                error: Some(Error::Closed),
            });
        }
    }
}

/// Make the daemon ready, and restart it whenever it ends, until the client is closed. `ready` is told
/// of the first start.
pub(crate) async fn supervise(
    supervised: Supervised,
    mut process: Process,
    ready: oneshot::Sender<Result<(), Error>>,
) {
    let shared = &supervised.0;
    let mut ready = Some(ready);
    let mut cause = None;
    let mut crashes = 0;
    loop {
        let mut refused = None;
        let Process { writer, mut end } = process;
        let end = tokio::select! {
            end = &mut end => end,
            restored = restore(shared, writer) => {
                match (restored, cause.take()) {
                    (Ok(lost), Some(cause)) => {
                        let event = Event::Reconnected(Reconnection { cause, lost });
                        shared.lock().events.send(&event);
                    }
                    (Ok(_), None) => {
                        let ready = ready.take().expect("only the first start has no cause");
                        // The caller may have left.
                        let _ = ready.send(Ok(()));
                    }
                    (Err(error), _) => {
                        refused = Some(error);
                        shared.kill.notify_one();
                    }
                }
                end.await
            }
        };
        let Ok((status, log)) = end else {
            return; // the runtime ends
        };
        if shared.lock().is_down() {
            let error = None;
            return shared.finish(Ended { status, error });
        }
        let crash = crashed(status, log);
        let answered = shared.sort_out(&crash);
        crashes = if answered { 1 } else { crashes + 1 };
        let failure = match refused {
            None if ready.is_some() || crashes > shared.options.restarts => Some(crash.clone()),
            refused => refused,
        };
        cause = Some(crash);
        let next = match failure {
            Some(failure) => Err(failure),
            None => {
                let pause = Duration::from_millis(100) * (crashes - 1);
                tokio::time::sleep(pause.min(SLOWEST)).await;
                Process::start(shared)
            }
        };
        process = match next {
            Ok(next) => next,
            Err(failure) => {
                shared.lock().events.send(&Event::Lost(failure.clone()));
                let error = Some(failure.clone());
                shared.finish(Ended { status, error });
                if let Some(ready) = ready {
                    let _ = ready.send(Err(failure));
                }
                return;
            }
        };
    }
}

fn crashed(status: Option<ExitStatus>, log: String) -> Error {
    Error::Crashed {
        status: status.map_or_else(|| "status unknown".to_owned(), |status| status.to_string()),
        log,
    }
}

async fn initialize(shared: &Shared, writer: &Writer) -> Result<(), Error> {
    let mut params = shared.options.initialize.clone();
    params
        .process_id
        .get_or_insert_with(|| i64::from(std::process::id()));
    params
        .protocol_versions
        .get_or_insert_with(|| vec![PROTOCOL_VERSION.to_owned()]);
    let answer = shared.ask(writer, Call::of(&INITIALIZE, &params)?).await?;
    let version = answer
        .result
        .member::<String>("protocolVersion")
        .unwrap_or_default();
    if version != PROTOCOL_VERSION {
        return Err(unsupported(&version));
    }
    let settings = answer.parse(INITIALIZE.name)?;
    shared.settings.get_or_init(|| settings);
    // If the daemon has ended, its reader notices that.
    let _ = writer.send(notification("initialized", Some("{}")));
    Ok(())
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

/// Open everything again, and send the calls that wait. Return the errors of the sessions and
/// subscriptions that are lost. Fails if the daemon refuses `initialize`, as it would again.
async fn restore(shared: &Shared, writer: Writer) -> Result<Vec<Error>, Error> {
    initialize(shared, &writer).await?;
    let slots = shared.lock().open();
    let mut lost = Vec::new();
    for slot in slots {
        if slot.check().is_err() {
            continue; // dropped meanwhile
        }
        if let Err(error) = renew(shared, &writer, &slot).await {
            shared.lock().forget(&slot);
            if slot.check().is_ok() {
                let error = Error::SessionLost {
                    path: slot.lock().session.as_ref().and_then(Known::file),
                    reason: error.to_string(),
                };
                lost.push(error.clone());
                slot.finish(Status::Lost(error));
            }
        }
    }
    shared.resume(writer);
    Ok(lost)
}

/// Open a session or subscription again.
async fn renew(
    shared: &Shared,
    writer: &Writer,
    slot: &Arc<Slot>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let call = match &slot.made {
        Some((name, params)) => Call::new(name, params.clone()),
        None => {
            let params = slot.lock().session.as_ref().and_then(Known::reopening);
            Call::of(&SESSION_OPEN, &params.ok_or("it was in memory")?)?
        }
    };
    let answer = shared.ask(writer, call.renewing(slot)).await?;
    let same = match &slot.lock().session {
        Some(known) => known.is_same(&answer.parse(SESSION_OPEN.name)?),
        None => true,
    };
    if same {
        return Ok(());
    }
    let _ = shared.ask(writer, Call::ending(slot)).await;
    Err("its file is another session now".into())
}
