package sessiond

import (
	"context"
	"errors"
	"fmt"
)

// The kinds of Change. Those of SubscriptionEvent are Changed, Reconnected and Lost.
const (
	// Appended: entries were appended, but not with this handle.
	Appended = SessionDidChangeKindAppended
	// Rewritten: another program replaced the content; read the session again.
	Rewritten = SessionDidChangeKindRewritten
	// Deleted: the file was deleted. Reads answer the last state until Restored.
	Deleted = SessionDidChangeKindDeleted
	// Invalid: the file is no longer a session. Reads answer the last valid state until Restored or
	// Rewritten.
	Invalid = SessionDidChangeKindInvalid
	// Restored: the deleted or invalid file is back.
	Restored = SessionDidChangeKindRestored
	// Reconnected: the daemon ended, and the client opened the session again in a new one. Changes in
	// between were not reported; read the session again.
	Reconnected SessionDidChangeKind = "reconnected"
	// Lost: the client could not open the session again. This is the last change.
	Lost SessionDidChangeKind = "lost"
	// Changed: an event of a subscription.
	Changed SessionDidChangeKind = "changed"
)

// Change is a change of a session that was not made through this handle. The kinds Reconnected and Lost
// come from the client itself.
type Change struct {
	SessionDidChangeParams
	// State is the state of the session after Reconnected.
	State *SessionState
	// Err says why the session is Lost; it is ErrSessionLost.
	Err error
}

// Session is an open session, with its own leaf. It stays valid when the daemon is restarted.
type Session struct {
	// Opened is the state at opening.
	Opened *SessionState

	client *Client
	handle *handle
}

func (c *Client) opened(state *SessionState, err error) (*Session, error) {
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Session{Opened: state, client: c, handle: c.handles[state.Session]}, nil
}

// Handle returns the handle for use in params. It does not change while the client is open.
func (s *Session) Handle() string { return s.handle.name }

// Leaf returns the entry under which the next one is appended, or Null before the first entry. It is
// kept current with the changes of this client and of others.
func (s *Session) Leaf() Optional[string] {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	return optionalOf(s.handle.state.LeafID)
}

// Tip returns the last entry of the file, or Null if there is none. It is kept current as Leaf is.
func (s *Session) Tip() Optional[string] {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	return optionalOf(s.handle.state.TipID)
}

// Close closes the session. Calls after it return ErrClosed; another Close does nothing.
func (s *Session) Close(ctx context.Context) error {
	return s.client.close(ctx, s.handle)
}

// close closes a session or subscription.
func (c *Client) close(ctx context.Context, h *handle) error {
	if c.closed(h) {
		return nil
	}
	method, params := h.by.undoing()
	_, err := c.Call(ctx, method, params)
	if c.closed(h) { // also if another Close was faster
		return nil
	}
	return err
}

// closed reports whether a session or subscription was closed.
func (c *Client) closed(h *handle) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.handles[h.name] != h
}

// callOn implements the methods of a session. After Close they return ErrClosed.
func callOn[T any](ctx context.Context, s *Session, method string, params any) (T, error) {
	value, err := call[T](ctx, s.client, method, params)
	if errors.Is(err, KindUnknownSession) && s.client.closed(s.handle) {
		err = fmt.Errorf("%w (in %s)", ErrClosed, method)
	}
	return value, err
}

// Err returns why the session cannot be used any more: ErrSessionLost, or ErrClosed after Close; else
// nil.
func (s *Session) Err() error {
	c, h := s.client, s.handle
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case h.lost != nil:
		return h.lost
	case c.handles[h.name] != h:
		return ErrClosed
	}
	return c.ended
}

// OnChange calls hear with the changes that others make to the session, one at a time. hear may make
// calls; while it runs, other listeners wait, and the daemon with them, so that no change is dropped. The
// first OnChange also reports the changes since the session was opened, of which up to 1,024 are kept;
// beyond that the oldest are dropped, and sequence shows how many.
func (s *Session) OnChange(hear func(Change)) (stop func()) {
	c, h := s.client, s.handle
	c.mu.Lock()
	defer c.mu.Unlock()
	h.heard = true
	if len(h.missed) > 0 {
		c.news.add(func() { c.report(h) })
	}
	return addTo(c, &h.listeners, &hear)
}

// Changes is OnChange as a channel, which is closed after Lost, and when the context, the session or the
// client ends. Receive until it is closed, or end the context. A slow receiver delays no other listener:
// up to 1,024 changes wait for it. Beyond that the oldest are dropped, and sequence shows how many.
func (s *Session) Changes(ctx context.Context) <-chan Change {
	changes := newFeed[Change]()
	stop := s.OnChange(changes.add)
	life, end := context.WithCancel(s.handle.life)
	context.AfterFunc(ctx, end)
	context.AfterFunc(life, func() {
		stop()
		changes.end()
	})
	return changes.values
}

// hearSession reads an event of a session, and passes it on.
func (c *Client) hearSession(h *handle, e event) {
	change := Change{Err: e.err}
	change.Session, change.Kind = h.name, e.kind
	var err error
	switch e.kind {
	case Changed:
		change.SessionDidChangeParams, err = decode[SessionDidChangeParams](e.text)
	case Reconnected:
		var state SessionState
		state, err = decode[SessionState](e.text)
		change.State = &state
		change.LeafID, change.TipID, change.EntryCount = state.LeafID, state.TipID, state.EntryCount
		if state.SessionFile != nil {
			change.Path = *state.SessionFile
		}
	}
	if err == nil {
		c.report(h, change)
	}
}

// report passes changes on to the listeners of a session, after those before the first listener. Only
// tellNews calls it, so that changes keep their order.
func (c *Client) report(h *handle, changes ...Change) {
	c.mu.Lock()
	changes = append(h.missed, changes...)
	listeners := h.listeners
	h.missed = nil
	if !h.heard {
		h.missed = changes[max(0, len(changes)-changesLimit):]
	}
	c.mu.Unlock()
	for _, change := range changes {
		for _, each := range listeners {
			(*each)(change)
		}
	}
}
