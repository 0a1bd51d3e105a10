import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";

/** What a control request is for, in the order of its right to go first: the longest it may wait for its turn. */
const maxWaitSeconds = { registration: 10, removal: 3, chore: 1.5 };

export type ControlPurpose = keyof typeof maxWaitSeconds;

/**
 * Waits for a turn among all processes. A chore queues behind at most one other, so it never holds a person up for long.
 * A process that dies in its turn wastes it; nothing else comes of that.
 */
export async function waitForControlToken(db: Queryable, purpose: ControlPurpose): Promise<void> {
  const waitSeconds = await takeControlToken(db, maxWaitSeconds[purpose]);
  if (waitSeconds === undefined) {
    const message = "Many domain changes are being made at the moment. Try again shortly.";
    throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 10 });
  }
  await sleep(waitSeconds * 1000);
}

/**
 * A turn more than a minute ahead is none of ours: the database's clock was set back, or it is another server's since a
 * failover. Returns undefined when the turn would come later than `maxSeconds`; nothing is taken then.
 */
export async function takeControlToken(db: Queryable, maxSeconds: number): Promise<number | undefined> {
  const [row] = await db.query<{ waitSeconds: number }>({
    name: "take-control-token",
    text: `
      update control_budget
      set next_at = case when next_at > clock_timestamp() + interval '1 minute' then clock_timestamp()
                         else greatest(next_at, clock_timestamp()) end + spacing
      where next_at <= clock_timestamp() + make_interval(secs => $1)
        or next_at > clock_timestamp() + interval '1 minute'
      returning greatest(0, extract(epoch from next_at - spacing - clock_timestamp()))::float8 as "waitSeconds"`,
    values: [maxSeconds],
  });
  return row?.waitSeconds;
}
