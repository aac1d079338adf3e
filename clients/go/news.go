package sessiond

import (
	"encoding/json"
	"slices"
)

// newsLimit is how many notifications may wait for listeners before the client stops reading.
const newsLimit = 256

// hearer is a listener of notifications.
type hearer struct {
	hear func(method string, params json.RawMessage)
}

func hearing[T any](hear func(T)) *hearer {
	return &hearer{func(_ string, params json.RawMessage) {
		if value, err := decode[T](params); err == nil {
			hear(value)
		}
	}}
}

// on adds a listener of a notification.
func on[T any](c *Client, method string, hear func(T)) (stop func()) {
	return c.listen(method, hearing(hear))
}

func (c *Client) listen(method string, one *hearer) (stop func()) {
	if !c.started() {
		return func() {} // nothing is ever heard
	}
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
	return c.listen("", &hearer{hear})
}

// hearNews passes a notification on.
func (c *Client) hearNews(m message) {
	c.mu.Lock()
	var h *handle
	for _, member := range []string{"session", "subscription"} {
		name := memberOf[string](m.Params, member)
		if name == "" {
			continue
		}
		if h = c.handles[name]; h == nil {
			c.mu.Unlock()
			return // it is closed
		}
		if h.method == "" {
			h.leaf = memberOf[*string](m.Params, "leafId")
			h.tip = memberOf[*string](m.Params, "tipId")
		}
	}
	c.mu.Unlock()
	c.tell(func() { c.deliver(h, m) })
}

// queue is tell for events of the client itself, which are few. c.mu is held.
func (c *Client) queue(news func()) {
	c.news = append(c.news, news)
	c.changed.Broadcast()
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
	hearers := slices.Concat(c.hearers[""], c.hearers[m.Method])
	c.mu.Unlock()
	for _, each := range hearers {
		each.hear(m.Method, m.Params)
	}
	switch {
	case h == nil:
	case h.watch != nil:
		h.watch.add(event{kind: Changed, text: m.Params})
	case m.Method == "session/didChange":
		if change, err := decode[SessionDidChangeParams](m.Params); err == nil {
			c.report(h, Change{SessionDidChangeParams: change})
		}
	}
}
