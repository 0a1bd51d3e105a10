import type { Proof } from "../../scripts/proof.ts";
import { queueDueSends } from "../src/accept/queue-scheduled.ts";
import { setLimits } from "../src/accounts/limit-store.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { declareFailover } from "../src/in-doubt/failover-store.ts";
import { FailoverWatch } from "../src/in-doubt/failover-watch.ts";
import { createLog } from "../src/log.ts";
import { createMetrics } from "../src/metrics.ts";
import { anAccount } from "../test/builders.ts";
import { dropToday, isDropped, weekOfToday } from "../test/expired-contents.ts";
import { aScheduledSend } from "../test/scheduled-sends.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { change } from "../test/send-rows.ts";
import { copyTemplate } from "../test/template-database.ts";
import { type CostOfSends, measureCost } from "./schedule/cost-of-sends.ts";
import { scheduleRecords, storeRecords } from "./schedule/stored-schedule.ts";

const fullSize = 1_000_000;
const newcomers = 100;
const sendsOfNewcomer = 5;
const dueAtFailover = 50;
const limitPerMinute = 100;

export const proof: Proof = {
  promise:
    "Scheduled sends cost other sends nothing, are paced when many are due at once, and none goes out early after a failover",
  covers: [
    "service/migrations",
    "service/proofs/schedule",
    "service/src/accept",
    "service/src/db",
    "service/src/in-doubt",
    "service/src/queue",
    "service/src/storage",
  ],
  size: { small: 4_000, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const copy = await copyTemplate(serverUrl);
    const options = { poolSize: 1, applicationName: "schedule", onIdleError: () => undefined };
    const db = openDatabase({ url: copy.url, ...options, statementTimeoutMs: 120_000 });
    try {
      const owner = await anOwner(db);
      await storeRecords(db, { ...owner, count: size });
      progress(`${size} records stored`);
      const without = await measureCost(db, await aSender(db));
      const stored = await scheduleRecords(db, owner.accountId, owner.fromDomain);
      progress(`${stored} sends scheduled`);
      const beside = await measureCost(db, await aSender(db));
      const burst = await queueBurst(db, owner.accountId, Math.min(50_000, size / 2));
      progress(`${burst.sends} sends of one account due at once`);
      const failover = await failOver(db, owner.accountId);
      const retention = await dropWeeks(db, owner.accountId);
      const ratios = { accept: beside.accept / without.accept, claim: beside.claim / without.claim };
      return {
        figure:
          `with ${stored} scheduled sends an accept touches ${describe("accept", without, beside)} and a claim ` +
          `${describe("claim", without, beside)}; of ${burst.sends} sends of one account that are due in one second the last is ` +
          `${Math.round(burst.spanSeconds)} s behind the first (${limitPerMinute} a minute), queued in ${burst.seconds.toFixed(1)} s, and the ` +
          `${newcomers * sendsOfNewcomer} of ${newcomers} others that are due with them are all among the first ${burst.lastNewcomer}; after a ` +
          `failover with ${failover.scheduled} scheduled ${failover.inDoubt} of ${dueAtFailover} due ones are in doubt, ${failover.early} others ` +
          `left the schedule; the week of their acceptance was ${retention.isDropped ? "" : "not "}dropped, ${retention.lost} of ` +
          `${retention.due} that were due afterwards had no content`,
        holds:
          stored === size &&
          ratios.accept <= 1.1 &&
          ratios.claim <= 1.1 &&
          burst.lastNewcomer <= 2 * newcomers * sendsOfNewcomer &&
          Math.abs(burst.spanSeconds / ((burst.sends * 60) / limitPerMinute) - 1) < 0.01 &&
          failover.inDoubt === dueAtFailover &&
          failover.early === 0 &&
          retention.isDropped &&
          retention.lost === 0 &&
          retention.due > 0,
      };
    } finally {
      await db.close();
      await copy.drop();
    }
  },
};

function describe(step: keyof CostOfSends, without: CostOfSends, beside: CostOfSends): string {
  return `${beside[step].toFixed(1)} blocks instead of ${without[step].toFixed(1)} without them`;
}

async function anOwner(db: Database) {
  const accountId = await anAccount(db);
  return { accountId, fromDomain: await aVerifiedDomain(db, accountId) };
}

/** Without a limit that matters. */
async function aSender(db: Database) {
  const { accountId, fromDomain } = await anOwner(db);
  await setLimits(db, accountId, { perSecond: 100_000, per10Seconds: 1_000_000, perMinute: 6_000_000 });
  return { accountId, domain: fromDomain };
}

/** Many sends of one account are due in the same second as a few of many others, which are stored last. */
async function queueBurst(db: Database, accountId: string, sends: number) {
  await setLimits(db, accountId, {
    perSecond: limitPerMinute,
    per10Seconds: limitPerMinute,
    perMinute: limitPerMinute,
  });
  await change(
    db,
    `update scheduled_sends
     set scheduled_at = now() - interval '1 second'
     where id in (select id from scheduled_sends where account_id = $1 order by id limit $2)`,
    [accountId, sends],
  );
  for (let account = 0; account < newcomers; account++) {
    const owner = await anOwner(db);
    for (let count = 0; count < sendsOfNewcomer; count++) await aScheduledSend(db, { ...owner, dueInSeconds: -0.5 });
  }
  const started = performance.now();
  let queued = 0;
  while (queued < sends + newcomers * sendsOfNewcomer) queued += await queueDueSends(db, "live");
  const seconds = (performance.now() - started) / 1000;
  const [row] = await change(
    db,
    `select max(position) filter (where account_id <> $1)::integer as last,
       extract(epoch from max(fair_at) filter (where account_id = $1) - min(fair_at) filter (where account_id = $1))::float8 as span
     from (select account_id, fair_at, row_number() over (order by fair_at, id) as position from send_queue) as queue`,
    [accountId],
  );
  await change(db, "delete from send_queue");
  return { sends, seconds, lastNewcomer: Number(row?.last), spanSeconds: Number(row?.span) };
}

/** The workers meet a server that may be an older copy. */
async function failOver(db: Database, accountId: string) {
  const watch = () => new FailoverWatch({ db, log: createLog("silent"), metrics: createMetrics() });
  await watch().check();
  await change(
    db,
    `update scheduled_sends
     set scheduled_at = now()
     where id in (select id from scheduled_sends where account_id = $1 order by id limit $2)`,
    [accountId, dueAtFailover],
  );
  const scheduled = await countScheduled(db);
  await declareFailover(db, "operator", "infinity");
  const moved = await queueDueSends(db, "live");
  await watch().check();
  const later = await queueDueSends(db, "live");
  const [row] = await change(db, "select count(*)::integer as count from send_queue where state = 'in-doubt'");
  const inDoubt = Number(row?.count);
  const early = moved + later + (scheduled - dueAtFailover - (await countScheduled(db)));
  await change(db, "delete from send_queue");
  return { scheduled, inDoubt, early };
}

/** The retention drops the week in which the sends were accepted, long before they are due. */
async function dropWeeks(db: Database, accountId: string) {
  const week = await weekOfToday(db);
  const { failure } = await dropToday(db);
  if (failure !== undefined) throw failure;
  await change(
    db,
    `update scheduled_sends
     set scheduled_at = now()
     where id in (select id from scheduled_sends where account_id = $1 order by id limit 100)`,
    [accountId],
  );
  const due = await queueDueSends(db, "live");
  const [row] = await change(
    db,
    `select count(*)::integer as lost
     from send_queue q
     where not exists (select from send_contents c where c.id = q.id and octet_length(c.sealed) = 500)
       and not exists (select from kept_contents k where k.id = q.id and octet_length(k.sealed) = 500)`,
  );
  return { isDropped: await isDropped(db, week), due, lost: Number(row?.lost) };
}

async function countScheduled(db: Database): Promise<number> {
  const [row] = await change(db, "select count(*)::integer as count from scheduled_sends");
  return Number(row?.count);
}
