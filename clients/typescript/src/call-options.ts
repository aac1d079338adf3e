export interface CallOptions {
  /** Cancels the call, which fails at once with the signal's reason. It may have been carried out. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the call is cancelled; it then fails with a `TimeoutError`. */
  readonly timeout?: number | undefined;
}

/** Return the signal that cancels a call. `here` makes the error of its time limit name the caller. */
export function signalOf(
  options: CallOptions | undefined,
  here: (error: unknown) => unknown,
): AbortSignal | undefined {
  if (options?.timeout === undefined) return options?.signal;
  const timeout = AbortSignal.timeout(options.timeout);
  timeout.addEventListener("abort", () => here(timeout.reason), { once: true });
  return options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
}
