package sessiond

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
)

// newsLimit is how many notifications may wait for listeners before the client stops reading.
const newsLimit = 256

// hearer is a listener of notifications.
type hearer struct{ hear func(json.RawMessage) }

// on adds a listener of a notification.
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

// OnNotification calls hear with every notification, including those that this package does not know,
// and the params as received.
func (c *Client) OnNotification(hear func(method string, params json.RawMessage)) (stop func()) {
	type news struct {
		Method string
		Params json.RawMessage
	}
	return on(c, "", func(r *reader) news { return news{r.name(), r.raw()} }, func(n news) {
		hear(n.Method, n.Params)
	})
}

// hearNews passes a notification on, with the handles of the user.
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
			return // the handle is closed
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

// tell adds a notification to the queue. While more than newsLimit wait, nothing more is read from the
// daemon, unless a call waits for an answer.
func (c *Client) tell(news func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.news) >= newsLimit && len(c.inFlight) == 0 && c.ended == nil && !c.closing {
		c.changed.Wait()
	}
	c.news = append(c.news, news)
	c.changed.Broadcast()
}

// tellNews passes on the notifications in the queue, one at a time.
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

// Session is an open session, with its own leaf. It stays valid when the daemon is restarted.
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

// Handle returns the handle for use in params. It does not change while the client is open.
func (s *Session) Handle() string { return s.handle }

// OnChange calls hear with the changes that others make to the session, one at a time. hear may make
// calls. Of the changes before the first OnChange only the latest is reported; its sequence shows how
// many there were.
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

// Changes is OnChange as a channel, which is closed when the context or the client ends. Until a change
// is received, other notifications wait; none is dropped.
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
