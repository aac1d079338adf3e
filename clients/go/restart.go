package sessiond

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	crashLimit     = 3 // in a row, without an answer
	startupTimeout = 60 * time.Second
)

// handle is an open session or a subscription, with the state to restore it in a new daemon.
type handle struct {
	name   string // that of the user, which never changes
	wire   string // that of the current daemon
	number int    // in the order of opening
	lost   error
	closed bool
	ended  chan struct{} // closed when it is closed or lost

	sequence int64 // of the last notification
	skipped  int64 // added to the sequence of the current daemon

	// Of a session.
	state     SessionState
	leaf      *string
	tip       *string // the last entry of the file, as far as it is known
	follow    bool
	filled    bool // it has entries
	listeners []*listener
	heard     bool     // there was a listener
	missed    []Change // the last changesLimit changes before the first listener

	// Of a subscription.
	method string
	params json.RawMessage
	watch  *backlog[event] // nil: only listeners of the client are told
}

// crashed returns the error for requests that cannot be repeated.
func (c *Client) crashed(l *link) error {
	if said := l.stderr.String(); said != "" {
		return fmt.Errorf("%w; its log: %s", ErrInterrupted, said)
	}
	return ErrInterrupted
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
			r.done <- outcome{err: fmt.Errorf("sessiond: %s: %w", r.method, c.crashed(l))}
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
	c.up = make(chan struct{})
	c.restarted = make(chan struct{})
	go c.restart(l)
}

// restart replaces a daemon that has ended.
func (c *Client) restart(old *link) {
	defer close(c.restarted)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		select {
		case <-c.gone: // closed meanwhile
			stop()
		case <-ctx.Done():
		}
	}()
	for {
		c.mu.Lock()
		c.crashes++
		if c.ended != nil {
			c.mu.Unlock()
			return
		}
		if c.crashes >= crashLimit {
			c.finish(fmt.Errorf("%w: %w", ErrGaveUp, c.crashed(old)))
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		soon, stop := context.WithTimeout(ctx, startupTimeout)
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
	c.mu.Lock()
	c.starts++
	l.number = c.starts
	c.mu.Unlock()
	err = c.initialize(ctx, l)
	c.mu.Lock()
	handles := slices.SortedFunc(maps.Values(c.handles), func(a, b *handle) int {
		return a.number - b.number
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
	close(c.up)
	return true
}

// reopen opens one handle again. If the daemon refuses, the handle is lost. An error means that the
// daemon has ended.
func (c *Client) reopen(ctx context.Context, l *link, h *handle) error {
	if h.method != "" {
		_, err := c.askOn(ctx, l, h.method, h.params, func(result json.RawMessage) {
			h.wire = memberOf(result, "subscription", (*reader).str)
			l.wire[h.wire] = h
			h.skipped = h.sequence + 1 - memberOf(result, "sequence", (*reader).int)
			if h.watch != nil {
				snapshot := renamed(result, "subscription", h)
				c.queue(func() { h.watch.add(event{kind: Reconnected, text: snapshot}) })
			}
		})
		return c.orLost(h, err)
	}
	c.mu.Lock()
	leaf, filled := h.leaf, h.filled
	// A handle that went back to an earlier entry does not follow the file any more.
	follow := h.follow && same(h.leaf, h.tip)
	c.mu.Unlock()
	if h.state.SessionFile == nil {
		return c.orLost(h, &Error{Method: "session/open", Message: "it was in memory"})
	}
	params := OpenParams{
		Path:       *h.state.SessionFile,
		Cwd:        h.state.Cwd,
		SessionDir: h.state.SessionDir,
		ReadOnly:   h.state.ReadOnly,
		Follow:     h.follow,
		// An empty session need not have a file.
		MustExist: filled,
	}
	var state SessionState
	_, err := askWith(ctx, c, l, "session/open", params, func(result json.RawMessage) {
		state, _ = decode(result, read[SessionState])
		h.wire = state.Session
		l.wire[h.wire] = h
		h.sequence++
		h.skipped = h.sequence
		if now := state; now.SessionID == h.state.SessionID || !filled {
			now.Session = h.name
			if !follow {
				now.LeafID = leaf
			}
			c.reportState(h, &now)
		}
	})
	if err != nil {
		return c.orLost(h, err)
	}
	if state.SessionID != h.state.SessionID && filled {
		c.mu.Lock()
		delete(l.wire, h.wire)
		c.mu.Unlock()
		if _, err := askWith(ctx, c, l, "session/close", SessionParams{Session: h.wire}, nil); err != nil {
			return c.orLost(h, err)
		}
		return c.orLost(h, &Error{Method: "session/open", Message: "its file is another session now"})
	}
	if follow || same(state.LeafID, leaf) {
		return nil
	}
	moved := func(json.RawMessage) { h.leaf = leaf }
	if leaf == nil {
		_, err = askWith(ctx, c, l, "session/resetLeaf", SessionParams{Session: h.wire}, moved)
	} else {
		params := BranchParams{Session: h.wire, EntryID: *leaf}
		_, err = askWith(ctx, c, l, "session/branch", params, moved)
	}
	return c.orLost(h, err)
}

// askWith is askOn with typed params.
func askWith[P any](
	ctx context.Context, c *Client, l *link, method string, params P, then func(json.RawMessage),
) (json.RawMessage, error) {
	text, err := written(method, params)
	if err != nil {
		return nil, err
	}
	return c.askOn(ctx, l, method, text, then)
}

func (c *Client) orLost(h *handle, err error) error {
	var refused *Error
	if !errors.As(err, &refused) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h.lost = fmt.Errorf("%w: %w", ErrSessionLost, err)
	c.queue(func() { c.reportLoss(h) })
	return nil
}

// reportState reports that a session was opened again. c.mu is held.
func (c *Client) reportState(h *handle, state *SessionState) {
	change := SessionDidChangeParams{
		Session: h.name, Sequence: h.sequence, Kind: Reconnected, LeafID: state.LeafID,
		EntryCount: state.EntryCount,
	}
	if state.SessionFile != nil {
		change.Path = *state.SessionFile
	}
	c.queue(func() { c.report(h, Change{SessionDidChangeParams: change, State: state}) })
}

// reportLoss reports that a session or subscription is lost, after everything else about it.
func (c *Client) reportLoss(h *handle) {
	c.mu.Lock()
	change := SessionDidChangeParams{Session: h.name, Sequence: h.sequence + 1, Kind: Lost}
	c.mu.Unlock()
	if h.watch != nil {
		h.watch.add(event{kind: Lost, err: h.lost})
	} else if h.method == "" {
		c.report(h, Change{SessionDidChangeParams: change, Err: h.lost})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
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

func (h *handle) end() {
	select {
	case <-h.ended:
	default:
		close(h.ended)
	}
}

// err returns why the handle cannot be used. c.mu is held.
func (h *handle) err(c *Client) error {
	switch {
	case h.lost != nil:
		return h.lost
	case h.closed:
		return ErrClosed
	}
	return c.ended
}

// note stores what a restart needs, and puts the handle of the user into the answer. c.mu is held.
func (c *Client) note(l *link, r *request, result json.RawMessage) json.RawMessage {
	switch {
	case r.opens:
		state, err := decode(result, read[SessionState])
		if err != nil {
			return result
		}
		h := c.newHandle(l, state.Session)
		h.state, h.leaf, h.tip = state, state.LeafID, state.TipID
		h.filled = state.EntryCount > 0
		h.follow = memberOf(r.params, "follow", (*reader).bool)
		if r.abandoned {
			c.closeUnknown(l, h, "session/close", "session")
		}
		return renamed(result, "session", h)
	case r.subscribes:
		h := c.newHandle(l, memberOf(result, "subscription", (*reader).str))
		h.method, h.params, h.watch = r.method, r.params, r.watch
		h.sequence = memberOf(result, "sequence", (*reader).int)
		if r.abandoned {
			group, _, _ := strings.Cut(r.method, "/")
			c.closeUnknown(l, h, group+"/unsubscribe", "subscription")
		}
		return renamed(result, "subscription", h)
	case r.method == "session/close" || strings.HasSuffix(r.method, "/unsubscribe"):
		if h := c.handleIn(r.params); h != nil {
			delete(c.handles, h.name)
			delete(l.wire, h.wire)
			h.closed = true
			h.end()
		}
		return result
	}
	h := c.handleIn(r.params)
	if h == nil {
		return result
	}
	switch {
	case r.states:
		if state, err := decode(result, read[SessionState]); err == nil {
			h.state, h.leaf, h.tip = state, state.LeafID, state.TipID
			h.filled = state.EntryCount > 0
		}
		return renamed(result, "session", h)
	case r.appends:
		h.leaf = memberOf(result, "id", read[*string])
		h.tip = h.leaf
		h.filled = true
	case r.moves:
		h.leaf = memberOf(result, "leafId", read[*string])
	}
	return result
}

// closeUnknown closes a handle that the caller does not know, because it was cancelled. c.mu is held.
func (c *Client) closeUnknown(l *link, h *handle, method, member string) {
	delete(c.handles, h.name)
	delete(l.wire, h.wire)
	c.lastID++
	l.send(envelope(c.lastID, method, []byte(`{"`+member+`":`+string(quoted(h.wire))+`}`)))
}

func (c *Client) newHandle(l *link, wire string) *handle {
	name := wire
	// Each daemon counts its handles from the start, and never uses one again. So that no two handles
	// of the user have the same name, closed ones included, later daemons have their number in it.
	if l.number > 1 {
		name = wire + "." + strconv.Itoa(l.number)
	}
	number := 0
	for _, each := range c.handles {
		number = max(number, each.number+1)
	}
	h := &handle{name: name, wire: wire, number: number, ended: make(chan struct{})}
	c.handles[name] = h
	l.wire[wire] = h
	return h
}

// handleIn returns the handle in params, or nil.
func (c *Client) handleIn(params json.RawMessage) *handle {
	if h := c.handles[tagOf(params, "session")]; h != nil {
		return h
	}
	return c.handles[tagOf(params, "subscription")]
}

// toWire puts the handle of the current daemon into params. c.mu is held.
func (c *Client) toWire(params json.RawMessage) (json.RawMessage, error) {
	for _, member := range []string{"session", "subscription"} {
		name := tagOf(params, member)
		h := c.handles[name]
		switch {
		case name == "":
			continue
		case h != nil && h.lost != nil:
			return nil, h.lost
		case h != nil && h.wire != h.name:
			return replaced(params, member, quoted(h.wire)), nil
		case h == nil && c.link.number > 1:
			// It is closed. In this daemon it may be another session, so name one that no daemon has.
			return replaced(params, member, quoted(name+".1")), nil
		}
		return params, nil
	}
	return params, nil
}

func renamed(result json.RawMessage, member string, h *handle) json.RawMessage {
	if h.name == h.wire {
		return result
	}
	return replaced(result, member, quoted(h.name))
}

// replaced returns an object with another value for one member, and everything else unchanged.
func replaced(text json.RawMessage, member string, value []byte) json.RawMessage {
	r := &reader{data: text}
	for r.open('{'); r.next('}'); {
		matches := r.name() == member
		start := r.begin()
		r.skip()
		if matches {
			return slices.Concat(text[:start], value, text[r.pos:])
		}
	}
	return text
}

func quoted(text string) []byte {
	w := &writer{}
	w.str(text)
	return w.buf
}

// withEntryID adds an id for the new entry, unless there is one, so that the request can be repeated.
func withEntryID(params json.RawMessage) (json.RawMessage, bool) {
	// If an id exists already, the daemon answers that entry and writes nothing, so use a long one.
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	id := []byte(`"` + hex.EncodeToString(random) + `"`)
	r := &reader{data: params}
	for r.open('{'); r.next('}'); {
		name, start := r.name(), r.begin()
		given := string(r.skip()) != "null"
		if name == "newEntryId" && given {
			return params, false
		}
		if name == "newEntryId" {
			return slices.Concat(params[:start], id, params[r.pos:]), true
		}
	}
	if r.err != nil {
		return params, false // the daemon will answer with an error
	}
	open := strings.IndexByte(string(params[:min(len(params), 64)]), '{')
	rest := params[open+1:]
	comma := ","
	if (&reader{data: rest}).peek() == '}' {
		comma = ""
	}
	return slices.Concat(params[:open+1], []byte(`"newEntryId":`), id, []byte(comma), rest), true
}

// chosenAgain sends a request again with another id for its entry, if the session had an entry with the
// first one by chance. An entry that existed when the request was repeated is its own. c.mu is held.
func (c *Client) chosenAgain(r *request, result json.RawMessage) bool {
	if !r.entryID || r.sent > 1 || r.abandoned || !memberOf(result, "existed", (*reader).bool) {
		return false
	}
	r.params = replaced(r.params, "newEntryId", []byte("null"))
	r.params, _ = withEntryID(r.params)
	r.id, r.sent = 0, 0
	return c.send(r) == nil
}

func same(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}
