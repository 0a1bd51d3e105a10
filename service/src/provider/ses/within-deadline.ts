/**
 * Makes one request and rejects with the reason of the signal when it aborts. The SDK aborts a request, but not the load of its
 * credentials, which comes first and has no deadline.
 */
export async function withinDeadline<Answer>(
  send: (options: { abortSignal: AbortSignal }) => Promise<Answer>,
  abortSignal: AbortSignal,
): Promise<Answer> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(abortSignal.reason);
  abortSignal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([send({ abortSignal }), aborted]);
  } finally {
    abortSignal.removeEventListener("abort", onAbort);
  }
}
