import type { UserMessage } from "./generated/types.js";

/** A message of the user, with the current time. */
export function userText(text: string): UserMessage {
  return { role: "user", content: text, timestamp: Date.now() };
}
