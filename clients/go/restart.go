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
	firstID        = 1 // of every request to a daemon that is not ready yet: the next follows its answer
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
	for c.mayRestart(old) {
		soon, stop := context.WithTimeout(c.life, startupTimeout)
		l, err := c.bringUp(soon)
		stop()
		if err == nil {
			c.publish(l)
			c.tellRestart(old)
			return l
		}
		if !errors.Is(err, ErrInterrupted) {
			c.mu.Lock()
			c.finish(fmt.Errorf("%w: %w", ErrGaveUp, err))
			c.mu.Unlock()
		}
	}
	return nil
}

// mayRestart counts a crash, and ends the client if it is closing or if there were too many.
func (c *Client) mayRestart(old *link) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashes++
	switch {
	case c.closing:
		c.finish(ErrClosed)
	case c.crashes >= crashLimit:
		c.finish(fmt.Errorf("%w: %w", ErrGaveUp, old.crashed()))
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
		reopen := c.reopenSession
		if h.by.subscribes {
			reopen = c.reopenSubscription
		}
		err := reopen(l, h)
		switch {
		case errors.Is(err, ErrInterrupted):
			return err
		case err != nil:
			c.lose(h, err)
		}
	}
	return nil
}

// lose marks a handle that cannot be opened again.
func (c *Client) lose(h *handle, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h.lost = fmt.Errorf("%w: %w", ErrSessionLost, err)
	c.news.add(func() { c.reportLoss(h) })
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
			return nil, readError(method, m.Error).withData()
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

func (c *Client) reopenSubscription(l *link, h *handle) error {
	snapshot, err := c.askNew(l, h.by.method, h.by.params)
	if err == nil && h.by.watch != nil {
		c.news.add(func() { h.by.watch(event{kind: Reconnected, text: snapshot}) })
	}
	return err
}

func (c *Client) reopenSession(l *link, h *handle) error {
	c.mu.Lock()
	leaf, tip, before := h.leaf, h.tip, h.state
	c.mu.Unlock()
	if before.SessionFile == nil {
		return errors.New("it was in memory")
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
	result, err := c.askNew(l, "session/open", params)
	if err != nil {
		return err
	}
	state, err := decode[SessionState](result)
	if err != nil {
		return err
	}
	if tip != nil && state.SessionID != before.SessionID {
		if _, err := c.askNew(l, "session/close", SessionParams{Session: h.name}); err != nil {
			return err
		}
		return errors.New("its file is another session now")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h.is(state)
	c.reportState(h, state)
	return nil
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
	c.news.add(func() { c.options.OnReconnected(Reconnection{Stderr: old.stderr.String(), Lost: lost}) })
}

// is remembers the state of a session.
func (h *handle) is(state SessionState) { h.state, h.leaf, h.tip = state, state.LeafID, state.TipID }

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
