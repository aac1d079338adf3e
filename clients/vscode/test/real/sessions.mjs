// Sessions for the tests, as lines of files.

const at = (minute) => new Date(Date.now() - (300 - minute) * 60_000).toISOString();

export class Lines {
  constructor(id, cwd, minute = 0) {
    this.minute = minute;
    this.id = id;
    this.all = [{ type: "session", version: 3, id, timestamp: at(minute), cwd }];
    this.last = null;
  }

  add(entry, under = this.last) {
    const id = `${this.id.slice(0, 4)}${this.all.length.toString(16).padStart(4, "0")}`;
    const line = { ...entry, id, parentId: under, timestamp: at(this.minute + this.all.length / 10) };
    this.all.push(line);
    this.last = id;
    return line;
  }

  user(text, under) {
    return this.add({ type: "message", message: { role: "user", content: text, timestamp: Date.parse(at(this.minute + this.all.length / 10)) } }, under);
  }

  assistant(content, under) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const usage = { input: 1200, output: 300, cacheRead: 800, cacheWrite: 0, totalTokens: 2300, cost: { input: 0.0036, output: 0.0045, cacheRead: 0.0002, cacheWrite: 0, total: 0.0083 } };
    const message = { role: "assistant", content: blocks, provider: "mock", model: "mock-1", stopReason: "stop", usage, timestamp: Date.parse(at(this.minute + this.all.length / 10)) };
    return this.add({ type: "message", message }, under);
  }

  result(toolCallId, text, more = {}) {
    const content = [{ type: "text", text }];
    return this.add({ type: "message", message: { role: "toolResult", toolCallId, toolName: "edit", content, isError: false, ...more } });
  }

  name(name) {
    return this.add({ type: "session_info", name });
  }
}
