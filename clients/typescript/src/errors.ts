import { jsonRpcErrors, type ErrorData } from "./generated/errors.js";

/** Kinds of errors that a daemon may answer with; later versions may add to them. */
export type ErrorKind = keyof ErrorData;

/** Kinds of errors that the client itself raises. */
export type ClientErrorKind =
  /** The command is not there or cannot be run. */
  | "DaemonNotFound"
  /** The daemon ended before it was ready, or too often. */
  | "DaemonFailed"
  /** The daemon ended during a call that cannot safely be repeated; it may have been done. */
  | "Interrupted"
  /** The daemon ended, and the session could not be opened again. */
  | "SessionLost"
  /** The call cannot be put into JSON. */
  | "Unsendable"
  /** The client was closed. */
  | "Closed";

/** What the daemon answered instead of a result. */
export class SessiondError<K extends string = string> extends Error {
  override readonly name = "SessiondError";
  readonly code: number;
  readonly kind: K;
  /** The same request can succeed later without a change in it. */
  readonly retryable: boolean;
  readonly data: K extends ErrorKind ? Readonly<ErrorData[K]> : Readonly<Record<string, unknown>>;
  readonly method: string;

  constructor(method: string, code: number, message: string, data: unknown) {
    super(message);
    const { kind, retryable, ...rest } = isObject(data) ? data : {};
    this.code = code;
    this.method = method;
    this.kind = (typeof kind === "string" ? kind : (jsonRpcErrors[code] ?? "Unknown")) as K;
    this.retryable = retryable === true;
    this.data = rest as typeof this.data;
  }

  /** Whether it is of a kind; `data` is then typed accordingly. */
  is<W extends ErrorKind>(kind: W): this is SessiondError<W> {
    return (this.kind as string) === kind;
  }
}

/** What kept the client from getting an answer. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly kind: ClientErrorKind;

  constructor(kind: ClientErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** Whether a caught value is an error of the daemon, of this kind. */
export function isSessiondError<K extends ErrorKind>(
  error: unknown,
  kind: K,
): error is SessiondError<K> {
  return error instanceof SessiondError && error.kind === kind;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
