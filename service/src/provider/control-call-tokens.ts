import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";

/** The longest wait for a token. Under load, a purpose with a longer wait still gets one. */
const maxWaitSeconds = { registration: 10, removal: 3, "mail-from": 3, verification: 5, quota: 5, chore: 1.5 };

export type ControlPurpose = keyof typeof maxWaitSeconds;

const changePurposes: ControlPurpose[] = ["registration", "removal", "mail-from"];

/** Normal under load: a chore leaves the rest of its work to its next run, and has not failed. */
export class NoControlTokenError extends AppError {
  constructor() {
    const message = "Too many domain changes are waiting for the email provider. Try again in 10 seconds.";
    super("UNAVAILABLE", message, { retryAfterSeconds: 10 });
  }
}

/**
 * SES allows one control call a second per AWS account, so all processes share one sequence of tokens in the database,
 * and each control call takes one. A process that crashes after it took a token wastes only that token.
 *
 * 1. Changes (registrations and removals of domains, MAIL FROM domains) first take a slot, and together get every second token at most. The other tokens are reserved, so changes that never stop cannot keep a domain from being verified.
 * 2. Verification and the quota wait longer than chores. Each of them takes one token at a time.
 * 3. A chore waits behind at most one other call, so chores never delay a person for long.
 */
export async function waitForControlToken(db: Queryable, purpose: ControlPurpose): Promise<void> {
  if (!(await tryControlToken(db, purpose))) throw new NoControlTokenError();
}

/** Returns false, and takes no token, when the next one is valid too late for this purpose. */
export async function tryControlToken(db: Queryable, purpose: ControlPurpose): Promise<boolean> {
  const maxSeconds = maxWaitSeconds[purpose];
  if (changePurposes.includes(purpose)) {
    if (!(await waitFor(takeChangeSlot(db, maxSeconds)))) return false;
  }
  return waitFor(takeControlToken(db, maxSeconds));
}

async function waitFor(taken: Promise<number | undefined>): Promise<boolean> {
  const waitSeconds = await taken;
  if (waitSeconds !== undefined) await sleep(waitSeconds * 1000);
  return waitSeconds !== undefined;
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

/**
 * The slots of changes are two spacings apart; after a pause the first two come together. A change takes its token when
 * its slot has begun, so no token is taken long before its call. Returns the seconds until then, under the same
 * conditions as `takeControlToken`.
 */
export async function takeChangeSlot(db: Queryable, maxSeconds: number): Promise<number | undefined> {
  const [row] = await db.query<{ waitSeconds: number }>({
    name: "take-change-slot",
    text: `
      update control_budget
      set changes_at = case when changes_at > clock_timestamp() + interval '1 minute' then clock_timestamp()
                            else greatest(changes_at, clock_timestamp()) end + 2 * spacing
      where changes_at - 2 * spacing <= clock_timestamp() + make_interval(secs => $1)
        or changes_at > clock_timestamp() + interval '1 minute'
      returning greatest(0, extract(epoch from changes_at - 4 * spacing - clock_timestamp()))::float8 as "waitSeconds"`,
    values: [maxSeconds],
  });
  return row?.waitSeconds;
}
