/**
 * Params as JSON text, for values that JavaScript cannot hold, such as integers beyond 2^53. The
 * text is sent unchanged. A call with such params is not repeated if the daemon ends during it.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Encode a message as JSON. */
export function encoded(message: object): string {
  const { params, ...envelope } = message as { params?: unknown };
  if (!(params instanceof JsonText)) return JSON.stringify(message);
  return `${JSON.stringify(envelope).slice(0, -1)},"params":${params.text}}`;
}
