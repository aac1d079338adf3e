export interface CallOptions {
  /** Cancels the call: it then fails with the signal's reason, unless it was done already. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the call is cancelled; it then fails with a `TimeoutError`. */
  readonly timeout?: number | undefined;
  /** Leave values that fit no type as they are; the types then do not say that they may occur. */
  readonly plain?: boolean | undefined;
}

/** Return the signal that cancels a call. */
export function signalOf(options: CallOptions | undefined): AbortSignal | undefined {
  if (options?.timeout === undefined) return options?.signal;
  const timeout = AbortSignal.timeout(options.timeout);
  return options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
}
