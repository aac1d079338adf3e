package sessiond

import (
	"encoding/json"
	"slices"
)

// newsLimit is how many notifications may wait for listeners before the client stops reading.
const newsLimit = 256

// hearer is a listener of notifications.
type hearer struct {
	method string // empty: of all
	hear   func(method string, params json.RawMessage)
}

// on adds a listener of a notification.
func on[T any](c *Client, method string, hear func(T)) (stop func()) {
	return c.listen(hearer{method, func(_ string, params json.RawMessage) {
		if value, err := decode[T](params); err == nil {
			hear(value)
		}
	}})
}

// OnNotification calls hear with every notification, including those that this package does not know,
// and the params as received.
func (c *Client) OnNotification(hear func(method string, params json.RawMessage)) (stop func()) {
	return c.listen(hearer{"", hear})
}

func (c *Client) listen(one hearer) (stop func()) {
	if !c.started() {
		return func() {} // nothing is ever heard
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return addTo(c, &c.hearers, &one)
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

// hearNews passes a notification on.
func (c *Client) hearNews(m message) {
	name := handleIn(m.Params)
	c.mu.Lock()
	h := c.handles[name]
	if h != nil && !h.by.subscribes {
		h.leaf = memberOf[*string](m.Params, "leafId")
		h.tip = memberOf[*string](m.Params, "tipId")
	}
	c.mu.Unlock()
	if h == nil && name != "" {
		return // it is closed
	}
	c.tell(func() { c.deliver(h, m) })
}

// tell adds a notification to the queue. While more than newsLimit wait, nothing more is read from the
// daemon, unless a call waits for an answer. Events of the client itself are few, and do not wait.
func (c *Client) tell(news func()) {
	c.mu.Lock()
	for c.news.len() >= newsLimit && len(c.inFlight) == 0 && c.ended == nil && !c.closing {
		c.changed.Wait()
	}
	c.mu.Unlock()
	c.news.add(news)
}

// tellNews passes on the notifications in the queue, one at a time.
func (c *Client) tellNews() {
	for {
		news, some := c.news.next(c.life)
		if !some {
			return
		}
		c.wake()
		news()
	}
}

func (c *Client) deliver(h *handle, m message) {
	c.mu.Lock()
	hearers := c.hearers
	c.mu.Unlock()
	for _, each := range hearers {
		if each.method == "" || each.method == m.Method {
			each.hear(m.Method, m.Params)
		}
	}
	switch {
	case h == nil:
	case h.by.watch != nil:
		h.by.watch(event{kind: Changed, text: m.Params})
	case m.Method == "session/didChange":
		if change, err := decode[SessionDidChangeParams](m.Params); err == nil {
			c.report(h, Change{SessionDidChangeParams: change})
		}
	}
}
