import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";

/** The longest wait for a token. Under load, a purpose with a longer wait still gets one. */
const maxWaitSeconds = { registration: 10, removal: 3, chore: 1.5 };

export type ControlPurpose = keyof typeof maxWaitSeconds;

/**
 * SES allows one control call a second per AWS account, so all processes share one sequence of tokens in the database,
 * and each control call takes one. A chore waits behind at most one other call, so chores never delay a person for
 * long. A process that crashes after it took a token wastes only that token.
 */
export async function waitForControlToken(db: Queryable, purpose: ControlPurpose): Promise<void> {
  const waitSeconds = await takeControlToken(db, maxWaitSeconds[purpose]);
  if (waitSeconds === undefined) {
    const message = "Too many domain changes are waiting for the email provider. Try again in 10 seconds.";
    throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 10 });
  }
  await sleep(waitSeconds * 1000);
}

/**
 * Takes the next token and returns the seconds until it is valid. Returns undefined, and takes no token, when the next
 * one is valid later than `maxSeconds` from now. A next token more than a minute ahead is discarded: the database clock
 * was set back, or a failover brought a server with another clock.
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
