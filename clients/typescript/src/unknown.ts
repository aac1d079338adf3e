/**
 * A JSON value that is not of any shape known here. `raw` is the value as it was parsed, and what
 * goes back into JSON.
 */
export abstract class Unknown {
  readonly raw: unknown;

  constructor(raw: unknown) {
    this.raw = raw;
  }

  toJSON(): unknown {
    return this.raw;
  }

  /** Return a member if it is there and of a type that all known classes give it. */
  protected member(name: string, ...types: ("string" | "number" | "boolean" | "null")[]): unknown {
    if (typeof this.raw !== "object" || this.raw === null || !Object.hasOwn(this.raw, name)) {
      return undefined;
    }
    const value = (this.raw as Record<string, unknown>)[name];
    const type = value === null ? "null" : typeof value;
    return (types as string[]).includes(type) ? value : undefined;
  }
}
