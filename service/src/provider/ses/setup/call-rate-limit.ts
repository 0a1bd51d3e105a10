import { setTimeout as sleep } from "node:timers/promises";
import { ProviderError } from "../../email-provider.ts";

/** SES allows one request a second besides sends. */
export const sesPauseMs = 1_000;
const maxTries = 5;

/** Makes one call to SES at a time, `pauseMs` apart. For commands, which have no database with control-call tokens. */
export function createRateLimit(pauseMs: number) {
  let nextAt = 0;
  return async function callWithPause<Outcome>(call: () => Promise<Outcome>, tries = 1): Promise<Outcome> {
    await sleep(Math.max(0, nextAt - performance.now()));
    try {
      return await call();
    } catch (error) {
      // A running Postern uses the same SES limit, so SES may throttle this call.
      if (!(error instanceof ProviderError && error.kind === "throttled") || tries === maxTries) throw error;
      await sleep(sesPauseMs);
    } finally {
      nextAt = performance.now() + pauseMs;
    }
    return callWithPause(call, tries + 1);
  };
}

export type RateLimit = ReturnType<typeof createRateLimit>;
