// Package sessiond is a client of sessiond, the daemon that serves the session files of coding agents.
//
// [Start] starts the daemon. Every method of the contract is a method of [Client] under its full name,
// such as [Client.SessionList]; methods of one session are also methods of [Session]. Many goroutines
// may use a Client at once. It starts a new daemon when the old one crashes.
//
// # Optional members
//
// An optional member of params is left out if it has its zero value: "", 0, false or nil. Where that
// value has a meaning of its own, the member is a pointer, for which there is [Ptr]; where null has
// one, it is an [Optional]. In what the daemon answers, optional members are pointers, slices and
// interfaces, which are nil if absent.
package sessiond

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"
)

// Options for starting the daemon. The zero value is ready to use.
type Options struct {
	// Path of the daemon; empty: the environment variable SESSIOND, else sessiond on PATH. A relative
	// path is relative to the working directory of this process.
	Path string
	// Args are the arguments of its command line.
	Args []string
	// Env is its environment, as in exec.Cmd; nil: that of this process.
	Env []string
	// Shared: share one daemon with the other clients of this user, as the environment variable
	// SESSIOND_SHARED=1 does. A daemon that knows no sharing serves alone.
	Shared bool
	// Dir is its working directory; empty: that of this process.
	Dir string
	// Stderr receives its log; nil: only the end is kept, for error messages.
	Stderr io.Writer
	// Initialize are the params of initialize, such as the profile.
	Initialize InitializeParams
	// OnReconnected is called after the daemon crashed and was restarted.
	OnReconnected func(Reconnection)
	// OnLost is called when the client gave up, because the daemon crashed too often. All calls
	// return the same error.
	OnLost func(error)
}

// Reconnection describes a restart of the daemon after a crash.
type Reconnection struct {
	// Stderr is the end of the log of the daemon that crashed.
	Stderr string
	// Lost are the sessions and subscriptions that could not be opened again, by handle.
	Lost map[string]error
}

// Client starts a daemon and talks to it. The zero value is not usable: use Start.
type Client struct {
	options  Options
	patience time.Duration // how long Close waits before it kills the daemon

	mu       sync.Mutex
	changed  *sync.Cond // news or inFlight changed, or the client ended
	link     *link      // nil while no daemon is ready
	up       chan struct{}
	server   InitializeResult
	lastID   int64
	inFlight map[int64]*request
	handles  map[string]*handle // by the name that the user knows
	numbers  int                // of handles so far
	crashes  int
	closing  bool
	ended    error
	gone     chan struct{} // closed with ended; nil if the client was not started

	restarted chan struct{} // closed when the last attempt to start the daemon again has ended

	news    []func()
	hearers map[string][]*hearer
}

// request is a request that is not answered yet.
type request struct {
	id     int64
	method string
	methodFacts
	params    json.RawMessage
	on        *link // sent only there, as part of starting or ending the daemon
	then      func(json.RawMessage)
	watch     *backlog[event] // for the events of the new subscription
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

// Start starts the daemon and sends initialize. The context applies to the start only: the daemon
// runs until Close.
func Start(ctx context.Context, options Options) (*Client, error) {
	path, err := daemonPath(options.Path)
	if err != nil {
		return nil, err
	}
	options.Path = path
	c := &Client{
		options:  options,
		patience: 5 * time.Second,
		up:       make(chan struct{}),
		gone:     make(chan struct{}),
		inFlight: map[int64]*request{},
		handles:  map[string]*handle{},
		hearers:  map[string][]*hearer{},
	}
	c.changed = sync.NewCond(&c.mu)
	l, err := c.bringUp(ctx)
	if err == nil && !c.publish(l) {
		err = c.crashed(l)
	}
	if err != nil {
		c.mu.Lock()
		c.finish(ErrClosed)
		c.mu.Unlock()
		return nil, err
	}
	go c.tellNews()
	return c, nil
}

// started reports whether the client is from Start.
func (c *Client) started() bool { return c != nil && c.gone != nil }

// Server returns the daemon's answer to initialize: its version and the settings.
func (c *Client) Server() InitializeResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server
}

// Call calls any method, with params and result as JSON text, byte for byte. Appends without a
// newEntryId get one.
//
// When the context ends, the request is cancelled and Call returns the context's error. The request
// may have been carried out.
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c, method, params)
}

// Notify sends a notification, with params as JSON text. After `exit` the client cannot be used.
func (c *Client) Notify(method string, params json.RawMessage) error {
	if !c.started() {
		return ErrNotStarted
	}
	if params != nil {
		if _, err := written(method, params); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended != nil:
		return c.ended
	case c.link == nil:
		return ErrInterrupted
	}
	c.closing = c.closing || method == "exit"
	c.link.send(envelope(0, method, params))
	return nil
}

// nothing are the params of methods that have none.
type nothing struct{}

// call implements all methods.
func call[T, P any](ctx context.Context, c *Client, method string, params P) (none T, err error) {
	r := &request{method: method, methodFacts: methods[method], done: make(chan outcome, 1)}
	if r.params, err = written(method, params); err != nil {
		return none, err
	}
	r.prepare()
	result, err := c.ask(ctx, r)
	if err != nil {
		return none, err
	}
	value, err := decode[T](result)
	if err != nil {
		return none, fmt.Errorf("%w (in the answer to %s)", err, method)
	}
	return value, nil
}

func written[P any](method string, params P) (json.RawMessage, error) {
	if _, none := any(params).(nothing); none {
		return nil, nil
	}
	text, err := encode(params)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, method)
	}
	return text, nil
}

// ended returns the error of a call whose context has ended. It is both the context's error and its
// cause.
func ended(ctx context.Context, method string) error {
	if err, cause := ctx.Err(), context.Cause(ctx); !errors.Is(cause, err) {
		return fmt.Errorf("sessiond: %s: %w: %w", method, err, cause)
	}
	return fmt.Errorf("sessiond: %s: %w", method, context.Cause(ctx))
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

// submit sends a request as soon as a daemon is ready.
func (c *Client) submit(ctx context.Context, r *request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for r.on == nil && c.link == nil && c.ended == nil && !c.closing {
		up := c.up
		c.mu.Unlock()
		select {
		case <-up:
		case <-ctx.Done():
		}
		c.mu.Lock()
		if ctx.Err() != nil {
			return ended(ctx, r.method)
		}
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
	l := r.on
	if l == nil {
		l = c.link
	}
	if l.down {
		return c.crashed(l)
	}
	if h := c.handleIn(r.params); r.on == nil && h != nil && h.lost != nil {
		return h.lost
	}
	if r.id == 0 {
		c.lastID++
		r.id = c.lastID
	}
	c.inFlight[r.id] = r
	c.changed.Broadcast()
	l.send(envelope(r.id, r.method, r.params))
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
	l := r.on
	if l == nil {
		l = c.link
	}
	if l != nil && !l.down {
		params, _ := encode(CancelParams{ID: Integer(r.id)})
		l.send(envelope(0, "$/cancelRequest", params))
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
		if int64(len(envelope(id, r.method, r.params))) > limit {
			delete(c.inFlight, id)
			failure.Method = r.method
			r.done <- outcome{err: failure.withData()}
		}
	}
}

// finish ends the client permanently. c.mu is held.
func (c *Client) finish(err error) {
	if c.ended != nil {
		return
	}
	c.ended = err
	if c.options.OnLost != nil && errors.Is(err, ErrGaveUp) {
		c.queue(func() { c.options.OnLost(err) })
	}
	close(c.gone)
	select {
	case <-c.up:
	default:
		close(c.up)
	}
	for id, r := range c.inFlight {
		delete(c.inFlight, id)
		r.done <- outcome{err: err}
	}
	c.changed.Broadcast()
}

// Close lets the daemon finish the requests in flight, and ends it. A daemon that does not end within
// five seconds is killed; Shutdown has another limit. Another Close does nothing.
func (c *Client) Close() error {
	if !c.started() {
		return ErrNotStarted
	}
	ctx, stop := context.WithTimeout(context.Background(), c.patience)
	defer stop()
	return c.Shutdown(ctx)
}

// Shutdown is Close with a limit of time: if the context ends before the daemon, the daemon is killed.
func (c *Client) Shutdown(ctx context.Context) error {
	if !c.started() {
		return ErrNotStarted
	}
	c.mu.Lock()
	if c.closing || c.ended != nil {
		c.mu.Unlock()
		<-c.gone
		return nil
	}
	c.closing = true
	l := c.link
	if l == nil {
		c.finish(ErrClosed)
		c.mu.Unlock()
		return nil
	}
	c.mu.Unlock()
	_, err := c.askOn(ctx, l, "shutdown", nil, nil)
	if err == nil {
		l.send(envelope(0, "exit", nil))
	}
	l.end()
	select {
	case <-l.done:
	case <-ctx.Done():
		l.kill()
		<-l.done
		err = errors.Join(err, errors.New("sessiond: the daemon did not end in time and was killed"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish(ErrClosed)
	return err
}

// askOn sends a request to this daemon only. `then` gets the answer before later messages are handled.
func (c *Client) askOn(
	ctx context.Context, l *link, method string, params json.RawMessage, then func(json.RawMessage),
) (json.RawMessage, error) {
	return c.ask(ctx, &request{
		method: method, on: l, params: params, then: then, done: make(chan outcome, 1),
	})
}

func (c *Client) initialize(ctx context.Context, l *link) error {
	params := c.options.Initialize
	if params.ProcessID == nil {
		params.ProcessID = Ptr(int64(os.Getpid()))
	}
	if params.ClientInfo == nil {
		params.ClientInfo = &ClientInfo{Name: "sessiond-go"}
	}
	if params.ProtocolVersions == nil {
		params.ProtocolVersions = []string{ProtocolVersion}
	}
	text, err := written("initialize", params)
	if err != nil {
		return err
	}
	result, err := c.askOn(ctx, l, "initialize", text, nil)
	if err != nil {
		return err
	}
	if version := memberOf[string](result, "protocolVersion"); version != ProtocolVersion {
		return unsupported(version)
	}
	server, err := decode[InitializeResult](result)
	if err != nil {
		return fmt.Errorf("%w (in the answer to initialize)", err)
	}
	l.send(envelope(0, "initialized", nil))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = server
	return nil
}
