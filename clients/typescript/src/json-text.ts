/** A string, or a character of the structure. Numbers and other literals are skipped. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/**
 * Params as JSON text, for values that JavaScript cannot hold, such as integers beyond 2^53. The
 * text is sent unchanged, except for the handle of a session or subscription, which may be another
 * one after a restart of the daemon. A call with such params is not repeated if the daemon ends
 * during it.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Return the text, which is an object, with other strings as values of some of its members. */
  with(values: ReadonlyMap<string, string>): JsonText {
    const parts: string[] = [];
    let copied = 0;
    let depth = 0;
    let name: string | undefined;
    let inValue = false;
    for (const { 0: token, index } of this.text.matchAll(TOKENS)) {
      if (token === "{" || token === "[") depth += 1;
      else if (token === "}" || token === "]") depth -= 1;
      else if (depth !== 1) continue;
      else if (token === ":") inValue = true;
      else if (token === ",") inValue = false;
      else if (!inValue) name = JSON.parse(token) as string;
      else if (name !== undefined && values.has(name)) {
        parts.push(this.text.slice(copied, index), JSON.stringify(values.get(name)));
        copied = index + token.length;
      }
    }
    return new JsonText(parts.join("") + this.text.slice(copied));
  }
}

/** Encode a message as JSON. */
export function encoded(message: object): string {
  const { params, ...envelope } = message as { params?: unknown };
  if (!(params instanceof JsonText)) return JSON.stringify(message);
  return `${JSON.stringify(envelope).slice(0, -1)},"params":${params.text}}`;
}
