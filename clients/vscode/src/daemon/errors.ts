// The errors of the client library, told apart without loading it: activation does not need it.

import type { ClientError, ErrorData, SessiondError } from "sessiond-client";

/** Whether a caught value is an error of the daemon, with this kind. */
export function isSessiondError<K extends keyof ErrorData>(error: unknown, kind: K): error is SessiondError<K> {
  return isNamed(error, "SessiondError") && (error as SessiondError).kind === kind;
}

/** Whether a caught value says that the client got no answer. */
export function isClientError(error: unknown): error is ClientError {
  return isNamed(error, "ClientError");
}

/** Whether the message of a caught value was written for users: by the daemon or the client. */
export function isReadable(error: unknown): error is ClientError | SessiondError {
  return isNamed(error, "SessiondError") || isClientError(error);
}

/** Whether the same request can succeed later. */
export function isRetryable(error: unknown): error is SessiondError {
  return isNamed(error, "SessiondError") && (error as SessiondError).retryable;
}

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name;
