package sessiond

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// request is a request that is not answered yet.
type request struct {
	id     int64
	method string
	methodFacts
	params    json.RawMessage
	body      []byte      // its message
	handle    string      // the name of the session or subscription in params
	hear      func(event) // gets the events of the new subscription
	abandoned bool
	done      chan outcome // its first value is for the caller; an abandoned request has another
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
	r := &request{method: method, methodFacts: methods[method], done: make(chan outcome, 2)}
	r.hear = func(event) {}
	text, err := written(method, params)
	if err != nil {
		return nil, err
	}
	switch {
	case r.appends:
		text = withName(text, "newEntryId")
	case r.opens:
		text = withName(text, "session")
	case r.subscribes:
		text = withName(text, "subscription")
	}
	r.params, r.handle = text, handleIn(text)
	return r, nil
}

// withName adds a member with a random name to params, unless they have it. The values of the others stay
// as they are.
func withName(params json.RawMessage, member string) json.RawMessage {
	members := map[string]json.RawMessage{}
	if params != nil && (json.Unmarshal(params, &members) != nil || members == nil) {
		return params // the daemon will answer with an error
	}
	if given := members[member]; given != nil && string(given) != "null" {
		return params
	}
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	members[member] = quoted(hex.EncodeToString(random))
	text, _ := encode(members) // what was written before can be written
	return text
}

// handleIn returns the name of the session or subscription in params; empty if there is none.
func handleIn(params json.RawMessage) string {
	var names struct{ Session, Subscription string }
	_ = json.Unmarshal(params, &names) // params without an object have no names
	return cmp.Or(names.Session, names.Subscription)
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

// ask sends a request and returns its answer.
func (c *Client) ask(ctx context.Context, r *request) (json.RawMessage, error) {
	if !c.started() {
		return nil, ErrNotStarted
	}
	if ctx.Err() != nil {
		return nil, ended(ctx, r.method)
	}
	if err := c.submit(r); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { c.abandon(r, ended(ctx, r.method)) })()
	answer := <-r.done
	return answer.result, answer.err
}

// ended returns the error of a call whose context has ended. It is both the context's error and its
// cause.
func ended(ctx context.Context, method string) error {
	if err, cause := ctx.Err(), context.Cause(ctx); !errors.Is(cause, err) {
		return fmt.Errorf("sessiond: %s: %w: %w", method, err, cause)
	}
	return fmt.Errorf("sessiond: %s: %w", method, context.Cause(ctx))
}

// submit gives a request an id, and sends it at once or when a daemon is ready.
func (c *Client) submit(r *request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended != nil:
		return c.ended
	case c.closing && r.method != "shutdown":
		return ErrClosed
	}
	c.lastID++
	r.id = c.lastID
	r.body = envelope(r.id, r.method, r.params)
	c.inFlight[r.id] = r
	c.changed.Broadcast()
	if c.link != nil {
		c.send(r)
	}
	return nil
}

// send sends a request, unless its session is lost. c.mu is held, and a daemon is ready.
func (c *Client) send(r *request) {
	if h := c.handles[r.handle]; h != nil && h.lost != nil {
		c.settle(r, outcome{err: h.lost})
		return
	}
	c.link.send(r.body)
}

// settle passes an answer on to the caller. c.mu is held.
func (c *Client) settle(r *request, answer outcome) {
	delete(c.inFlight, r.id)
	r.done <- answer
}

// abandon cancels a request whose context has ended, and returns to its caller.
func (c *Client) abandon(r *request, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.inFlight[r.id] != r: // it was answered
	case c.link == nil:
		c.settle(r, outcome{err: err})
	default:
		r.abandoned = true
		r.done <- outcome{err: err}
		c.link.send(envelope(0, "$/cancelRequest", fmt.Appendf(nil, `{"id":%d}`, r.id)))
	}
}

// hear handles a message of the daemon.
func (c *Client) hear(m message) {
	if m.Method != "" {
		c.hearNews(m)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.ID == nil {
		c.hearTooLarge(m)
		return
	}
	r := c.inFlight[*m.ID]
	if r == nil {
		return // nobody waits for it
	}
	c.crashes = 0
	if m.Error != nil {
		c.settle(r, outcome{err: readError(r.method, m.Error)})
		return
	}
	c.note(r, m.Result)
	c.settle(r, outcome{result: m.Result})
}

// hearTooLarge handles an answer without id. The daemon sends it if it did not read a message because of
// its size. c.mu is held.
func (c *Client) hearTooLarge(m message) {
	var failure *TooLargeError
	if !errors.As(readError("request", m.Error), &failure) {
		return
	}
	for _, r := range c.inFlight {
		if int64(len(r.body)) > failure.Limit {
			c.settle(r, outcome{err: readError(r.method, m.Error)})
		}
	}
}
