import { jsonRpcErrors, type ErrorData } from "./generated/errors.js";

/** Kinds of errors that the daemon answers; later versions may add kinds. */
export type ErrorKind = keyof ErrorData;

/** Kinds of errors of the client itself. */
export type ClientErrorKind =
  /** The command was not found or cannot be started. */
  | "DaemonNotFound"
  /** The daemon ended before it was ready, or too often. */
  | "DaemonFailed"
  /** The daemon ended during a call that is not safe to repeat; it may have been carried out. */
  | "Interrupted"
  /** The daemon ended, and the session could not be opened again. */
  | "SessionLost"
  /** The params cannot be encoded as JSON. */
  | "Unsendable"
  /** The client was closed. */
  | "Closed";

/** An error that the daemon answered. */
export class SessiondError<K extends string = string> extends Error {
  override readonly name = "SessiondError";
  readonly code: number;
  readonly kind: K;
  /** Whether the same request can succeed later. */
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

  /** Whether the error has this kind; `data` then has its type. */
  is<W extends ErrorKind>(kind: W): this is SessiondError<W> {
    return (this.kind as string) === kind;
  }
}

/** The client did not get an answer. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly kind: ClientErrorKind;

  constructor(kind: ClientErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }

  /** Return an equal error. */
  copy(): ClientError {
    return new ClientError(this.kind, this.message, this.cause);
  }
}

/** Whether a caught value is an error of the daemon, with this kind. */
export function isSessiondError<K extends ErrorKind>(
  error: unknown,
  kind: K,
): error is SessiondError<K> {
  return error instanceof SessiondError && error.kind === kind;
}

/** Wait for a call that closes something. That it is closed or lost already is no error. */
export async function closed(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    const gone =
      error instanceof ClientError
        ? error.kind !== "Interrupted"
        : isSessiondError(error, "UnknownSession");
    if (!gone) throw error;
  }
}

/**
 * Remember where a call is made, without the function `call` and what it calls. Return a function that
 * makes an error name that place, and not the one where an answer was read.
 */
export function placed(call: (...given: never[]) => unknown): (error: unknown) => unknown {
  const here: { stack?: string } = {};
  Error.captureStackTrace(here, call);
  return (given) => {
    const ours = given instanceof SessiondError || given instanceof ClientError;
    if (!ours && !(given instanceof DOMException)) return given;
    // One error of the client ends many calls.
    const error = given instanceof ClientError ? given.copy() : given;
    const frames = here.stack?.replace(/^[^]*?(?=\n {4}at |$)/, "") ?? "";
    const value = `${error.name}: ${error.message}${frames}`;
    Object.defineProperty(error, "stack", { value, writable: true, configurable: true });
    return error;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
