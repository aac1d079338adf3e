//! Streams for readers who may be slow or never read: only the last values wait.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::task::{Context, Poll, Waker};

/// How many values wait at most. The oldest are dropped.
const LIMIT: usize = 1024;

#[derive(Debug)]
struct Queue<T> {
    waiting: VecDeque<T>,
    reader: Option<Waker>,
    /// Whether no more values will come.
    ended: bool,
}

/// Passes values to any number of readers.
#[derive(Debug)]
pub(crate) struct Feed<T> {
    readers: Vec<Weak<Mutex<Queue<T>>>>,
    ended: bool,
}

/// The values for one reader. Dropping it ends the reading.
#[derive(Debug)]
pub(crate) struct Reader<T>(Arc<Mutex<Queue<T>>>);

impl<T: Clone> Feed<T> {
    pub(crate) fn new() -> Self {
        Self {
            readers: Vec::new(),
            ended: false,
        }
    }

    /// Add a reader of the values from now on.
    pub(crate) fn reader(&mut self) -> Reader<T> {
        let queue = Arc::new(Mutex::new(Queue {
            waiting: VecDeque::new(),
            reader: None,
            ended: self.ended,
        }));
        self.readers.push(Arc::downgrade(&queue));
        Reader(queue)
    }

    pub(crate) fn send(&mut self, value: &T) {
        self.change(|queue| {
            if queue.waiting.len() == LIMIT {
                queue.waiting.pop_front();
            }
            queue.waiting.push_back(value.clone());
        });
    }

    /// End the streams behind what waits.
    pub(crate) fn end(&mut self) {
        self.ended = true;
        self.change(|queue| queue.ended = true);
        self.readers.clear();
    }

    /// Change the queues that are read, and wake their readers.
    fn change(&mut self, change: impl Fn(&mut Queue<T>)) {
        self.readers.retain(|reader| {
            let Some(queue) = reader.upgrade() else {
                return false;
            };
            let mut queue = lock(&queue);
            change(&mut queue);
            let waiting = queue.reader.take();
            drop(queue);
            if let Some(waiting) = waiting {
                waiting.wake();
            }
            true
        });
    }
}

impl<T> Reader<T> {
    fn poll(&self, context: &mut Context) -> Poll<Option<T>> {
        let mut queue = lock(&self.0);
        match queue.waiting.pop_front() {
            None if !queue.ended => {
                queue.reader = Some(context.waker().clone());
                Poll::Pending
            }
            value => Poll::Ready(value),
        }
    }
}

fn lock<T>(queue: &Mutex<Queue<T>>) -> MutexGuard<'_, Queue<T>> {
    queue.lock().expect("no lock is held over a panic")
}

type Polling<T> = Box<dyn FnMut(&mut Context) -> Poll<Option<T>> + Send + Sync>;

/// A stream of changes, notifications or events, of which the last 1,024 wait to be read.
///
/// With the feature `stream` it is a `futures` stream.
pub struct Updates<T> {
    poll: Polling<T>,
}

impl<T> Updates<T> {
    /// A stream of the values of a reader, each as what `read` makes of it.
    pub(crate) fn new<V: Send + 'static>(reader: Reader<V>, read: fn(V) -> T) -> Self
    where
        T: 'static,
    {
        let poll = move |context: &mut Context| reader.poll(context).map(|value| value.map(read));
        Self {
            poll: Box::new(poll),
        }
    }

    /// Wait for the next one; `None` after `Lost`, and if the session or the client was closed.
    pub async fn next(&mut self) -> Option<T> {
        poll_fn(|context| (self.poll)(context)).await
    }

    /// The next one, if it has arrived.
    pub fn try_next(&mut self) -> Option<T> {
        match (self.poll)(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => None,
        }
    }
}

impl<T> fmt::Debug for Updates<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Updates").finish_non_exhaustive()
    }
}

#[cfg(feature = "stream")]
#[cfg_attr(docsrs, doc(cfg(feature = "stream")))]
impl<T> futures_core::Stream for Updates<T> {
    type Item = T;

    fn poll_next(mut self: std::pin::Pin<&mut Self>, context: &mut Context) -> Poll<Option<T>> {
        (self.poll)(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn updates(feed: &mut Feed<usize>) -> Updates<usize> {
        Updates::new(feed.reader(), |number| number)
    }

    #[test]
    fn the_oldest_of_too_many_values_are_dropped() {
        let mut feed = Feed::new();
        let mut updates = updates(&mut feed);
        for number in 0..3 * LIMIT {
            feed.send(&number);
        }
        feed.end();
        let kept: Vec<usize> = std::iter::from_fn(|| updates.try_next()).collect();
        assert_eq!(kept, (2 * LIMIT..3 * LIMIT).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_reader_that_waits_is_woken_by_a_value_and_by_the_end() {
        let mut feed = Feed::new();
        let mut updates = updates(&mut feed);
        let reading = async { (updates.next().await, updates.next().await) };
        let sending = async {
            tokio::task::yield_now().await;
            feed.send(&1);
            tokio::task::yield_now().await;
            feed.end();
        };
        assert_eq!(tokio::join!(reading, sending).0, (Some(1), None));
    }

    #[test]
    fn nothing_is_kept_for_a_reader_who_left() {
        let mut feed = Feed::new();
        drop(updates(&mut feed));
        feed.send(&1);
        assert!(feed.readers.is_empty());
    }
}
