import type { AssistantMessage, Block, UserMessage } from "./generated/types.js";

/** A message of the user, with the current time. */
export function userText(text: string): UserMessage {
  return { role: "user", content: text, timestamp: Date.now() };
}

/**
 * An answer of a model with all members that pi needs, with the current time. `members` may have others,
 * and `usage`: without it the answer has no tokens, at a price that is not known.
 */
export function assistantMessage(
  content: string | readonly Block[],
  provider: string,
  model: string,
  members: Partial<AssistantMessage> = {},
): AssistantMessage {
  const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : [...content];
  const cost = { input: null, output: null, cacheRead: null, cacheWrite: null, total: null };
  return {
    role: "assistant",
    content: blocks,
    api: "",
    provider,
    model,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
    stopReason: blocks.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
    timestamp: Date.now(),
    ...members,
  };
}
