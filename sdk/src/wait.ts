/** Resolves early when the signal aborts. */
export function wait(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, seconds * 1000);
    if (signal?.aborted === true) finish();
    else signal?.addEventListener("abort", finish);
  });
}

/** Returns the value of the work, or undefined when the signal aborts first. The work then continues without a caller. */
export function unlessAborted<Value>(
  work: () => Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | undefined> {
  if (signal === undefined) return work();
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined);
    signal.addEventListener("abort", abort);
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
