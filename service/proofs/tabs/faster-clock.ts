import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";

/**
 * Time for logins that runs some 35 times as fast: each tick of 20 ms makes all refresh tokens a second older. Sleepers wait for
 * ticks, so a slow machine slows everything down together and changes no order.
 */
export interface FasterClock {
  seconds(): number;
  /** Resolves after this many ticks, or when the clock stops. */
  sleep(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

const tickMs = 20;

export function startFasterClock(db: Database): FasterClock {
  let [seconds, isRunning] = [0, true];
  const sleepers = new Set<{ until: number; wake: () => void }>();
  const wakeDue = () => {
    for (const sleeper of sleepers) {
      if (isRunning && sleeper.until > seconds) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  const run = async () => {
    while (isRunning) {
      await sleep(tickMs);
      await letTimePass(db, 1);
      seconds++;
      wakeDue();
    }
  };
  const running = run();
  return {
    seconds: () => seconds,
    sleep: (duration) =>
      new Promise((wake) => {
        if (isRunning) sleepers.add({ until: seconds + duration, wake });
        else wake();
      }),
    async stop() {
      isRunning = false;
      await running;
      wakeDue();
    },
  };
}

/** Makes the tokens of one login, or of all, older. It locks the login first, as a refresh does. */
export async function letTimePass(db: Database, seconds: number, loginId?: string): Promise<void> {
  await db.query({
    name: "make-tokens-older",
    text: `
      with locked as materialized (
        select id
        from logins
        where $2::uuid is null or id = $2
        order by id
        for update
      )
      update refresh_tokens
      set issued_at = issued_at - make_interval(secs => $1), used_at = used_at - make_interval(secs => $1)
      where login_id in (select id from locked)`,
    values: [seconds, loginId ?? null],
  });
}
