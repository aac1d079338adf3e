package sessiond

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	crashLimit     = 3 // in a row, without an answer
	startupTimeout = 60 * time.Second
)

// handle is an open session or a subscription, with the state to restore it in a new daemon.
type handle struct {
	name   string   // the same in every daemon
	by     *request // that opened it
	lost   error
	closed bool
	life   context.Context // ends when it is closed or lost
	end    context.CancelFunc

	// Of a session.
	state     SessionState
	leaf      *string
	tip       *string // the last entry of the file, as far as it is known
	listeners []*func(Change)
	heard     bool     // there was a listener
	missed    []Change // the last changesLimit changes before the first listener
}

// lostLink handles the end of a daemon.
func (c *Client) lostLink(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l.down = true
	ours := c.link == l
	for id, r := range c.inFlight {
		again := r.repeatable && !r.abandoned && !c.closing
		if r.on == l || ours && r.on == nil && !again {
			delete(c.inFlight, id)
			r.done <- outcome{err: fmt.Errorf("sessiond: %s: %w", r.method, l.crashed())}
		}
	}
	if !ours {
		return
	}
	c.link = nil
	if c.closing {
		c.finish(ErrClosed)
		return
	}
	c.restarted = make(chan struct{})
	go c.restart(l)
}

// restart replaces a daemon that has ended.
func (c *Client) restart(old *link) {
	defer close(c.restarted)
	for {
		c.mu.Lock()
		c.crashes++
		if c.crashes >= crashLimit {
			c.finish(fmt.Errorf("%w: %w", ErrGaveUp, old.crashed()))
		}
		over := c.ended != nil
		c.mu.Unlock()
		if over {
			return
		}
		soon, stop := context.WithTimeout(c.life, startupTimeout)
		l, err := c.bringUp(soon)
		stop()
		if err == nil && c.publish(l) {
			c.tellRestart(old)
			return
		}
		if err != nil && !errors.Is(err, ErrInterrupted) {
			c.mu.Lock()
			c.finish(fmt.Errorf("%w: %w", ErrGaveUp, err))
			c.mu.Unlock()
			return
		}
	}
}

// bringUp starts a daemon, and opens all sessions and subscriptions in it.
func (c *Client) bringUp(ctx context.Context) (*link, error) {
	l, err := startLink(c.options, c.hear, c.lostLink)
	if err != nil {
		return nil, err
	}
	err = c.initialize(ctx, l)
	c.mu.Lock()
	handles := slices.SortedFunc(maps.Values(c.handles), func(a, b *handle) int {
		return cmp.Compare(a.by.id, b.by.id)
	})
	c.mu.Unlock()
	for _, h := range handles {
		if err == nil && h.lost == nil {
			err = c.reopen(ctx, l, h)
		}
	}
	if err != nil {
		l.kill()
		<-l.done
		return nil, err
	}
	return l, nil
}

// publish makes the new daemon available, and repeats unanswered requests.
func (c *Client) publish(l *link) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.down {
		return false
	}
	if c.ended != nil {
		l.end()
		return true
	}
	c.link = l
	c.changed.Broadcast()
	for _, id := range slices.Sorted(maps.Keys(c.inFlight)) {
		r := c.inFlight[id]
		if r.on != nil {
			continue
		}
		if r.abandoned { // since the crash
			delete(c.inFlight, id)
		} else if err := c.send(r); err != nil {
			delete(c.inFlight, id)
			r.done <- outcome{err: err}
		}
	}
	return true
}

// reopen opens one handle again. If the daemon refuses, the handle is lost. An error means that the
// daemon has ended.
func (c *Client) reopen(ctx context.Context, l *link, h *handle) error {
	reopen := c.reopenSession
	if h.by.subscribes {
		reopen = c.reopenSubscription
	}
	err := reopen(ctx, l, h)
	var refused *Error
	if !errors.As(err, &refused) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h.lost = fmt.Errorf("%w: %w", ErrSessionLost, err)
	c.news.add(func() { c.reportLoss(h) })
	return nil
}

func (c *Client) reopenSubscription(ctx context.Context, l *link, h *handle) error {
	_, err := c.askOn(ctx, l, h.by.method, h.by.params, func(result json.RawMessage) {
		if h.by.watch != nil {
			c.news.add(func() { h.by.watch(event{kind: Reconnected, text: result}) })
		}
	})
	return err
}

func (c *Client) reopenSession(ctx context.Context, l *link, h *handle) error {
	c.mu.Lock()
	leaf, tip, before := h.leaf, h.tip, h.state
	c.mu.Unlock()
	if before.SessionFile == nil {
		return &Error{Method: "session/open", Message: "it was in memory"}
	}
	follow := memberOf[bool](h.by.params, "follow")
	params := OpenParams{
		Session:    h.name,
		Path:       *before.SessionFile,
		Cwd:        before.Cwd,
		SessionDir: before.SessionDir,
		ReadOnly:   before.ReadOnly,
		Follow:     follow,
		// An empty session need not have a file.
		MustExist: tip != nil,
	}
	// A handle that went back to an earlier entry does not follow the file any more.
	if !follow || !same(leaf, tip) {
		params.LeafID = optionalOf(leaf)
	}
	another := false
	_, err := c.askOn(ctx, l, "session/open", params, func(result json.RawMessage) {
		state, _ := decode[SessionState](result)
		if another = tip != nil && state.SessionID != before.SessionID; !another {
			h.is(state)
			c.reportState(h, state)
		}
	})
	if err != nil || !another {
		return err
	}
	if _, err := c.askOn(ctx, l, "session/close", SessionParams{Session: h.name}, nil); err != nil {
		return err
	}
	return &Error{Method: "session/open", Message: "its file is another session now"}
}

// reportState reports that a session was opened again. c.mu is held.
func (c *Client) reportState(h *handle, state SessionState) {
	change := SessionDidChangeParams{
		Session: h.name, Kind: Reconnected, LeafID: state.LeafID, EntryCount: state.EntryCount,
	}
	if state.SessionFile != nil {
		change.Path = *state.SessionFile
	}
	c.news.add(func() { c.report(h, Change{SessionDidChangeParams: change, State: &state}) })
}

// reportLoss reports that a session or subscription is lost, after everything else about it.
func (c *Client) reportLoss(h *handle) {
	if h.by.watch != nil {
		h.by.watch(event{kind: Lost, err: h.lost})
	} else if !h.by.subscribes {
		change := SessionDidChangeParams{Session: h.name, Kind: Lost}
		c.report(h, Change{SessionDidChangeParams: change, Err: h.lost})
	}
	h.end()
}

// tellRestart reports a restart to the listener of the client.
func (c *Client) tellRestart(old *link) {
	if c.options.OnReconnected == nil {
		return
	}
	c.mu.Lock()
	lost := map[string]error{}
	for name, h := range c.handles {
		if h.lost != nil {
			lost[name] = h.lost
		}
	}
	c.mu.Unlock()
	c.tell(func() { c.options.OnReconnected(Reconnection{Stderr: old.stderr.String(), Lost: lost}) })
}

// is remembers the state of a session.
func (h *handle) is(state SessionState) { h.state, h.leaf, h.tip = state, state.LeafID, state.TipID }

// note stores what a restart needs. c.mu is held.
func (c *Client) note(l *link, r *request, result json.RawMessage) {
	h := c.handles[r.handle]
	switch {
	case r.abandoned && (r.opens || r.subscribes):
		// The caller does not know what was opened.
		method, params := r.undoing()
		c.lastID++
		l.send(envelope(c.lastID, method, params))
		return
	case r.opens || r.subscribes:
		h = &handle{name: r.handle, by: r}
		h.life, h.end = context.WithCancel(c.life)
		c.handles[h.name] = h
	case h == nil:
		return
	case r.method == "session/close" || strings.HasSuffix(r.method, "/unsubscribe"):
		delete(c.handles, h.name)
		h.closed = true
		h.end()
	}
	switch {
	case r.states:
		if state, err := decode[SessionState](result); err == nil {
			h.is(state)
		}
	case r.moves:
		h.leaf = memberOf[*string](result, "leafId")
		added := memberOf[*string](result, "id")
		if added != nil && !memberOf[bool](result, "existed") {
			h.tip = added
		}
	}
}

// undoing returns the request that closes what a request opened.
func (r *request) undoing() (method string, params json.RawMessage) {
	if r.opens {
		return "session/close", fmt.Appendf(nil, `{"session":%s}`, quoted(r.handle))
	}
	group, _, _ := strings.Cut(r.method, "/")
	return group + "/unsubscribe", fmt.Appendf(nil, `{"subscription":%s}`, quoted(r.handle))
}

func same(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}
