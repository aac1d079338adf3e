//! The same client without `async`, for programs that have no runtime.
//!
//! Every call waits for its answer; [`Options::timeout`] and [`Client::with_timeout`] limit that.
//! Streams are iterators. A thread in the background reads from the daemon.
//!
//! It also works in async code, but there each call blocks the thread of the runtime: use
//! [`crate::Client`] instead, or `tokio::task::spawn_blocking`.
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
use std::pin::pin;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
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
use crate::updates::{Change, Reported, Told, Update};

/// The runtime of a client, its sessions and iterators.
#[derive(Debug)]
struct Waiter(Option<Runtime>);

impl Waiter {
    /// Wait for a future on this thread, also in async code, where `Runtime::block_on` panics.
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let runtime = self.0.as_ref().expect("it is there until it is dropped");
        let _entered = runtime.enter();
        // A task of the caller may have used up its budget, with which nothing would become ready.
        let mut future = pin!(tokio::task::unconstrained(future));
        let waker = Arc::new(Unpark(thread::current())).into();
        let mut context = Context::from_waker(&waker);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(value) => return value,
                Poll::Pending => thread::park(),
            }
        }
    }

    fn next_timeout<T: Reported>(
        &self,
        updates: &mut crate::updates::Updates<T>,
        timeout: Duration,
    ) -> Result<T, RecvTimeoutError> {
        match self.block_on(async { tokio::time::timeout(timeout, updates.next()).await }) {
            Ok(Some(change)) => Ok(change),
            Ok(None) => Err(RecvTimeoutError::Disconnected),
            Err(_) => Err(RecvTimeoutError::Timeout),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
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
        let inner = waiter.block_on(crate::client::Client::spawn(options))?;
        Ok(Self { inner, waiter })
    }

    /// The daemon's answer to `initialize`; `None` after [`Options::without_initialize`].
    pub fn settings(&self) -> Option<&InitializeResult> {
        self.inner.settings()
    }

    /// The same client with another limit of time for each call; see
    /// [`crate::Client::with_timeout`].
    #[must_use = "the client itself keeps its limit"]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self {
            inner: self.inner.with_timeout(timeout),
            waiter: Arc::clone(&self.waiter),
        }
    }

    /// All notifications from now on; see [`crate::Client::notifications`].
    pub fn notifications(&self) -> impl Iterator<Item = Told> {
        let (mut told, waiter) = (self.inner.notifications(), Arc::clone(&self.waiter));
        std::iter::from_fn(move || waiter.block_on(told.next()))
    }

    /// Restarts of the daemon, and its final loss, from now on.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let (mut events, waiter) = (self.inner.events(), Arc::clone(&self.waiter));
        std::iter::from_fn(move || waiter.block_on(events.next()))
    }

    /// Call a method by name, with params and result as JSON text.
    pub fn call_text(&self, method: &str, params: Option<&str>) -> Result<Raw, Error> {
        self.block_on(self.inner.call_text(method, params))
    }

    /// Send a notification by name, with params as JSON text.
    pub fn notify_text(&self, method: &str, params: Option<&str>) -> Result<(), Error> {
        self.inner.notify_text(method, params)
    }

    /// Wait for the final end of the daemon; see [`crate::Client::wait`].
    pub fn wait(&self) -> Ended {
        self.block_on(self.inner.wait())
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
        self.block_on(self.inner.close())
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.waiter.block_on(future)
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

    /// The same session with another limit of time for each call; see
    /// [`crate::Client::with_timeout`].
    #[must_use = "the session itself keeps its limit"]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        let timeout = timeout.into();
        Self {
            inner: self.inner.with_timeout(timeout),
            client: self.client.with_timeout(timeout),
        }
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

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.client.block_on(future)
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
        self.waiter.block_on(self.inner.next())
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
        self.waiter.next_timeout(&mut self.inner, timeout)
    }

    /// The next change, if it has arrived.
    pub fn try_next(&mut self) -> Option<T> {
        self.inner.try_next()
    }
}

impl<T: Reported> Iterator for Updates<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.waiter.block_on(self.inner.next())
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

impl<S, N> Subscription<S, N>
where
    Update<S, N>: Reported,
{
    /// Wait for the next change, at most for this time.
    pub fn next_timeout(&mut self, timeout: Duration) -> Result<Update<S, N>, RecvTimeoutError> {
        self.waiter.next_timeout(self.inner.updates(), timeout)
    }

    /// The next change, if it has arrived.
    pub fn try_next(&mut self) -> Option<Update<S, N>> {
        self.inner.updates().try_next()
    }
}

impl<S, N> Iterator for Subscription<S, N>
where
    Update<S, N>: Reported,
{
    type Item = Update<S, N>;

    fn next(&mut self) -> Option<Update<S, N>> {
        self.waiter.block_on(self.inner.updates().next())
    }
}
