package sessiond

import "sync"

// changesLimit is how many changes may wait for a receiver.
const changesLimit = 1024

// queue is a queue without limit.
type queue[T any] struct {
	mu      sync.Mutex
	changed *sync.Cond
	values  []T
	ended   bool
}

func newQueue[T any]() *queue[T] {
	q := &queue[T]{}
	q.changed = sync.NewCond(&q.mu)
	return q
}

func (q *queue[T]) add(value T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.values = append(q.values, value)
	q.changed.Signal()
}

// end lets next return false after the values in the queue.
func (q *queue[T]) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.changed.Signal()
}

func (q *queue[T]) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.values)
}

// next removes the oldest value, and waits for it until the end of the queue.
func (q *queue[T]) next() (value T, some bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.values) == 0 && !q.ended {
		q.changed.Wait()
	}
	if len(q.values) == 0 {
		return value, false
	}
	value, q.values[0] = q.values[0], value
	q.values = q.values[1:]
	return value, true
}

// feed is a channel that drops its oldest value instead of blocking the sender.
type feed[T any] struct {
	mu     sync.Mutex
	values chan T
	ended  bool
}

func newFeed[T any]() *feed[T] { return &feed[T]{values: make(chan T, changesLimit)} }

func (f *feed[T]) add(value T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	if len(f.values) == cap(f.values) {
		select {
		case <-f.values:
		default: // the receiver was faster
		}
	}
	f.values <- value
}

// end closes the channel after the values in it.
func (f *feed[T]) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ended {
		f.ended = true
		close(f.values)
	}
}
