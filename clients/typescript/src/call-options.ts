export interface CallOptions {
  /** Cancels the call: it then fails with the signal's reason, unless it was done already. */
  readonly signal?: AbortSignal | undefined;
}
