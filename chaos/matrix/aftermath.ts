import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../service/proofs/until.ts";
import { createSesProvider } from "../../service/src/provider/ses/ses-provider.ts";
import { leaseSeconds } from "../../service/src/queue/claim-sends.ts";
import { posternProgram } from "../cell/chaos-cell.ts";
import { Supervised } from "../cell/supervised.ts";
import { inDoubtSeconds } from "../cell/waiting-times.ts";
import { countOnTheirWay } from "../check/sends-of-record.ts";
import { startTrickle, trickleSeconds } from "../load/trickle.ts";
import type { MatrixStage } from "./matrix-stage.ts";
import { points } from "./points.ts";

/** A check of a domain that died is made again after two minutes. */
const domainCheckSeconds = 120;
/** Identities of removed domains are deleted twenty at a time every half minute, and each round may leave three. */
const removalSecondsARound = 4.5;

/** Until everything that so many rounds left behind has come to its end. */
export function restWithinSeconds(rounds: number): number {
  return Math.max(leaseSeconds + inDoubtSeconds, domainCheckSeconds) + removalSecondsARound * rounds + 60;
}

/** What is still to do, in words; empty when everything has come to its end. */
export type Remains = Record<string, number>;

/** Three healthy workers take over. Returns what they had not finished in time, and how long they took. */
export async function comeToRest(stage: MatrixStage, rounds: number, progress: (message: string) => void) {
  const { cell } = stage;
  const chores = [...new Set(points.flatMap(({ chore }) => chore ?? []))];
  // What waits for its next turn, in an hour perhaps, is asked for now; what a dead process holds is left to pg-boss.
  await cell.db.query({ name: "chaos-chores-due", text: `delete from pgboss.job where state = 'created'` });
  const since = new Date().toISOString();
  const workers = [1, 2, 3].map(
    (number) => new Supervised(posternProgram("worker", `healthy-${number}`, cell.folder, cell.environment)),
  );
  await Promise.all(workers.map((worker) => worker.start()));
  const started = performance.now();
  const trickle = startTrickle(cell);
  try {
    for (;;) {
      const remains = await findRemains(stage, chores, since);
      const seconds = (performance.now() - started) / 1000;
      if (Object.values(remains).every((count) => count === 0) || seconds > restWithinSeconds(rounds)) {
        await trickle.stop();
        await until("the last of the trickle is sent", 60, async () => (await countSent(stage)) === 0).catch(
          () => undefined,
        );
        return { remains, seconds };
      }
      const told = Object.entries(remains).filter(([, count]) => count > 0);
      progress(`coming to rest: ${told.map(([what, count]) => `${count} ${what}`).join(", ")}`);
      await sleep(500);
    }
  } finally {
    await trickle.stop();
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

/** Sends whose end is not known yet. */
async function countSent({ cell: { db } }: MatrixStage): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "chaos-open",
    text: `select count(*) as count from sends where status in ('queued', 'sent')`,
  });
  return row?.count ?? 0;
}

async function findRemains(stage: MatrixStage, chores: string[], since: string): Promise<Remains> {
  const { db } = stage.cell;
  const count = async (name: string, text: string, values: unknown[] = []) => {
    const [row] = await db.query<{ count: number }>({ name: `chaos-${name}`, text, values });
    return row?.count ?? 0;
  };
  const ran = await db.query<{ name: string }>({
    name: "chaos-chores-run",
    text: `select distinct name from pgboss.job where state = 'completed' and completed_on > $1`,
    values: [since],
  });
  const ids = [...stage.sends, ...stage.testSends].map(({ id }) => id);
  return {
    "sends on their way": await countOnTheirWay(db, trickleSeconds),
    "sends not delivered": await count(
      "undelivered",
      `select count(*) as count from sends where id = any($1::uuid[]) and status <> 'delivered'`,
      [ids],
    ),
    "domains not as they should be": await countWrongDomains(stage),
    "events in quarantine": await count("quarantined", `select count(*) as count from feedback_quarantine`),
    "removals from the provider's list": await count(
      "unsuppressed",
      `select count(*) as count from suppression_removals`,
    ),
    "identities to be removed": await count("identities", `select count(*) as count from identity_removals`),
    "drafts left": await count("drafts", `select count(*) as count from domains where registered_at is null`),
    "old contents": await count("stray", `select count(*) as count from send_contents_default`),
    "partitions missing": await count(
      "partitions",
      `select 3 - count(distinct parent) as count from partition_ranges where ends_at >= now() + interval '3 months'`,
    ),
    "chores not run again": chores.filter((chore) => !ran.some(({ name }) => name === chore)).length,
  };
}

async function countWrongDomains({ cell, domains }: MatrixStage): Promise<number> {
  const rows = await cell.db.query<{ name: string; status: string }>({
    name: "chaos-domains",
    text: `select domain_name as name, verification_status as status from domains where registered_at is not null`,
  });
  const statuses = new Map(rows.map(({ name, status }) => [name, status]));
  const isAsExpected = {
    gone: (name: string) => !statuses.has(name),
    registered: (name: string) => statuses.has(name),
    verified: (name: string) => statuses.get(name) === "Success",
  };
  return domains.filter(({ name, end }) => !isAsExpected[end](name)).length;
}

/** At the provider: an identity for every domain that stands, and none for those that are gone. */
export async function countWrongIdentities({ cell, domains }: MatrixStage): Promise<number> {
  const { AWS_REGION: region = "" } = cell.environment;
  const provider = createSesProvider({
    region,
    endpoint: cell.simulatorUrl,
    accountId: "000000000000",
    partition: "aws",
  });
  let wrong = 0;
  for (const { name, end } of domains) {
    const isThere = (await provider.findIdentity(name)) !== undefined;
    if (isThere !== (end !== "gone")) wrong += 1;
  }
  return wrong;
}
