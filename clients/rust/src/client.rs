use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::Serialize;
use tokio::sync::oneshot;

use crate::call::{Answer, Call};
use crate::ended::Ended;
use crate::error::Error;
use crate::generated::methods::METHODS;
use crate::json::{member, Raw};
use crate::method::{Method, Tracks, OTHER};
use crate::options::Options;
use crate::shared::{Link, Shared};
use crate::supervisor::{start, supervise};
use crate::types::InitializeResult;
use crate::updates::Notifications;

/// A running daemon.
///
/// Clones are the same client. When the last of them and of its sessions is dropped, the daemon's
/// stdin ends, it finishes what it has begun, and ends; [`Client::close`] waits for that.
///
/// **Cancelling.** Dropping the future of a call cancels the request (`$/cancelRequest`), so
/// `tokio::time::timeout` and `tokio::select!` do what one expects. A write that is cancelled late
/// may have been done.
///
/// **After a crash.** When the daemon ends by itself it is started again, sessions and
/// subscriptions are opened again with their leaves where they were, and calls that were not
/// answered are sent again: those that read, and those that append, which is safe because every
/// appended entry is given its id here. Other calls under way, which would create something a
/// second time, fail with [`Error::Interrupted`]; sessions in memory and entries that were not yet
/// in a file are lost ([`Error::SessionLost`]).
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    settings: Option<InitializeResult>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closing = true;
        // Ends the daemon's stdin.
        state.link = Link::Down(Error::Closed);
    }
}

impl Client {
    /// Start the daemon and agree on the settings. Needs a tokio runtime with I/O and time.
    pub async fn spawn(options: Options) -> Result<Self, Error> {
        let shared = Shared::new(options);
        let (process, settings) = start(&shared).await?;
        tokio::spawn(supervise(Arc::clone(&shared), process));
        Ok(Self {
            inner: Arc::new(Inner {
                settings: settings.and_then(|settings| settings.parse().ok()),
                shared,
            }),
        })
    }

    /// The settings in force; `None` after [`Options::without_initialize`].
    pub fn settings(&self) -> Option<&InitializeResult> {
        self.inner.settings.as_ref()
    }

    /// Everything the daemon tells from now on. Sessions and subscriptions have streams of their
    /// own, which go on after a crash; here handles are those of the daemon's process.
    pub fn notifications(&self) -> Notifications {
        Notifications::new(self.shared().listen())
    }

    /// Call a method by name, with params and result as JSON texts. For methods this version does
    /// not know, and for params that only a text can hold.
    pub async fn call_text(&self, method: &str, params: Option<&str>) -> Result<Raw, Error> {
        let params = params.map(checked).transpose()?;
        let handles = ["session", "subscription"].iter().any(|name| {
            // After a crash the same handle is another session.
            member::<Raw>(params.as_deref().unwrap_or_default(), name).is_some()
        });
        let repeatable = !handles && named(method).is_some_and(|known| known.repeatable);
        let request = Call {
            method: if repeatable { &REPEATABLE } else { &OTHER },
            name: method.to_owned(),
            slot: None,
            params,
        };
        self.send(request).await.map(|answer| answer.raw())
    }

    /// Send a notification by name, with params as JSON text.
    pub fn notify_text(&self, method: &str, params: Option<&str>) -> Result<(), Error> {
        let params = params.map(checked).transpose()?;
        self.shared().notify(method, params.as_deref())
    }

    /// Close everything: what was sent is answered, then the daemon ends. Calls from now on fail
    /// with [`Error::Closed`].
    pub async fn close(&self) -> Result<Ended, Error> {
        let shared = self.shared();
        let goodbye = async {
            // Whatever it answers, it ends after this.
            let shutdown = Call::new(&OTHER, "{}".to_owned()).named("shutdown");
            let _ = self.send(shutdown).await;
            let _ = shared.notify("exit", None);
            let mut state = shared.lock();
            state.closing = true;
            if !matches!(state.link, Link::Down(_)) {
                state.link = Link::Down(Error::Closed);
            }
        };
        let ended = tokio::time::timeout(shared.options.patience, async {
            goodbye.await;
            self.wait().await
        });
        match ended.await {
            Ok(ended) => Ok(ended),
            Err(_) => {
                shared.lock().closing = true;
                shared.kill.notify_one();
                Ok(self.wait().await)
            }
        }
    }

    /// Wait until there is no daemon any more: the client was closed, or starting it again was of
    /// no use.
    pub async fn wait(&self) -> Ended {
        let mut ended = self.shared().ended.subscribe();
        let found = ended.wait_for(Option::is_some).await;
        found.ok().and_then(|ended| ended.clone()).unwrap_or(Ended {
            status: None,
            error: Some(Error::Closed),
        })
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: &'static Method,
        params: &impl Serialize,
    ) -> Result<R, Error> {
        let answer = self.send(Call::of(method, params)).await?;
        answer.parse(method.name)
    }

    /// Send a call and wait. Dropping the future cancels the request.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer, Error> {
        let (reply, answer) = oneshot::channel();
        let mut cancel = CancelOnDrop {
            shared: self.shared(),
            id: Some(self.shared().submit(call, Some(reply))?),
        };
        let answer = answer.await;
        cancel.id = None;
        answer.unwrap_or(Err(Error::Closed))
    }
}

struct CancelOnDrop<'a> {
    shared: &'a Shared,
    id: Option<i64>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.shared.abandon(id);
        }
    }
}

static REPEATABLE: Method = Method {
    name: "",
    repeatable: true,
    tracks: Tracks::Nothing,
};

/// The method of that name, if the contract has it.
fn named(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name).copied()
}

fn checked(params: &str) -> Result<String, Error> {
    match serde_json::from_str::<serde::de::IgnoredAny>(params) {
        Ok(_) => Ok(params.to_owned()),
        Err(source) => Err(Error::Params(Arc::new(source))),
    }
}
