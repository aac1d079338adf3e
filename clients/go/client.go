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
	options Options

	life context.Context // ends with the client; nil if the client was not started
	end  context.CancelFunc
	over chan struct{} // closed when the last daemon has ended, too

	mu       sync.Mutex
	changed  *sync.Cond // news, inFlight or closing changed
	link     *link      // nil while no daemon is ready
	server   InitializeResult
	lastID   int64
	inFlight map[int64]*request
	handles  map[string]*handle // by the name that the user knows
	crashes  int
	closing  bool
	ended    error

	news    *queue[func()] // for tellNews
	hearers []*func(method string, params json.RawMessage)
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
		over:     make(chan struct{}),
		inFlight: map[int64]*request{},
		handles:  map[string]*handle{},
		news:     newQueue[func()](),
	}
	c.life, c.end = context.WithCancel(context.Background())
	c.changed = sync.NewCond(&c.mu)
	l, err := c.bringUp(ctx)
	if err != nil {
		c.end()
		return nil, err
	}
	c.publish(l)
	go c.serve(l)
	go c.tellNews()
	return c, nil
}

// started reports whether the client is from Start.
func (c *Client) started() bool { return c != nil && c.life != nil }

// Server returns the daemon's answer to initialize: its version and the settings.
func (c *Client) Server() InitializeResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server
}

// Call calls any method, with params and result as JSON text. Each param is sent byte for byte, and the
// result is what was received. Appends without a newEntryId get one, and what opens something a handle.
//
// When the context ends, the request is cancelled and Call returns the context's error. The request
// may have been carried out.
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c, method, params)
}

// finish ends the client permanently. c.mu is held.
func (c *Client) finish(err error) {
	if c.ended != nil {
		return
	}
	c.closing, c.ended = true, err
	if c.options.OnLost != nil && errors.Is(err, ErrGaveUp) {
		c.news.add(func() { c.options.OnLost(err) })
	}
	c.news.end()
	c.end()
	for _, r := range c.inFlight {
		c.settle(r, outcome{err: err})
	}
	c.changed.Broadcast()
}

// Close lets the daemon finish the requests in flight, and ends it. A daemon that does not end within
// five seconds is killed; Shutdown has another limit. Another Close does nothing.
func (c *Client) Close() error {
	if !c.started() {
		return ErrNotStarted
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	return c.Shutdown(ctx)
}

// Shutdown is Close with a limit of time: if the context ends before the daemon, the daemon is killed.
func (c *Client) Shutdown(ctx context.Context) error {
	if !c.started() {
		return ErrNotStarted
	}
	c.mu.Lock()
	l, again := c.link, c.closing
	c.closing = true
	if l == nil {
		c.finish(ErrClosed)
	}
	c.mu.Unlock()
	if l == nil || again {
		select {
		case <-c.over:
		case <-ctx.Done():
		}
		return nil
	}
	_, err := c.Call(ctx, "shutdown", nil)
	if err == nil {
		l.send(envelope(0, "exit", nil))
	}
	l.queue.end()
	select {
	case <-c.over:
	case <-ctx.Done():
		l.kill()
		<-c.over
		err = errors.Join(err, errors.New("sessiond: the daemon did not end in time and was killed"))
	}
	return err
}

func (c *Client) initialize(l *link) error {
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
	result, err := c.askNew(l, "initialize", params)
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
