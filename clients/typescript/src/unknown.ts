/**
 * A JSON value that fits no type of this version. `raw` is the parsed value, to which it is
 * encoded again.
 */
export abstract class Unknown {
  readonly raw: unknown;

  constructor(raw: unknown) {
    this.raw = raw;
  }

  toJSON(): unknown {
    return this.raw;
  }

  /** Return a member, if it exists and has one of these types. */
  protected member(name: string, ...types: ("string" | "number" | "boolean" | "null")[]): unknown {
    if (typeof this.raw !== "object" || this.raw === null || !Object.hasOwn(this.raw, name)) {
      return undefined;
    }
    const value = (this.raw as Record<string, unknown>)[name];
    const type = value === null ? "null" : typeof value;
    return (types as string[]).includes(type) ? value : undefined;
  }
}
