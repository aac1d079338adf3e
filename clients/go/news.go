package sessiond

import (
	"encoding/json"
	"slices"
	"strings"
)

// newsLimit is how many notifications may wait for listeners before the client stops reading.
const newsLimit = 256

// on adds a listener of a notification.
func on[T any](c *Client, method string, hear func(T)) (stop func()) {
	return c.OnNotification(func(each string, params json.RawMessage) {
		if each != method {
			return
		}
		if value, err := decode[T](params); err == nil {
			hear(value)
		}
	})
}

// OnNotification calls hear with every notification, including those that this package does not know,
// and the params as received.
func (c *Client) OnNotification(hear func(method string, params json.RawMessage)) (stop func()) {
	if !c.started() {
		return func() {} // nothing is ever heard
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return addTo(c, &c.hearers, &hear)
}

// addTo adds a listener to a list, which is replaced and never changed, so that it can be read without
// the lock. c.mu is held.
func addTo[T any](c *Client, list *[]*T, one *T) (remove func()) {
	*list = append(slices.Clip(*list), one)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		*list = slices.DeleteFunc(slices.Clone(*list), func(each *T) bool { return each == one })
	}
}

// hearNews adds a notification to the queue. While more than newsLimit wait, nothing more is read from
// the daemon, unless a call waits for an answer.
func (c *Client) hearNews(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := handleIn(m.Params)
	h := c.handles[name]
	if h == nil && name != "" {
		return // it is closed
	}
	if m.Method == "session/didChange" && h != nil {
		h.state.LeafID = memberOf[*string](m.Params, "leafId")
		h.state.TipID = memberOf[*string](m.Params, "tipId")
	}
	for c.news.len() >= newsLimit && len(c.inFlight) == 0 && !c.closing {
		c.changed.Wait()
	}
	c.news.add(func() { c.deliver(h, m) })
}

// tellNews passes on the notifications in the queue, one at a time.
func (c *Client) tellNews() {
	for {
		news, some := c.news.next()
		if !some {
			return
		}
		c.mu.Lock()
		c.changed.Broadcast()
		c.mu.Unlock()
		news()
	}
}

func (c *Client) deliver(h *handle, m message) {
	c.mu.Lock()
	hearers := c.hearers
	c.mu.Unlock()
	for _, each := range hearers {
		(*each)(m.Method, m.Params)
	}
	if h != nil && strings.HasSuffix(m.Method, "/didChange") {
		h.hear(event{kind: Changed, text: m.Params})
	}
}
