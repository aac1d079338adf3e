//! The same client without `async`, for programs that have no runtime.
//!
//! Every call waits for its answer; [`Options::timeout`] limits that. Streams are iterators. A thread in
//! the background reads from the daemon. Do not use it in async code: it panics there.
//!
//! ```no_run
//! use sessiond_client::{blocking::Client, types::UserMessage, Error, Options};
//!
//! # fn main() -> Result<(), Error> {
//! let client = Client::spawn(Options::new())?;
//! let session = client.continue_recent(".")?;
//! session.append_message(UserMessage::text("hello"))?;
//! for entry in session.entries() {
//!     println!("{}", entry?.text());
//! }
//! client.close()?;
//! # Ok(())
//! # }
//! ```

use std::future::Future;
use std::io;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::ended::Ended;
use crate::error::Error;
use crate::events::Event;
use crate::json::{Json, Raw};
use crate::options::Options;
use crate::types::{
    CatalogSearchParams, Entry, GetEntriesParams, InitializeResult, ListAllParams, ListParams,
    SearchHit, SessionInfo, SessionState,
};
use crate::updates::{Change, Reported, Update};

/// The runtime of a client, its sessions and iterators.
#[derive(Debug)]
struct Waiter(Option<Runtime>);

impl Waiter {
    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        let runtime = self.0.as_ref().expect("it is there until it is dropped");
        runtime.block_on(future)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A running daemon; see [`crate::Client`]. Clones are the same client.
#[derive(Clone, Debug)]
pub struct Client {
    // Dropped before the runtime.
    inner: crate::client::Client,
    waiter: Arc<Waiter>,
}

impl Client {
    /// Start the daemon and send `initialize`.
    pub fn spawn(options: Options) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("sessiond-client")
            .enable_all()
            .build()
            .map_err(|source| start_failed(&options, source))?;
        let waiter = Arc::new(Waiter(Some(runtime)));
        let inner = waiter.wait(crate::client::Client::spawn(options))?;
        Ok(Self { inner, waiter })
    }

    /// The daemon's answer to `initialize`; `None` after [`Options::without_initialize`].
    pub fn settings(&self) -> Option<&InitializeResult> {
        self.inner.settings()
    }

    /// Restarts of the daemon, and its final loss, from now on.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let (mut events, waiter) = (self.inner.events(), Arc::clone(&self.waiter));
        std::iter::from_fn(move || waiter.wait(events.next()))
    }

    /// Call a method by name, with params and result as JSON text.
    pub fn call_text(&self, method: &str, params: Option<&str>) -> Result<Raw, Error> {
        self.wait(self.inner.call_text(method, params))
    }

    /// The sessions of all working directories, the latest first, read page by page.
    pub fn sessions(&self) -> Pages<SessionInfo> {
        self.pages(self.inner.sessions())
    }

    /// The sessions of all working directories after `cursor`, read in pages of `limit`.
    pub fn sessions_with(&self, params: ListAllParams) -> Pages<SessionInfo> {
        self.pages(self.inner.sessions_with(params))
    }

    /// The sessions of a working directory, the latest first, read page by page.
    pub fn sessions_of(&self, params: impl Into<ListParams>) -> Pages<SessionInfo> {
        self.pages(self.inner.sessions_of(params))
    }

    /// The results of a search, the best first, read page by page.
    pub fn search(&self, params: impl Into<CatalogSearchParams>) -> Pages<SearchHit> {
        self.pages(self.inner.search(params))
    }

    /// Close the client: the daemon answers the calls in flight and ends. Later calls fail with
    /// [`Error::Closed`].
    pub fn close(&self) -> Result<Ended, Error> {
        self.wait(self.inner.close())
    }

    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.waiter.wait(future)
    }

    pub(crate) fn inner(&self) -> &crate::client::Client {
        &self.inner
    }

    pub(crate) fn session(&self, inner: crate::session::Session) -> Session {
        Session {
            inner,
            client: self.clone(),
        }
    }

    pub(crate) fn subscription<S, N>(
        &self,
        inner: crate::subscription::Subscription<S, N>,
    ) -> Subscription<S, N> {
        let waiter = Arc::clone(&self.waiter);
        Subscription { inner, waiter }
    }

    fn pages<T>(&self, inner: crate::paging::Pages<T>) -> Pages<T> {
        let waiter = Arc::clone(&self.waiter);
        Pages { inner, waiter }
    }
}

fn start_failed(options: &Options, source: io::Error) -> Error {
    Error::Start {
        program: options.program_to_start(),
        source: Arc::new(source),
    }
}

/// An open session; see [`crate::Session`]. Clones are the same session.
#[derive(Clone, Debug)]
pub struct Session {
    inner: crate::session::Session,
    client: Client,
}

impl Session {
    /// The client that opened the session.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The handle in the current process of the daemon, for params that name other sessions.
    pub fn handle(&self) -> String {
        self.inner.handle()
    }

    /// The last state that the daemon reported.
    pub fn state(&self) -> Arc<SessionState> {
        self.inner.state()
    }

    /// Changes that others make to the file; see [`crate::Session::changes`].
    pub fn changes(&self) -> Updates<Change> {
        Updates {
            inner: self.inner.changes(),
            waiter: Arc::clone(&self.client.waiter),
        }
    }

    /// All entries in file order, read page by page.
    pub fn entries(&self) -> Pages<Json<Entry>> {
        self.client.pages(self.inner.entries())
    }

    /// The entries after `cursor`, read in pages of `limit`.
    pub fn entries_with(&self, params: GetEntriesParams) -> Pages<Json<Entry>> {
        self.client.pages(self.inner.entries_with(params))
    }

    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.client.wait(future)
    }

    pub(crate) fn inner(&self) -> &crate::session::Session {
        &self.inner
    }
}

/// The items of all pages. An error is the last item.
#[derive(Debug)]
#[must_use = "nothing is requested before the first item"]
pub struct Pages<T> {
    inner: crate::paging::Pages<T>,
    waiter: Arc<Waiter>,
}

impl<T> Iterator for Pages<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.waiter.wait(self.inner.next())
    }
}

/// Changes, one by one: the iterator waits for the next one, and ends when nothing can follow.
#[derive(Debug)]
pub struct Updates<T> {
    inner: crate::updates::Updates<T>,
    waiter: Arc<Waiter>,
}

impl<T: Reported> Updates<T> {
    /// Wait for the next change, at most for this time.
    pub fn next_timeout(&mut self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let next = self.inner.next();
        let limited = async { tokio::time::timeout(timeout, next).await };
        match self.waiter.wait(limited) {
            Ok(Some(change)) => Ok(change),
            Ok(None) => Err(RecvTimeoutError::Disconnected),
            Err(_) => Err(RecvTimeoutError::Timeout),
        }
    }

    /// The next change, if it has arrived.
    pub fn try_next(&mut self) -> Option<T> {
        self.inner.try_next()
    }
}

impl<T: Reported> Iterator for Updates<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.waiter.wait(self.inner.next())
    }
}

/// A snapshot, and an iterator over every change after it. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription<S, N> {
    inner: crate::subscription::Subscription<S, N>,
    waiter: Arc<Waiter>,
}

impl<S, N> Subscription<S, N> {
    /// The state at the start of the subscription.
    pub fn snapshot(&self) -> &S {
        self.inner.snapshot()
    }
}

impl<S, N> Iterator for Subscription<S, N>
where
    Update<S, N>: Reported,
{
    type Item = Update<S, N>;

    fn next(&mut self) -> Option<Update<S, N>> {
        self.waiter.wait(self.inner.updates().next())
    }
}
