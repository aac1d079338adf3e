// The errors of the client library, told apart without loading it: activation does not need it.

import type { ClientError, ErrorData, SessiondError } from "sessiond-client";

/** Whether a caught value is an error of the daemon, with this kind. */
export function isSessiondError<K extends keyof ErrorData>(error: unknown, kind: K): error is SessiondError<K> {
  return isAnswer(error) && error.kind === kind;
}

/** Whether a caught value says that the client got no answer. */
export function isClientError(error: unknown): error is ClientError {
  return isNamed(error, "ClientError");
}

/** Whether the message of a caught value was written for users: by the daemon or the client. */
export function isReadable(error: unknown): error is ClientError | SessiondError {
  return isAnswer(error) || isClientError(error);
}

/** Whether a caught value is an answer of the daemon. */
export function isAnswer(error: unknown): error is SessiondError {
  return isNamed(error, "SessiondError");
}

/** The message of a caught value, which may have several lines. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong, in one line. */
export function firstLineOf(error: unknown): string {
  return messageOf(error).split("\n")[0] ?? "";
}

/** Whether the same request can succeed later. */
export function isRetryable(error: unknown): error is SessiondError {
  return isAnswer(error) && error.retryable;
}

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name;
