/**
 * Params as the JSON text they are to be sent as, for what JSON values of this language cannot
 * hold, such as integers beyond 2^53. A handle in it is sent as it stands, and a call with such
 * params is not repeated when the daemon ends during it.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Put a message into JSON. */
export function encoded(message: object): string {
  const { params, ...envelope } = message as { params?: unknown };
  if (!(params instanceof JsonText)) return JSON.stringify(message);
  return `${JSON.stringify(envelope).slice(0, -1)},"params":${params.text}}`;
}
