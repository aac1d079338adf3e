package sessiond

import (
	"context"
	"encoding/json"
)

// Subscription is a subscription to the catalogue or to a gateway's store: a snapshot, and then the
// changes. S is the type of the snapshot, N that of a notification. It outlives a crash of the daemon.
type Subscription[S, N any] struct {
	// Snapshot is the state at the beginning.
	Snapshot S

	client *Client
	handle *handle
	events *backlog[SubscriptionEvent[S, N]]
}

// SubscriptionEvent is a change of what was subscribed to.
type SubscriptionEvent[S, N any] struct {
	// Kind is Changed, Reconnected or Lost.
	Kind SessionDidChangeKind
	// Change is set with Changed.
	Change *N
	// Snapshot is set with Reconnected; it replaces the state so far.
	Snapshot *S
	// Err is set with Lost. It is the last event.
	Err error
}

// event is an event of a subscription, with the text of a notification or snapshot.
type event struct {
	kind SessionDidChangeKind
	text json.RawMessage
	err  error
}

// watch subscribes, and keeps events until they are received.
func watch[S, N any](ctx context.Context, c *Client, method string, params any) (*Subscription[S, N], error) {
	r, err := newRequest(method, params)
	if err != nil {
		return nil, err
	}
	events := newBacklog[SubscriptionEvent[S, N]](changesLimit)
	r.watch = func(e event) {
		typed := SubscriptionEvent[S, N]{Kind: e.kind, Err: e.err}
		var err error
		switch e.kind {
		case Changed:
			typed.Change, err = decode[*N](e.text)
		case Reconnected:
			typed.Snapshot, err = decode[*S](e.text)
		}
		if err == nil {
			events.add(typed)
		}
	}
	snapshot, err := answer[S](ctx, c, r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Subscription[S, N]{snapshot, c, c.handles[r.handle], events}, nil
}

// Events returns the events since the subscription began, of which up to 1,024 wait to be received;
// beyond that the oldest are dropped, and sequence shows how many. The channel is closed after Lost, and
// when the context, the subscription or the client ends. There is one sequence of events: each is
// received once.
func (s *Subscription[S, N]) Events(ctx context.Context) <-chan SubscriptionEvent[S, N] {
	return receive(ctx, s.client, s.handle, s.events, func() {})
}

// Close ends the subscription. Another Close does nothing.
func (s *Subscription[S, N]) Close(ctx context.Context) error {
	return s.client.close(ctx, s.handle)
}
