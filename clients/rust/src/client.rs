use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::Serialize;
use tokio::sync::oneshot;

use crate::backlog::Updates;
use crate::call::{notification, Call};
use crate::error::{Ended, Error};
use crate::generated::methods::named;
use crate::json::{member, Raw};
use crate::method::Method;
use crate::options::Options;
use crate::process::Process;
use crate::shared::{Answer, Shared};
use crate::supervisor::{supervise, Supervised};
use crate::types::InitializeResult;
use crate::updates::{Event, Told};

/// A running daemon.
///
/// Clones are the same client. When the last clone and the last session are dropped, the client
/// closes the daemon's stdin; the daemon then finishes its requests and ends. [`Client::close`]
/// waits for that.
///
/// **Cancelling.** Dropping the future of a call cancels the request (`$/cancelRequest`), also by
/// `tokio::time::timeout` and `tokio::select!`. A write that is cancelled late may have been
/// carried out. What was opened late is closed again.
///
/// **After a crash.** When the daemon ends unexpectedly, the client starts it again and opens the
/// sessions, each at its leaf, and the subscriptions again. Unanswered reads and appends are sent
/// again; that is safe for appends, because the client chooses the id of every entry. Other
/// unanswered calls fail with [`Error::Interrupted`], as they might create something a second time.
/// Sessions in memory and entries that were not yet in a file are lost ([`Error::SessionLost`]).
///
/// **Runtime.** The client lives in the tokio runtime in which it was spawned. When that ends, the client
/// is closed: calls fail with [`Error::Closed`], in other runtimes too.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
    timeout: Option<Duration>,
}

#[derive(Debug)]
struct Inner(Arc<Shared>);

impl Drop for Inner {
    fn drop(&mut self) {
        // Closes the daemon's stdin.
        drop(self.0.refuse());
    }
}

impl Client {
    /// Start the daemon and send `initialize`. Needs a tokio runtime with I/O and time. If the future is
    /// dropped, or [`Options::timeout`] passes before the answer, the daemon is killed.
    pub async fn spawn(options: Options) -> Result<Self, Error> {
        let shared = Shared::new(options);
        let process = Process::start(&shared)?;
        let client = Self {
            timeout: shared.options.timeout,
            inner: Arc::new(Inner(Arc::clone(&shared))),
        };
        let (ready, started) = oneshot::channel();
        tokio::spawn(supervise(Supervised(shared), process, ready));
        let started = async { started.await.unwrap_or(Err(Error::Closed)) };
        within(client.timeout, "initialize", started).await?;
        Ok(client)
    }

    /// The daemon's answer to `initialize`.
    pub fn settings(&self) -> &InitializeResult {
        let settings = self.shared().settings.get();
        settings.expect("it has answered before the client exists")
    }

    /// The same client with another limit of time for each call, `None` for no limit. It also holds
    /// for the sessions that are opened with it.
    ///
    /// A call that is not answered in time is cancelled and fails with [`Error::Timeout`].
    #[must_use = "the client itself keeps its limit"]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            timeout: timeout.into(),
        }
    }

    /// All notifications from now on. The last 1,024 wait to be read.
    pub fn notifications(&self) -> Updates<Told> {
        Updates::new(self.shared().lock().told.reader(), |told| told)
    }

    /// Restarts of the daemon, and its final loss, from now on.
    pub fn events(&self) -> Updates<Event> {
        Updates::new(self.shared().lock().events.reader(), |event| event)
    }

    /// Call a method by name, with params and result as JSON text. Use it for methods that this
    /// version does not know, and for params that only text can hold.
    pub async fn call_text(&self, method: &str, params: Option<&str>) -> Result<Raw, Error> {
        let params = params.map(checked).transpose()?;
        let handles = ["session", "subscription"].iter().any(|name| {
            // After a crash the handle may belong to another session.
            member::<Raw>(params.as_deref().unwrap_or_default(), name).is_some()
        });
        let call = Call {
            repeatable: !handles && named(method).is_some_and(|known| known.repeatable),
            ..Call::new(method, params)
        };
        self.send(call).await.map(|answer| answer.result)
    }

    /// Send a notification by name, with params as JSON text.
    pub fn notify_text(&self, method: &str, params: Option<&str>) -> Result<(), Error> {
        let params = params.map(checked).transpose()?;
        self.shared().notify(method, params.as_deref())
    }

    /// Close the client: the daemon answers the calls in flight and ends. Later calls fail with
    /// [`Error::Closed`].
    pub async fn close(&self) -> Result<Ended, Error> {
        let shared = self.shared();
        if let Some(ended) = shared.ended.borrow().clone() {
            return Ok(ended); // also where no runtime is left
        }
        // From now on calls are refused. Those in flight are answered before `shutdown` is.
        let writer = shared.refuse();
        let ended = tokio::time::timeout(shared.options.close_timeout, async {
            if let Some(writer) = writer {
                // The daemon ends after this, even if it answers with an error.
                let _ = shared.ask(&writer, Call::new("shutdown", None)).await;
                let _ = writer.send(notification("exit", None));
            }
            self.wait().await
        });
        match ended.await {
            Ok(ended) => Ok(ended),
            Err(_) => {
                shared.kill.notify_one();
                Ok(self.wait().await)
            }
        }
    }

    /// Wait for the final end of the daemon: the client was closed, or restarting the daemon
    /// failed.
    pub async fn wait(&self) -> Ended {
        let mut ended = self.shared().ended.subscribe();
        let end = ended.wait_for(Option::is_some).await;
        end.ok().and_then(|ended| ended.clone()).unwrap_or(Ended {
            status: None,
            error: Some(Error::Closed),
        })
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.inner.0
    }

    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<R, Error> {
        let answer = self.send(Call::of(method, params)?).await?;
        answer.parse(method.name)
    }

    /// Send a call and wait. Dropping the future cancels the request.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer, Error> {
        let method = call.name.clone();
        let answer = async {
            let (reply, answer) = oneshot::channel();
            let mut waiting = Waiting {
                shared: self.shared(),
                method: call.name.clone(),
                id: self.shared().submit(call, Some(reply))?,
                answer,
            };
            let answer = (&mut waiting.answer).await;
            answer.unwrap_or(Err(Error::Closed))
        };
        within(self.timeout, &method, answer).await
    }
}

/// Wait for the answer to a method, at most for the limit of time.
async fn within<T>(
    limit: Option<Duration>,
    method: &str,
    answer: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let Some(limit) = limit else {
        return answer.await;
    };
    let late = |_| Error::Timeout {
        method: method.to_owned(),
    };
    tokio::time::timeout(limit, answer).await.map_err(late)?
}

/// A caller that waits for an answer. Dropping it cancels the request.
struct Waiting<'a> {
    shared: &'a Shared,
    method: String,
    id: i64,
    answer: oneshot::Receiver<Result<Answer, Error>>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.answer.close();
        match self.answer.try_recv() {
            // The answer arrived, but the caller did not take it.
            Ok(answer) => {
                if let Ok(answer) = answer {
                    self.shared.unclaimed(&self.method, &answer);
                }
            }
            Err(_) => self.shared.abandon(self.id),
        }
    }
}

fn checked(params: &str) -> Result<String, Error> {
    match serde_json::from_str::<serde::de::IgnoredAny>(params) {
        Ok(_) => Ok(params.to_owned()),
        Err(source) => Err(Error::Params(Arc::new(source))),
    }
}
