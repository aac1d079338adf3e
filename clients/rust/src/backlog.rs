//! A queue for a reader who may be slow or never read: only the last values wait.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// How many values wait at most. The oldest are dropped.
const LIMIT: usize = 1024;

#[derive(Debug)]
struct Queue<T> {
    waiting: VecDeque<T>,
    reader: Option<Waker>,
    /// Whether no more values will come.
    ended: bool,
    /// Whether nobody will read any more.
    left: bool,
}

/// The end that values are put into. Dropping it ends the stream behind what waits.
#[derive(Debug)]
pub(crate) struct Sender<T>(Arc<Mutex<Queue<T>>>);

/// The end that values are taken from.
#[derive(Debug)]
pub(crate) struct Receiver<T>(Arc<Mutex<Queue<T>>>);

/// Return both ends of a new queue.
pub(crate) fn backlog<T>() -> (Sender<T>, Receiver<T>) {
    let queue = Arc::new(Mutex::new(Queue {
        waiting: VecDeque::new(),
        reader: None,
        ended: false,
        left: false,
    }));
    (Sender(Arc::clone(&queue)), Receiver(queue))
}

/// Change a queue, and wake its reader if that is wanted.
fn change<T, R>(
    queue: &Mutex<Queue<T>>,
    wakes: bool,
    change: impl FnOnce(&mut Queue<T>) -> R,
) -> R {
    let mut queue = queue.lock().expect("no lock is held over a panic");
    let result = change(&mut queue);
    let reader = if wakes { queue.reader.take() } else { None };
    drop(queue);
    if let Some(reader) = reader {
        reader.wake();
    }
    result
}

impl<T> Sender<T> {
    /// Put a value into the queue. Return false if nobody will read it.
    pub(crate) fn send(&self, value: T) -> bool {
        change(&self.0, true, |queue| {
            if queue.left {
                return false;
            }
            if queue.waiting.len() == LIMIT {
                queue.waiting.pop_front();
            }
            queue.waiting.push_back(value);
            true
        })
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        change(&self.0, true, |queue| queue.ended = true);
    }
}

impl<T> Receiver<T> {
    /// Wait for the next value; `None` at the end.
    pub(crate) async fn recv(&mut self) -> Option<T> {
        poll_fn(|context| self.poll_recv(context)).await
    }

    /// The next value, if it has arrived.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        change(&self.0, false, |queue| queue.waiting.pop_front())
    }

    pub(crate) fn poll_recv(&mut self, context: &mut Context) -> Poll<Option<T>> {
        change(&self.0, false, |queue| match queue.waiting.pop_front() {
            None if !queue.ended => {
                queue.reader = Some(context.waker().clone());
                Poll::Pending
            }
            value => Poll::Ready(value),
        })
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        change(&self.0, false, |queue| {
            queue.left = true;
            queue.waiting = VecDeque::new();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_too_many_values_are_dropped() {
        let (sender, mut receiver) = backlog();
        for number in 0..3 * LIMIT {
            assert!(sender.send(number));
        }
        drop(sender);
        let kept: Vec<usize> = std::iter::from_fn(|| receiver.try_recv()).collect();
        assert_eq!(kept, (2 * LIMIT..3 * LIMIT).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_reader_that_waits_is_woken_by_a_value_and_by_the_end() {
        let (sender, mut receiver) = backlog();
        let reading = async { (receiver.recv().await, receiver.recv().await) };
        let sending = async {
            tokio::task::yield_now().await;
            assert!(sender.send(1));
            tokio::task::yield_now().await;
            drop(sender);
        };
        assert_eq!(tokio::join!(reading, sending).0, (Some(1), None));
    }

    #[test]
    fn nothing_is_kept_for_a_reader_who_left() {
        let (sender, receiver) = backlog();
        drop(receiver);
        assert!(!sender.send(1));
    }
}
