package sessiond

import "time"

// UserText returns a message of the user, with the current time.
func UserText(text string) *UserMessage {
	return &UserMessage{Content: String(text), Timestamp: Ptr(time.Now().UnixMilli())}
}

// Answer returns an answer of a model with all members that pi needs, with the current time. Set its Usage;
// until then it has no tokens, at a price that is not known.
func Answer(provider, model string, content ...Block) *AssistantMessage {
	reason := AssistantMessageStopReasonStop
	for _, block := range content {
		if _, calls := block.(*ToolCall); calls {
			reason = AssistantMessageStopReasonToolUse
		}
	}
	return &AssistantMessage{
		Content:    content,
		Provider:   provider,
		Model:      model,
		Usage:      Usage{TotalTokens: Ptr(int64(0))},
		StopReason: reason,
		Timestamp:  Ptr(time.Now().UnixMilli()),
	}
}
