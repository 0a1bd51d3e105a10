/** Rejects when `work` has not ended after `limitMs`. `work` itself continues. */
export async function withDeadline<Result>(limitMs: number, what: string, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} took longer than ${limitMs / 1000} s`)), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
