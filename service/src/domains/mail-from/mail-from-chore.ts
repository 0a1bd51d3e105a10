import type { Chore } from "../../loops/chores.ts";
import { NoControlTokenError, waitForControlToken } from "../../provider/control-call-tokens.ts";
import { mailFromDomainOf } from "../domain.ts";
import type { DomainDeps } from "../register-domain.ts";
import {
  dueMailFrom,
  type MailFromWish,
  markMailFromLost,
  returnDueMailFrom,
  storeMailFromStatus,
  takeDueMailFrom,
} from "./mail-from-store.ts";
import { applyMailFrom } from "./set-mail-from.ts";

const maxRunMs = 60_000;
const hour = 3600;
const day = 24 * hour;
const statusOf = { pending: "Pending", success: "Success", failed: "Failed" } as const;

export function mailFromChore(deps: DomainDeps): Chore {
  return {
    name: "apply-mail-from",
    pauseSeconds: 5,
    dueWhen: dueMailFrom,
    run: () => applyDueMailFrom(deps, maxRunMs),
  };
}

/**
 * Applies the wishes that a request stored and did not apply, and reads the status of the applied ones: every 30 seconds at first, slowing
 * to hourly while SES looks for the MX record, then daily. A domain whose call fails is tried again after a minute, and the others go on.
 */
export async function applyDueMailFrom(deps: DomainDeps, maxMs: number): Promise<void> {
  const endsAt = performance.now() + maxMs;
  const failures: unknown[] = [];
  while (performance.now() < endsAt) {
    const due = await takeDueMailFrom(deps.db);
    if (due === undefined) break;
    try {
      if (due.isApplied) await readStatus(deps, due);
      else await applyMailFrom(deps, deps.db, due, "chore");
    } catch (error) {
      if (error instanceof NoControlTokenError) {
        await returnDueMailFrom(deps.db, due);
        break;
      }
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} MAIL FROM domains failed`);
}

/** An identity that is missing at SES is created again by `refreshDkim`, which makes the wish due. */
async function readStatus({ db, provider }: DomainDeps, wish: MailFromWish): Promise<void> {
  await waitForControlToken(db, "chore");
  const identity = await provider.findIdentity(wish.domainName);
  if (identity === undefined) return;
  const { mailFrom } = identity;
  if (mailFrom === undefined || mailFrom.domain !== mailFromDomainOf(wish)) return markMailFromLost(db, wish);
  const status = statusOf[mailFrom.status];
  const pause = Math.round(Math.min(hour, Math.max(30, wish.secondsSinceWish / 20)));
  await storeMailFromStatus(db, wish, { status, nextCheckSeconds: status === "Pending" ? pause : day });
}
