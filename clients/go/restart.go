package sessiond

import (
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
	// firstID is the id of each request to a daemon that is not ready yet: one follows the answer to the other.
	firstID = 1
)

// handle is an open session or a subscription, with the state to restore it in a new daemon.
type handle struct {
	name string   // the same in every daemon
	by   *request // that opened it
	lost error
	hear func(event)     // gets its events; only tellNews calls it
	life context.Context // ends when it is closed or lost
	end  context.CancelFunc

	// Of a session.
	state     SessionState // as far as it is known
	listeners []*func(Change)
	heard     bool     // there was a listener
	missed    []Change // the last changesLimit changes before the first listener
}

// event is an event of a session or subscription, with the text of a notification, state or snapshot.
type event struct {
	kind SessionDidChangeKind
	text json.RawMessage
	err  error
}

// serve handles the messages of the daemon, and of those that replace it.
func (c *Client) serve(l *link) {
	defer close(c.over)
	for l != nil {
		for m, err := l.next(); err == nil; m, err = l.next() {
			c.hear(m)
		}
		l.stop()
		l = c.replace(l)
	}
}

// replace starts another daemon after one has ended. It returns nil at the end of the client.
func (c *Client) replace(old *link) *link {
	c.mu.Lock()
	c.link = nil
	for _, r := range c.inFlight {
		if !r.repeatable || r.abandoned {
			c.settle(r, outcome{err: fmt.Errorf("sessiond: %s: %w", r.method, old.crashed())})
		}
	}
	c.mu.Unlock()
	for failure := old.crashed(); c.mayRestart(failure); {
		soon, stop := context.WithTimeout(c.life, startupTimeout)
		l, err := c.bringUp(soon)
		stop()
		if err == nil {
			c.publish(l)
			c.tellRestart(old)
			return l
		}
		failure = err
	}
	return nil
}

// mayRestart counts a crash, and ends the client if it is closing or if there were too many.
func (c *Client) mayRestart(failure error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashes++
	switch {
	case c.closing:
		c.finish(ErrClosed)
	case c.crashes >= crashLimit:
		c.finish(fmt.Errorf("%w: %w", ErrGaveUp, failure))
	}
	return c.ended == nil
}

// bringUp starts a daemon, and opens all sessions and subscriptions in it.
func (c *Client) bringUp(ctx context.Context) (*link, error) {
	l, err := startLink(c.options)
	if err != nil {
		return nil, err
	}
	inTime := context.AfterFunc(ctx, l.kill)
	err = c.reopenAll(l)
	if !inTime() {
		err = ended(ctx, "initialize")
	}
	if err == nil {
		return l, nil
	}
	l.stop()
	if errors.Is(err, ErrInterrupted) {
		err = l.crashed() // now its log is complete
	}
	return nil, err
}

// reopenAll opens in a new daemon what was open in the last one.
func (c *Client) reopenAll(l *link) error {
	if err := c.initialize(l); err != nil {
		return err
	}
	c.mu.Lock()
	handles := maps.Clone(c.handles)
	c.mu.Unlock()
	for _, h := range handles {
		if h.lost != nil {
			continue
		}
		result, err := c.reopen(l, h)
		if errors.Is(err, ErrInterrupted) {
			return err
		}
		c.reopened(h, result, err)
	}
	return nil
}

// reopened reports that a handle is open again, or that it is lost.
func (c *Client) reopened(h *handle, result json.RawMessage, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.news.add(func() { h.hear(event{kind: Reconnected, text: result}) })
		return
	}
	h.lost = fmt.Errorf("%w: %w", ErrSessionLost, err)
	c.news.add(func() {
		h.hear(event{kind: Lost, err: h.lost})
		h.end()
	})
}

// askNew sends a request to a daemon that is not ready yet, and returns its answer.
func (c *Client) askNew(l *link, method string, params any) (json.RawMessage, error) {
	text, err := written(method, params)
	if err != nil {
		return nil, err
	}
	l.send(envelope(firstID, method, text))
	for {
		m, err := l.next()
		switch {
		case err != nil:
			return nil, err
		case m.Method != "":
			c.hearNews(m)
		case m.Error != nil:
			return nil, readError(method, m.Error)
		default:
			return m.Result, nil
		}
	}
}

// publish makes a new daemon available, and sends what waits for it, in the order of the calls.
func (c *Client) publish(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		l.queue.end()
		return
	}
	c.link = l
	for _, id := range slices.Sorted(maps.Keys(c.inFlight)) {
		c.send(c.inFlight[id])
	}
}

// reopen opens a session or subscription under its name, and returns its state or snapshot.
func (c *Client) reopen(l *link, h *handle) (json.RawMessage, error) {
	if h.by.subscribes {
		return c.askNew(l, h.by.method, h.by.params)
	}
	c.mu.Lock()
	before := h.state
	c.mu.Unlock()
	if before.SessionFile == nil {
		return nil, errors.New("it was in memory")
	}
	params := OpenParams{
		Session:    h.name,
		Path:       *before.SessionFile,
		Cwd:        before.Cwd,
		SessionDir: before.SessionDir,
		ReadOnly:   before.ReadOnly,
		Follow:     memberOf[bool](h.by.params, "follow"),
		// An empty session need not have a file.
		MustExist: Ptr(before.TipID != nil),
	}
	// A handle that went back to an earlier entry does not follow the file any more.
	if leaf := optionalOf(before.LeafID); !params.Follow || leaf != optionalOf(before.TipID) {
		params.LeafID = leaf
	}
	result, err := c.askNew(l, "session/open", params)
	if err != nil {
		return nil, err
	}
	state, err := decode[SessionState](result)
	if err != nil {
		return nil, err
	}
	if *params.MustExist && state.SessionID != before.SessionID {
		if _, err := c.askNew(l, "session/close", SessionParams{Session: h.name}); err != nil {
			return nil, err
		}
		return nil, errors.New("its file is another session now")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h.state = state
	return result, nil
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
	c.news.add(func() { c.options.OnReconnected(Reconnection{Stderr: old.stderr.String(), Lost: lost}) })
}

// note stores what a restart needs. c.mu is held.
func (c *Client) note(r *request, result json.RawMessage) {
	h := c.handles[r.handle]
	switch {
	case r.abandoned && (r.opens || r.subscribes):
		// The caller does not know what was opened.
		method, params := r.undoing()
		c.lastID++
		c.link.send(envelope(c.lastID, method, params))
		return
	case r.opens || r.subscribes:
		h = c.newHandle(r)
	case h == nil:
		return
	case r.method == "session/close" || strings.HasSuffix(r.method, "/unsubscribe"):
		delete(c.handles, h.name)
		h.end()
	}
	switch {
	case r.states:
		if state, err := decode[SessionState](result); err == nil {
			h.state = state
		}
	case r.moves:
		h.state.LeafID = memberOf[*string](result, "leafId")
		added := memberOf[*string](result, "id")
		if added != nil && !memberOf[bool](result, "existed") {
			h.state.TipID = added
		}
	}
}

// newHandle adds what a request has opened. c.mu is held.
func (c *Client) newHandle(r *request) *handle {
	h := &handle{name: r.handle, by: r, hear: r.hear}
	if r.opens {
		h.hear = func(e event) { c.hearSession(h, e) }
	}
	h.life, h.end = context.WithCancel(c.life)
	c.handles[h.name] = h
	return h
}

// undoing returns the request that closes what a request opened.
func (r *request) undoing() (method string, params json.RawMessage) {
	if r.opens {
		return "session/close", fmt.Appendf(nil, `{"session":%s}`, quoted(r.handle))
	}
	group, _, _ := strings.Cut(r.method, "/")
	return group + "/unsubscribe", fmt.Appendf(nil, `{"subscription":%s}`, quoted(r.handle))
}
