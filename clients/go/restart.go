package sessiond

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
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
	name   string // the same in every daemon
	number int    // in the order of opening
	lost   error
	closed bool
	ended  chan struct{} // closed when it is closed or lost

	// Of a session.
	state     SessionState
	leaf      *string
	tip       *string // the last entry of the file, as far as it is known
	follow    bool
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
			if h.watch != nil {
				c.queue(func() { h.watch.add(event{kind: Reconnected, text: result}) })
			}
		})
		return c.orLost(h, err)
	}
	c.mu.Lock()
	leaf, tip, before := h.leaf, h.tip, h.state
	c.mu.Unlock()
	if before.SessionFile == nil {
		return c.orLost(h, &Error{Method: "session/open", Message: "it was in memory"})
	}
	params := OpenParams{
		Session:    h.name,
		Path:       *before.SessionFile,
		Cwd:        before.Cwd,
		SessionDir: before.SessionDir,
		ReadOnly:   before.ReadOnly,
		Follow:     h.follow,
		// An empty session need not have a file.
		MustExist: tip != nil,
	}
	// A handle that went back to an earlier entry does not follow the file any more.
	if !h.follow || !same(leaf, tip) {
		params.LeafID = optionalOf(leaf)
	}
	var state SessionState
	_, err := askWith(ctx, c, l, "session/open", params, func(result json.RawMessage) {
		state, _ = decode[SessionState](result)
		if tip == nil || state.SessionID == before.SessionID {
			h.state, h.leaf, h.tip = state, state.LeafID, state.TipID
			c.reportState(h, state)
		}
	})
	if err == nil && tip != nil && state.SessionID != before.SessionID {
		_, err = askWith(ctx, c, l, "session/close", SessionParams{Session: h.name}, nil)
		if err == nil {
			err = &Error{Method: "session/open", Message: "its file is another session now"}
		}
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
func (c *Client) reportState(h *handle, state SessionState) {
	change := SessionDidChangeParams{
		Session: h.name, Kind: Reconnected, LeafID: state.LeafID, EntryCount: state.EntryCount,
	}
	if state.SessionFile != nil {
		change.Path = *state.SessionFile
	}
	c.queue(func() { c.report(h, Change{SessionDidChangeParams: change, State: &state}) })
}

// reportLoss reports that a session or subscription is lost, after everything else about it.
func (c *Client) reportLoss(h *handle) {
	change := SessionDidChangeParams{Session: h.name, Kind: Lost}
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

// note stores what a restart needs. c.mu is held.
func (c *Client) note(l *link, r *request, result json.RawMessage) {
	switch {
	case r.abandoned && r.opens:
		c.closeUnused(l, "session/close", "session", result)
		return
	case r.abandoned && r.subscribes:
		group, _, _ := strings.Cut(r.method, "/")
		c.closeUnused(l, group+"/unsubscribe", "subscription", result)
		return
	case r.opens:
		h := c.newHandle(memberOf[string](result, "session"))
		h.follow = memberOf[bool](r.params, "follow")
	case r.subscribes:
		h := c.newHandle(memberOf[string](result, "subscription"))
		h.method, h.params, h.watch = r.method, r.params, r.watch
	case r.method == "session/close" || strings.HasSuffix(r.method, "/unsubscribe"):
		if h := c.handleIn(r.params); h != nil {
			delete(c.handles, h.name)
			h.closed = true
			h.end()
		}
	}
	h := c.handleIn(r.params)
	switch {
	case h == nil:
	case r.states:
		if state, err := decode[SessionState](result); err == nil {
			h.state, h.leaf, h.tip = state, state.LeafID, state.TipID
		}
	case r.moves:
		h.leaf = memberOf[*string](result, "leafId")
		added := memberOf[*string](result, "id")
		if added != nil && !memberOf[bool](result, "existed") {
			h.tip = added
		}
	}
}

// closeUnused closes what a cancelled request opened, which the caller does not know. c.mu is held.
func (c *Client) closeUnused(l *link, method, member string, result json.RawMessage) {
	name := memberOf[string](result, member)
	c.lastID++
	l.send(envelope(c.lastID, method, []byte(`{"`+member+`":`+string(quoted(name))+`}`)))
}

func (c *Client) newHandle(name string) *handle {
	c.numbers++
	h := &handle{name: name, number: c.numbers, ended: make(chan struct{})}
	c.handles[name] = h
	return h
}

// handleIn returns the handle in params, or nil.
func (c *Client) handleIn(params json.RawMessage) *handle {
	if h := c.handles[memberOf[string](params, "session")]; h != nil {
		return h
	}
	return c.handles[memberOf[string](params, "subscription")]
}

// quoted returns a text as a JSON string; every text has one.
func quoted(text string) []byte {
	quoted, _ := encode(text)
	return quoted
}

// prepare adds an id for a new entry, so that the request can be repeated, or a handle for what it
// opens, which it keeps in every daemon.
func (r *request) prepare() {
	var member string
	switch {
	case r.appends:
		member = "newEntryId"
	case r.opens:
		member = "session"
	case r.subscribes:
		member = "subscription"
	default:
		return
	}
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	r.params = with(r.params, member, hex.EncodeToString(random))
}

// with adds a member to an object, unless it has one. Everything else stays as it is.
func with(params json.RawMessage, member, value string) json.RawMessage {
	if params == nil {
		params = json.RawMessage("{}")
	}
	object := json.NewDecoder(bytes.NewReader(params))
	if start, _ := object.Token(); start != json.Delim('{') {
		return params // the daemon will answer with an error
	}
	start, comma := object.InputOffset(), ""
	for object.More() {
		comma = ","
		name, _ := object.Token()
		end := object.InputOffset()
		var given json.RawMessage
		if object.Decode(&given) != nil || name == member && string(given) != "null" {
			return params
		}
		if name == member {
			return slices.Concat(params[:end], []byte(":"), quoted(value), params[object.InputOffset():])
		}
	}
	added := fmt.Appendf(nil, "%s:%s%s", quoted(member), quoted(value), comma)
	return slices.Concat(params[:start], added, params[start:])
}

func same(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}
