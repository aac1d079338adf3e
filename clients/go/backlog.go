package sessiond

import (
	"context"
	"slices"
	"sync"
)

// changesLimit is how many changes may wait for a receiver.
const changesLimit = 1024

// backlog are changes that wait for a receiver. The oldest is dropped if there are too many.
type backlog[T any] struct {
	came chan struct{} // has an element after add

	mu      sync.Mutex
	changes []T
}

func newBacklog[T any]() *backlog[T] { return &backlog[T]{came: make(chan struct{}, 1)} }

func (b *backlog[T]) add(change T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = append(b.changes, change)
	b.changes = b.changes[max(0, len(b.changes)-changesLimit):]
	select {
	case b.came <- struct{}{}:
	default:
	}
}

// take removes the oldest change.
func (b *backlog[T]) take() (change T, some bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.changes) == 0 {
		return change, false
	}
	change = b.changes[0]
	b.changes = slices.Delete(b.changes, 0, 1)
	return change, true
}

// putBack adds a change that was taken but not received, in front of the others.
func (b *backlog[T]) putBack(change T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = slices.Insert(b.changes, 0, change)
}

// receive passes changes on to a channel, which is closed when the context, the handle or the client
// ends.
func receive[T any](ctx context.Context, c *Client, h *handle, waiting *backlog[T], stop func()) <-chan T {
	changes := make(chan T)
	go func() {
		defer close(changes)
		defer stop()
		for {
			change, some := waiting.take()
			if !some {
				select {
				case <-waiting.came:
					continue
				case <-ctx.Done():
					return
				case <-h.life.Done():
				}
				if change, some = waiting.take(); !some { // what came before the end
					return
				}
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
