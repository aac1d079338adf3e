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
	removed int // number of changes that were removed or dropped
}

func newBacklog[T any]() *backlog[T] { return &backlog[T]{came: make(chan struct{}, 1)} }

func (b *backlog[T]) add(change T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.changes) == changesLimit {
		b.drop()
	}
	b.changes = append(b.changes, change)
	select {
	case b.came <- struct{}{}:
	default:
	}
}

func (b *backlog[T]) first() (change T, number int, some bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.changes) == 0 {
		return change, 0, false
	}
	return b.changes[0], b.removed, true
}

// remove removes a change, unless it was dropped already.
func (b *backlog[T]) remove(number int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if number == b.removed {
		b.drop()
	}
}

func (b *backlog[T]) drop() {
	b.changes = slices.Delete(b.changes, 0, 1)
	b.removed++
}

// receive passes changes on to a channel, which is closed when the context, the handle or the client
// ends. Changes for which `convert` returns false are left out.
func receive[T, U any](
	ctx context.Context, c *Client, h *handle, waiting *backlog[T], stop func(), convert func(T) (U, bool),
) <-chan U {
	changes := make(chan U)
	go func() {
		defer close(changes)
		defer stop()
		for {
			change, number, some := waiting.first()
			over := h.life.Done()
			out := changes
			var converted U
			if some {
				over = nil
				if converted, some = convert(change); !some {
					waiting.remove(number)
					continue
				}
			} else {
				out = nil
			}
			select {
			case out <- converted:
				waiting.remove(number)
			case <-waiting.came:
			case <-over:
				return
			case <-ctx.Done():
				return
			case <-c.life.Done():
				return
			}
		}
	}()
	return changes
}
