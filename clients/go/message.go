package sessiond

import "time"

// UserText returns a message of the user, with the current time.
func UserText(text string) *UserMessage {
	return &UserMessage{Content: String(text), Timestamp: Ptr(time.Now().UnixMilli())}
}
