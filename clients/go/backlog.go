package sessiond

import (
	"context"
	"slices"
	"sync"
)

// changesLimit is how many changes may wait for a receiver.
const changesLimit = 1024

// backlog is a queue. The oldest value is dropped if there are too many.
type backlog[T any] struct {
	limit int           // of the values; 0: none
	came  chan struct{} // has an element after add

	mu     sync.Mutex
	values []T
}

func newBacklog[T any](limit int) *backlog[T] {
	return &backlog[T]{limit: limit, came: make(chan struct{}, 1)}
}

func (b *backlog[T]) add(value T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.values = append(b.values, value)
	if b.limit > 0 {
		b.values = b.values[max(0, len(b.values)-b.limit):]
	}
	select {
	case b.came <- struct{}{}:
	default:
	}
}

func (b *backlog[T]) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.values)
}

// take removes the oldest value.
func (b *backlog[T]) take() (value T, some bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.values) == 0 {
		return value, false
	}
	value, b.values[0] = b.values[0], value
	b.values = b.values[1:]
	return value, true
}

// putBack adds a value that was taken but not used, in front of the others.
func (b *backlog[T]) putBack(value T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.values = slices.Insert(b.values, 0, value)
}

// next removes the oldest value, and waits for it until the context ends.
func (b *backlog[T]) next(ctx context.Context) (value T, some bool) {
	for {
		if value, some = b.take(); some {
			return value, true
		}
		select {
		case <-b.came:
		case <-ctx.Done():
			return b.take() // what came before the end
		}
	}
}

// receive passes changes on to a channel, which is closed when the context, the handle or the client
// ends.
func receive[T any](ctx context.Context, c *Client, h *handle, waiting *backlog[T], stop func()) <-chan T {
	changes := make(chan T)
	go func() {
		defer close(changes)
		defer stop()
		life, end := context.WithCancel(h.life)
		defer end()
		defer context.AfterFunc(ctx, end)()
		for {
			change, some := waiting.next(life)
			if !some {
				return
			}
			select {
			case changes <- change:
				continue
			case <-ctx.Done():
			case <-c.life.Done():
			}
			waiting.putBack(change)
			return
		}
	}()
	return changes
}
