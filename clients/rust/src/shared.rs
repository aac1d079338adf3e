//! State shared by tasks and callers: calls in flight, open sessions, and the link to the daemon.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{oneshot, watch, Notify};

use crate::backlog::Feed;
use crate::call::{notification, Call};
use crate::error::{Ended, Error};
use crate::generated::methods::named;
use crate::json::Raw;
use crate::lossy::decoded;
use crate::method::Tracks;
use crate::options::Options;
use crate::slot::{Slot, Status};
use crate::types::InitializeResult;
use crate::updates::{Event, Told};

pub(crate) type Writer = UnboundedSender<Vec<u8>>;
pub(crate) type Reply = oneshot::Sender<Result<Answer, Error>>;

/// How often one call is sent at most, since the call itself may crash the daemon.
const ATTEMPTS: u32 = 3;

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) ended: watch::Sender<Option<Ended>>,
    /// Ends the process that runs, or the next one.
    pub(crate) kill: Notify,
    /// The answer to the first `initialize`.
    pub(crate) settings: OnceLock<InitializeResult>,
    state: Mutex<State>,
}

#[derive(Debug)]
pub(crate) struct State {
    next: i64,
    pub(crate) pending: BTreeMap<i64, Pending>,
    pub(crate) link: Link,
    /// Whether a caller was answered since the daemon was last started.
    answered: bool,
    slots: HashMap<(&'static str, String), Arc<Slot>>,
    pub(crate) told: Feed<Told>,
    pub(crate) events: Feed<Event>,
}

#[derive(Debug)]
pub(crate) enum Link {
    Up(Writer),
    /// Calls wait until the daemon is ready.
    Starting,
    Down(Error),
}

#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) call: Call,
    /// None: the caller no longer waits.
    pub(crate) reply: Option<Reply>,
    pub(crate) attempts: u32,
    pub(crate) sent: bool,
    /// Size of the message, to identify it if it was too large.
    pub(crate) size: usize,
}

impl Pending {
    pub(crate) fn fail(self, error: Error) {
        if let Some(reply) = self.reply {
            // The caller may have left.
            let _ = reply.send(Err(error));
        }
    }
}

impl Shared {
    pub(crate) fn new(mut options: Options) -> Arc<Self> {
        // Restarts start the same program, even if the working directory changed.
        options.program = Some(options.program_to_start());
        Arc::new(Self {
            options,
            ended: watch::Sender::new(None),
            kill: Notify::new(),
            settings: OnceLock::new(),
            state: Mutex::new(State {
                next: 1,
                pending: BTreeMap::new(),
                link: Link::Starting,
                answered: false,
                slots: HashMap::new(),
                told: Feed::new(),
                events: Feed::new(),
            }),
        })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no lock is held over a panic")
    }

    /// Send a call now, or when the daemon is ready.
    pub(crate) fn submit(&self, call: Call, reply: Option<Reply>) -> Result<i64, Error> {
        let mut state = self.lock();
        if let Link::Down(error) = &state.link {
            return Err(error.clone());
        }
        call.check()?;
        if let (Tracks::Closes, Some(slot)) = (call.tracks, &call.slot) {
            slot.finish(Status::Closed);
        }
        let id = state.insert(call, reply);
        if let Link::Up(writer) = &state.link {
            let writer = writer.clone();
            state.send(id, &writer);
        }
        Ok(id)
    }

    /// Send a call of the client itself, which need not wait until the daemon is ready.
    pub(crate) async fn ask(&self, writer: &Writer, call: Call) -> Result<Answer, Error> {
        let (reply, answer) = oneshot::channel();
        {
            let mut state = self.lock();
            let id = state.insert(call, Some(reply));
            state.send(id, writer);
        }
        answer.await.unwrap_or(Err(Error::Closed))
    }

    /// Refuse all further calls with [`Error::Closed`]. Returns the writer of a daemon that is ready; one
    /// that is not has nothing to finish, and is killed, as it may never read the end of its stdin.
    pub(crate) fn refuse(&self) -> Option<Writer> {
        let mut state = self.lock();
        if state.is_down() {
            return None;
        }
        match std::mem::replace(&mut state.link, Link::Down(Error::Closed)) {
            Link::Up(writer) => Some(writer),
            _ => {
                self.kill.notify_one();
                None
            }
        }
    }

    /// Send a notification. It is dropped while the daemon is starting.
    pub(crate) fn notify(&self, name: &str, params: Option<&str>) -> Result<(), Error> {
        match &self.lock().link {
            Link::Up(writer) => {
                // If the daemon ends meanwhile, its reader notices that.
                let _ = writer.send(notification(name, params));
                Ok(())
            }
            Link::Starting => Ok(()),
            Link::Down(error) => Err(error.clone()),
        }
    }

    /// Cancel a call, because the caller no longer waits for it.
    pub(crate) fn abandon(&self, id: i64) {
        let mut state = self.lock();
        let state = &mut *state;
        let Some(pending) = state.pending.get_mut(&id) else {
            return;
        };
        pending.reply = None;
        match &state.link {
            // What is being closed is closed, whoever waits for it.
            _ if pending.sent && pending.call.tracks == Tracks::Closes => {}
            Link::Up(writer) if pending.sent => {
                let params = format!(r#"{{"id":{id}}}"#);
                let _ = writer.send(notification("$/cancelRequest", Some(&params)));
            }
            _ => {
                state.pending.remove(&id);
            }
        }
    }

    /// Close what a call that was made as text opened, because its caller no longer waits for the answer.
    pub(crate) fn unclaimed(&self, method: &str, answer: &Answer) {
        if answer.opened.is_some() {
            return; // its handle closes it
        }
        let (member, ends) = match named(method).map(|method| method.tracks) {
            Some(Tracks::Opens) => ("session", "session/close"),
            Some(Tracks::Subscribes { ends, .. }) => ("subscription", ends),
            _ => return,
        };
        if let Some(handle) = answer.result.member::<Raw>(member) {
            let params = format!(r#"{{"{member}":{}}}"#, handle.text());
            let _ = self.submit(Call::new(ends, Some(params)), None);
        }
    }

    /// Close a session or subscription that the user dropped, without waiting for the answer.
    pub(crate) fn release(&self, slot: &Arc<Slot>) {
        if slot.check().is_err() {
            return;
        }
        slot.finish(Status::Closed);
        let mut state = self.lock();
        // While the daemon starts it may be open again already; then `resume` closes it.
        if let Link::Up(writer) = &state.link {
            let writer = writer.clone();
            state.close(slot, &writer);
        }
    }

    /// Decide which calls in flight fail and which are repeated. Return whether the daemon answered
    /// any call since its last start.
    pub(crate) fn sort_out(&self, error: &Error) -> bool {
        let mut state = self.lock();
        state.disconnect();
        let mut broken: Vec<Arc<Slot>> = Vec::new();
        for (id, mut pending) in std::mem::take(&mut state.pending) {
            if pending.reply.as_ref().is_none_or(Reply::is_closed) {
                continue;
            }
            let call = &pending.call;
            let slot = call.slot.as_ref();
            // A later call to the same session may depend on one that failed.
            let behind = slot.is_some_and(|slot| broken.iter().any(|each| Arc::ptr_eq(slot, each)));
            let failure = if let Err(closed) = call.check() {
                closed
            } else if behind || pending.sent && !call.repeatable {
                Error::Interrupted {
                    method: call.name.clone(),
                }
            } else if pending.attempts >= ATTEMPTS {
                error.clone()
            } else {
                pending.sent = false;
                state.pending.insert(id, pending);
                continue;
            };
            broken.extend(slot.cloned());
            pending.fail(failure);
        }
        std::mem::take(&mut state.answered)
    }

    /// The daemon is ready and everything is open again: send the waiting calls.
    pub(crate) fn resume(&self, writer: Writer) {
        let mut state = self.lock();
        if state.is_down() {
            return;
        }
        let dropped = state.slots.values().filter(|slot| slot.check().is_err());
        for slot in dropped.cloned().collect::<Vec<_>>() {
            state.close(&slot, &writer);
        }
        for (id, pending) in std::mem::take(&mut state.pending) {
            match pending.call.check() {
                Ok(()) => {
                    state.pending.insert(id, pending);
                    state.send(id, &writer);
                }
                Err(error) => pending.fail(error),
            }
        }
        state.link = Link::Up(writer);
    }

    /// The daemon ended for good: fail all calls.
    pub(crate) fn finish(&self, ended: Ended) {
        let error = ended.error.clone().unwrap_or(Error::Closed);
        let mut state = self.lock();
        state.link = Link::Down(error.clone());
        for pending in std::mem::take(&mut state.pending).into_values() {
            pending.fail(error.clone());
        }
        state.told.end();
        state.events.end();
        let slots = std::mem::take(&mut state.slots);
        drop(state);
        for slot in slots.into_values() {
            slot.finish(match &error {
                Error::Closed => Status::Closed,
                _ => Status::Lost(error.clone()),
            });
        }
        self.ended.send_replace(Some(ended));
    }
}

impl State {
    /// Whether all calls are refused.
    pub(crate) fn is_down(&self) -> bool {
        matches!(self.link, Link::Down(_))
    }

    /// Let calls wait for the next process, because this one has ended.
    pub(crate) fn disconnect(&mut self) {
        if !self.is_down() {
            self.link = Link::Starting;
        }
    }

    /// Remove a call that was answered.
    pub(crate) fn take(&mut self, id: i64) -> Option<Pending> {
        let pending = self.pending.remove(&id)?;
        // What the client asks itself to start the daemon does not count.
        self.answered |= matches!(self.link, Link::Up(_));
        Some(pending)
    }

    fn insert(&mut self, call: Call, reply: Option<Reply>) -> i64 {
        let id = self.next;
        self.next += 1;
        let pending = Pending {
            call,
            reply,
            attempts: 0,
            sent: false,
            size: 0,
        };
        self.pending.insert(id, pending);
        id
    }

    fn send(&mut self, id: i64, writer: &Writer) {
        if let Some(pending) = self.pending.get_mut(&id) {
            let frame = pending.call.frame(id);
            pending.sent = true;
            pending.attempts += 1;
            pending.size = frame.len();
            // If the daemon has ended, its reader notices that, and the call is sent again.
            let _ = writer.send(frame);
        }
    }

    /// Close a session or subscription in the daemon, without waiting for the answer.
    fn close(&mut self, slot: &Arc<Slot>, writer: &Writer) {
        let id = self.insert(Call::ending(slot), None);
        self.send(id, writer);
        self.forget(slot);
    }

    pub(crate) fn register(&mut self, slot: &Arc<Slot>) {
        let key = (slot.member, slot.handle.clone());
        self.slots.insert(key, Arc::clone(slot));
    }

    pub(crate) fn forget(&mut self, slot: &Slot) {
        self.slots.remove(&(slot.member, slot.handle.clone()));
    }

    /// The open sessions and subscriptions.
    pub(crate) fn open(&self) -> Vec<Arc<Slot>> {
        self.slots.values().cloned().collect()
    }

    pub(crate) fn slot(&self, member: &'static str, handle: &str) -> Option<Arc<Slot>> {
        self.slots.get(&(member, handle.to_owned())).cloned()
    }
}

/// What a call opened. Dropping it closes the session, or ends the subscription.
#[derive(Debug)]
pub(crate) struct Handle {
    shared: Arc<Shared>,
    pub(crate) slot: Arc<Slot>,
}

impl Handle {
    pub(crate) fn new(shared: &Arc<Shared>, slot: Arc<Slot>) -> Self {
        let shared = Arc::clone(shared);
        Self { shared, slot }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.release(&self.slot);
    }
}

/// The result of a call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) result: Raw,
    /// The session or subscription that the call opened.
    pub(crate) opened: Option<Handle>,
}

impl Answer {
    pub(crate) fn parse<T: DeserializeOwned>(&self, method: &str) -> Result<T, Error> {
        decoded(self.result.text()).map_err(|source| Error::Answer {
            method: method.to_owned(),
            source: Arc::new(source),
        })
    }
}
