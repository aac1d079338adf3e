package sessiond

import "context"

// Subscription is a subscription to the catalogue or to a gateway's store: a snapshot, and then the
// changes. S is the type of the snapshot, N that of a notification. It outlives a crash of the daemon.
type Subscription[S, N any] struct {
	// Snapshot is the state at the beginning.
	Snapshot S
	// Events has what happened since, of which up to 1,024 events wait to be received; beyond that the
	// oldest are dropped, and sequence shows how many. It is closed after Lost, and when the subscription
	// or the client ends.
	Events <-chan SubscriptionEvent[S, N]

	client *Client
	handle *handle
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

// watch subscribes, and keeps events until they are received.
func watch[S, N any](ctx context.Context, c *Client, method string, params any) (*Subscription[S, N], error) {
	r, err := newRequest(method, params)
	if err != nil {
		return nil, err
	}
	events := newFeed[SubscriptionEvent[S, N]]()
	r.hear = func(e event) {
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
	h := c.handles[r.handle]
	context.AfterFunc(h.life, events.end)
	return &Subscription[S, N]{snapshot, events.values, c, h}, nil
}

// Close ends the subscription. Another Close does nothing.
func (s *Subscription[S, N]) Close(ctx context.Context) error {
	return s.client.close(ctx, s.handle)
}
