import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain, testContentKeys } from "../../test/send-builders.ts";
import type { FeedbackCell } from "../cell/feedback-cell.ts";
import { changeSimulator } from "../cell/simulator-control.ts";
import { queueSends } from "../sends/queued-sends.ts";

/** Every mail from `gone` bounces for good, and every mail from `domain` is delivered. */
export interface GuardedSender {
  accountId: string;
  domain: string;
  gone: string;
  queued: number;
  hardBouncePercent: number;
}

export const domainsOf = (name: string) => ({ domain: `${name}.test`, gone: `${name}-gone.test` });

export async function aGuardedSender(
  cell: FeedbackCell,
  name: string,
  hardBouncePercent: number,
): Promise<GuardedSender> {
  const accountId = await anAccount(cell.db, { name });
  const { domain, gone } = domainsOf(name);
  for (const each of [domain, gone]) await aVerifiedDomain(cell.db, accountId, each);
  const outcome = { kind: "bounce", bounceType: "Permanent", bounceSubType: "General" };
  await changeSimulator(cell.simulator, "POST", "rules", { match: { fromDomain: gone }, outcome });
  return { accountId, domain, gone, queued: 0, hardBouncePercent };
}

/** Queues so many sends, with the hard bounces spread evenly over all sends of the account. */
export async function queueMail(db: Database, sender: GuardedSender, count: number): Promise<void> {
  const { accountId, domain, gone, hardBouncePercent } = sender;
  const bouncesUpTo = (sends: number) => Math.floor((sends * hardBouncePercent) / 100);
  const bounces = bouncesUpTo(sender.queued + count) - bouncesUpTo(sender.queued);
  const contentKey = testContentKeys.current;
  if (bounces > 0) await queueSends(db, { accountId, fromDomain: gone, count: bounces, contentKey });
  if (count > bounces) await queueSends(db, { accountId, fromDomain: domain, count: count - bounces, contentKey });
  sender.queued += count;
}

export interface AccountProgress {
  outcomes: number;
  hardBounces: number;
  complaints: number;
  /** Sends that a claim could still take; parked ones are not among them. */
  underWay: number;
  parked: number;
  /** What the guard has counted. */
  counted: number;
  isHeld: boolean;
  reason: string | null;
}

export async function progressOf(db: Database, accountId: string): Promise<AccountProgress> {
  const [row] = await db.query<AccountProgress>({
    name: "guard-progress",
    text: `
      select
        (select count(*) from events where account_id = $1 and (event_type = 'Delivery' or bounce_type = 'Permanent')) as outcomes,
        (select count(*) from events where account_id = $1 and bounce_type = 'Permanent') as "hardBounces",
        (select count(*) from events where account_id = $1 and event_type = 'Complaint') as complaints,
        (select count(*) from send_queue where account_id = $1 and state in ('ready', 'waiting')) as "underWay",
        (select count(*) from send_queue where account_id = $1 and state = 'parked') as parked,
        (select coalesce(sum(outcomes), 0)::bigint from guard_counts where account_id = $1 and epoch = guard_epoch) as counted,
        guard_held_at is not null as "isHeld", guard_reason as reason
      from accounts
      where id = $1`,
    values: [accountId],
  });
  if (row === undefined) throw new Error("the account is missing");
  return row;
}

/** Every stored outcome has been folded and checked. */
export async function isEverythingChecked(db: Database): Promise<boolean> {
  const [row] = await db.query<{ isDone: boolean }>({
    name: "guard-is-done",
    text: `
      select not exists (select from usage_deltas)
        and not exists (select from guard_counts where checked <> outcomes + complaints) as "isDone"`,
  });
  return row?.isDone ?? false;
}

/** Queues mail of each sender every half second until `isDone`. */
export async function feed(
  db: Database,
  senders: () => GuardedSender[],
  { perSecond, withinSeconds, isDone }: { perSecond: number; withinSeconds: number; isDone: () => Promise<boolean> },
): Promise<void> {
  const begun = performance.now();
  for (let turn = 0; !(await isDone()); turn++) {
    if (performance.now() - begun > withinSeconds * 1000) throw new Error(`not within ${withinSeconds} s: the guard`);
    for (const sender of senders()) await queueMail(db, sender, perSecond / 2);
    await sleep(Math.max(0, begun + (turn + 1) * 500 - performance.now()));
  }
}
