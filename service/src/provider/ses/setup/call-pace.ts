import { setTimeout as sleep } from "node:timers/promises";
import { ProviderError } from "../../email-provider.ts";

/** SES allows one request a second besides sends. The simulator allows more, unless it is told to be as strict. */
export const sesPauseMs = 1_000;
const maxTries = 5;

/** Lets calls to SES through one after the other; for commands, which have no database to share turns in. */
export function createPace(pauseMs: number) {
  let nextAt = 0;
  return async function atOurTurn<Outcome>(call: () => Promise<Outcome>, tries = 1): Promise<Outcome> {
    await sleep(Math.max(0, nextAt - performance.now()));
    try {
      return await call();
    } catch (error) {
      // A running Postern shares the budget with this command.
      if (!(error instanceof ProviderError && error.kind === "throttled") || tries === maxTries) throw error;
      await sleep(sesPauseMs);
    } finally {
      nextAt = performance.now() + pauseMs;
    }
    return atOurTurn(call, tries + 1);
  };
}

export type Pace = ReturnType<typeof createPace>;
