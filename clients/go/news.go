package sessiond

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
)

// newsLimit is how many notifications may wait to be heard before the daemon is made to wait.
const newsLimit = 256

// hearer is somebody who wants to hear notifications.
type hearer struct{ hear func(json.RawMessage) }

// on adds a hearer of a notification.
func on[T any](c *Client, method string, read func(*reader) T, hear func(T)) (stop func()) {
	one := &hearer{func(params json.RawMessage) {
		if value, err := decode(params, read); err == nil {
			hear(value)
		}
	}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hearers[method] = append(slices.Clip(c.hearers[method]), one)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hearers[method] = without(c.hearers[method], one)
	}
}

func without(hearers []*hearer, one *hearer) []*hearer {
	return slices.DeleteFunc(slices.Clone(hearers), func(each *hearer) bool { return each == one })
}

// OnNotification hears every notification, also those that this package does not know, with the
// params as they came.
func (c *Client) OnNotification(hear func(method string, params json.RawMessage)) (stop func()) {
	type news struct {
		Method string
		Params json.RawMessage
	}
	return on(c, "", func(r *reader) news { return news{r.name(), r.raw()} }, func(n news) {
		hear(n.Method, n.Params)
	})
}

// hearNews takes a notification: it puts the user's names into it and passes it on.
func (c *Client) hearNews(l *link, m message) {
	c.mu.Lock()
	var h *handle
	for _, member := range []string{"session", "subscription"} {
		wire := tagOf(m.params, member)
		if wire == "" {
			continue
		}
		if h = l.wire[wire]; h == nil {
			c.mu.Unlock()
			return // of a handle that is closed
		}
		m.params = renamed(m.params, member, h)
		sequence := memberOf(m.params, "sequence", (*reader).int) + h.skipped
		if h.skipped != 0 {
			m.params = replaced(m.params, "sequence", strconv.AppendInt(nil, sequence, 10))
		}
		h.sequence = sequence
		if h.method == "" {
			h.leaf = memberOf(m.params, "leafId", pointerReader((*reader).str))
		}
	}
	c.mu.Unlock()
	c.tell(func() { c.deliver(h, m) })
}

// tell puts something in line to be told. While more than newsLimit wait, the daemon has to wait
// as well: nothing more is read from it, unless somebody needs an answer.
func (c *Client) tell(news func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.news) >= newsLimit && len(c.inFlight) == 0 && c.ended == nil && !c.closing {
		c.changed.Wait()
	}
	c.news = append(c.news, news)
	c.changed.Broadcast()
}

// tellNews tells what is in line, one after the other.
func (c *Client) tellNews() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.news) == 0 && c.ended == nil {
			c.changed.Wait()
		}
		if len(c.news) == 0 {
			return
		}
		news := c.news[0]
		c.news[0] = nil
		if c.news = c.news[1:]; len(c.news) == 0 {
			c.news = nil
		}
		c.changed.Broadcast()
		c.mu.Unlock()
		news()
		c.mu.Lock()
	}
}

func (c *Client) deliver(h *handle, m message) {
	c.mu.Lock()
	all, some := c.hearers[""], c.hearers[m.method]
	var own []*hearer
	if h != nil && m.method == changeMethod {
		own = h.hearers
		if len(own) == 0 {
			if change, err := decode(m.params, readSessionDidChangeParams); err == nil {
				h.missed = &change
			}
		}
	}
	c.mu.Unlock()
	for _, each := range all {
		each.hear(slices.Concat(quoted(m.method), []byte(":"), m.params))
	}
	for _, each := range slices.Concat(some, own) {
		each.hear(m.params)
	}
}

const changeMethod = "session/didChange"

// Session is an open session: a handle with a leaf of its own. It stays valid when the daemon is
// restarted.
type Session struct {
	// Opened is the state at opening.
	Opened *SessionState

	client *Client
	handle string
}

func (c *Client) opened(state *SessionState, err error) (*Session, error) {
	if err != nil {
		return nil, err
	}
	return &Session{Opened: state, client: c, handle: state.Session}, nil
}

// Handle returns what stands for the session in params, as long as the client lives.
func (s *Session) Handle() string { return s.handle }

// OnChange hears of changes that others made to the session. Calls come one after the other; they
// may ask the daemon. Of changes before the first OnChange only the latest is told: its sequence
// shows how many there were.
func (s *Session) OnChange(hear func(SessionDidChangeParams)) (stop func()) {
	c := s.client
	one := &hearer{func(params json.RawMessage) {
		if change, err := decode(params, readSessionDidChangeParams); err == nil {
			hear(change)
		}
	}}
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.handles[s.handle]
	if h == nil {
		return func() {}
	}
	h.hearers = append(slices.Clip(h.hearers), one)
	if missed := h.missed; missed != nil {
		h.missed = nil
		c.news = append(c.news, func() { hear(*missed) })
		c.changed.Broadcast()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		h.hearers = without(h.hearers, one)
	}
}

// Changes is OnChange as a channel, which is closed when the context or the client ends. While
// nobody receives, other notifications wait; none is dropped.
func (s *Session) Changes(ctx context.Context) <-chan SessionDidChangeParams {
	changes := make(chan SessionDidChangeParams)
	ended := make(chan struct{})
	queue := make(chan SessionDidChangeParams)
	stop := s.OnChange(func(change SessionDidChangeParams) {
		select {
		case queue <- change:
		case <-ended:
		}
	})
	go func() {
		defer close(changes)
		defer close(ended)
		defer stop()
		for {
			select {
			case change := <-queue:
				select {
				case changes <- change:
				case <-ctx.Done():
					return
				case <-s.client.gone:
					return
				}
			case <-ctx.Done():
				return
			case <-s.client.gone:
				return
			}
		}
	}()
	return changes
}
