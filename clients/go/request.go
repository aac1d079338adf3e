package sessiond

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// request is a request that is not answered yet.
type request struct {
	id     int64
	method string
	methodFacts
	params    json.RawMessage
	handle    string // the name of the session or subscription in params
	size      int    // of its message
	on        *link  // sent only there, as part of starting or ending the daemon
	then      func(json.RawMessage)
	watch     func(event) // gets the events of the new subscription; nil: only listeners do
	abandoned bool
	done      chan outcome
}

type outcome struct {
	result json.RawMessage
	err    error
}

// methodFacts describe a method as far as needed for a restart.
type methodFacts struct {
	repeatable bool // may be sent again if it is unknown whether it was carried out
	appends    bool // takes newEntryId
	opens      bool // the answer has a new handle
	states     bool // the answer is a SessionState
	subscribes bool // the answer has a new subscription
	moves      bool // the answer has the handle's leaf
}

// newRequest adds to the params an id for a new entry, so that the request can be repeated, or a handle
// for what it opens, which it keeps in every daemon.
func newRequest(method string, params any) (*request, error) {
	r := &request{method: method, methodFacts: methods[method], done: make(chan outcome, 1)}
	text, err := written(method, params)
	if err != nil {
		return nil, err
	}
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	name := hex.EncodeToString(random)
	switch {
	case r.appends:
		text = with(text, "newEntryId", name)
	case r.opens:
		text = with(text, "session", name)
	case r.subscribes:
		text = with(text, "subscription", name)
	}
	r.params, r.handle = text, handleIn(text)
	return r, nil
}

// handleIn returns the name of the session or subscription in params; empty if there is none.
func handleIn(params json.RawMessage) string {
	if session := memberOf[string](params, "session"); session != "" {
		return session
	}
	return memberOf[string](params, "subscription")
}

// written returns the text of params; nil if there are none.
func written(method string, params any) (json.RawMessage, error) {
	if raw, ok := params.(json.RawMessage); params == nil || ok && raw == nil {
		return nil, nil
	}
	text, err := encode(params)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, method)
	}
	return text, nil
}

// call implements all methods.
func call[T any](ctx context.Context, c *Client, method string, params any) (none T, err error) {
	r, err := newRequest(method, params)
	if err != nil {
		return none, err
	}
	return answer[T](ctx, c, r)
}

// answer sends a request and returns its result.
func answer[T any](ctx context.Context, c *Client, r *request) (none T, err error) {
	result, err := c.ask(ctx, r)
	if err != nil {
		return none, err
	}
	value, err := decode[T](result)
	if err != nil {
		return none, fmt.Errorf("%w (in the answer to %s)", err, r.method)
	}
	return value, nil
}

// askOn sends a request to this daemon only. `then` gets the answer before later messages are handled.
func (c *Client) askOn(
	ctx context.Context, l *link, method string, params any, then func(json.RawMessage),
) (json.RawMessage, error) {
	r, err := newRequest(method, params)
	if err != nil {
		return nil, err
	}
	r.on, r.then = l, then
	return c.ask(ctx, r)
}

func (c *Client) ask(ctx context.Context, r *request) (json.RawMessage, error) {
	if !c.started() {
		return nil, ErrNotStarted
	}
	if err := c.submit(ctx, r); err != nil {
		return nil, err
	}
	select {
	case answer := <-r.done:
		return answer.result, answer.err
	case <-ctx.Done():
	}
	if !c.abandon(r) {
		answer := <-r.done
		return answer.result, answer.err
	}
	return nil, ended(ctx, r.method)
}

// ended returns the error of a call whose context has ended. It is both the context's error and its
// cause.
func ended(ctx context.Context, method string) error {
	if err, cause := ctx.Err(), context.Cause(ctx); !errors.Is(cause, err) {
		return fmt.Errorf("sessiond: %s: %w: %w", method, err, cause)
	}
	return fmt.Errorf("sessiond: %s: %w", method, context.Cause(ctx))
}

// submit sends a request as soon as a daemon is ready.
func (c *Client) submit(ctx context.Context, r *request) error {
	defer context.AfterFunc(ctx, c.wake)()
	c.mu.Lock()
	defer c.mu.Unlock()
	for r.on == nil && c.link == nil && c.ended == nil && !c.closing && ctx.Err() == nil {
		c.changed.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return ended(ctx, r.method)
	case c.ended != nil:
		return c.ended
	case c.closing && r.on == nil:
		return ErrClosed
	}
	return c.send(r)
}

// send gives a request an id and sends it. c.mu is held, and a daemon is ready.
func (c *Client) send(r *request) error {
	l := cmp.Or(r.on, c.link)
	if l.down {
		return l.crashed()
	}
	if h := c.handles[r.handle]; r.on == nil && h != nil && h.lost != nil {
		return h.lost
	}
	if r.id == 0 {
		c.lastID++
		r.id = c.lastID
	}
	c.inFlight[r.id] = r
	c.changed.Broadcast()
	body := envelope(r.id, r.method, r.params)
	r.size = len(body)
	l.send(body)
	return nil
}

// abandon cancels a request. It returns false if the answer has already arrived.
func (c *Client) abandon(r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight[r.id] != r {
		return false
	}
	r.abandoned = true
	if l := cmp.Or(r.on, c.link); l != nil && !l.down {
		l.send(envelope(0, "$/cancelRequest", fmt.Appendf(nil, `{"id":%d}`, r.id)))
	}
	return true
}

// hear handles the messages of the daemon, in order.
func (c *Client) hear(l *link, m message) {
	if m.Method != "" {
		c.hearNews(m)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	r := c.inFlight[id]
	if err != nil || r == nil {
		c.hearStray(m)
		return
	}
	delete(c.inFlight, id)
	if r.on == nil {
		c.crashes = 0
	}
	if m.Error != nil {
		r.done <- outcome{err: readError(r.method, m.Error).withData()}
		return
	}
	if r.then != nil {
		r.then(m.Result)
	}
	if r.on == nil {
		c.note(l, r, m.Result)
	}
	r.done <- outcome{result: m.Result}
}

// hearStray handles an answer without id. The daemon sends it if it did not read a message because of
// its size.
func (c *Client) hearStray(m message) {
	failure := readError("request", m.Error)
	if failure.Kind != KindTooLarge {
		return
	}
	limit := memberOf[int64](failure.Data, "limit")
	for id, r := range c.inFlight {
		if int64(r.size) > limit {
			delete(c.inFlight, id)
			r.done <- outcome{err: readError(r.method, m.Error).withData()}
		}
	}
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
