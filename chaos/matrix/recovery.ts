import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../service/proofs/until.ts";
import { createSesProvider } from "../../service/src/provider/ses/ses-provider.ts";
import { leaseSeconds } from "../../service/src/queue/claim-sends.ts";
import { posternProgram } from "../cell/programs.ts";
import { Supervised } from "../cell/supervised.ts";
import { inDoubtSeconds } from "../cell/waiting-times.ts";
import { countUnfinished } from "../check/stored-sends.ts";
import { startTrickle, trickleSeconds } from "../load/trickle.ts";
import type { MatrixContext } from "./matrix-context.ts";
import { points } from "./points.ts";

/** A domain check whose worker crashed is repeated after two minutes. */
const domainCheckSeconds = 120;
/** The worker deletes the identities of 20 removed domains every 30 seconds, and each round may leave three. */
const removalSecondsPerRound = 4.5;

/** The time within which healthy workers must finish the work that `rounds` rounds left behind. */
export function recoveryLimitSeconds(rounds: number): number {
  return Math.max(leaseSeconds + inDoubtSeconds, domainCheckSeconds) + removalSecondsPerRound * rounds + 60;
}

/** The number of unfinished items of each kind. */
export type Remaining = Record<string, number>;

/** Starts three healthy workers. Returns what they did not finish in time, and how long they took. */
export async function recover(context: MatrixContext, rounds: number, progress: (message: string) => void) {
  const { cell } = context;
  const chores = [...new Set(points.flatMap(({ chore }) => chore ?? []))];
  // Chores that wait for their next run become due now. Chores that a crashed process holds follow when its lease passes.
  await cell.db.query({ name: "chaos-chores-due", text: `update chore_runs set due_at = now()` });
  const since = new Date().toISOString();
  const workers = [1, 2, 3].map(
    (number) => new Supervised(posternProgram("worker", `healthy-${number}`, cell.folder, cell.environment)),
  );
  await Promise.all(workers.map((worker) => worker.start()));
  const started = performance.now();
  const trickle = startTrickle(cell);
  try {
    for (;;) {
      const remaining = await findRemaining(context, chores, since);
      const seconds = (performance.now() - started) / 1000;
      if (Object.values(remaining).every((count) => count === 0) || seconds > recoveryLimitSeconds(rounds)) {
        await trickle.stop();
        await until(
          "the last send of the trickle has its outcome",
          60,
          async () => (await countOpen(context)) === 0,
        ).catch(() => undefined);
        return { remaining, seconds };
      }
      const unfinished = Object.entries(remaining).filter(([, count]) => count > 0);
      progress(`recovering: ${unfinished.map(([what, count]) => `${count} ${what}`).join(", ")}`);
      await sleep(500);
    }
  } finally {
    await trickle.stop();
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

/** Counts the sends without an outcome. */
async function countOpen({ cell: { db } }: MatrixContext): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "chaos-open",
    text: `select count(*) as count from sends where status in ('queued', 'sent')`,
  });
  return row?.count ?? 0;
}

async function findRemaining(context: MatrixContext, chores: string[], since: string): Promise<Remaining> {
  const { db } = context.cell;
  const count = async (name: string, text: string, values: unknown[] = []) => {
    const [row] = await db.query<{ count: number }>({ name: `chaos-${name}`, text, values });
    return row?.count ?? 0;
  };
  const ran = await db.query<{ name: string }>({
    name: "chaos-chores-run",
    text: `select name from chores where ended_at > $1 and failing_since is null`,
    values: [since],
  });
  const ids = [...context.sends, ...context.testSends].map(({ id }) => id);
  return {
    "unfinished sends": await countUnfinished(db, trickleSeconds),
    "sends not delivered": await count(
      "undelivered",
      `select count(*) as count from sends where id = any($1::uuid[]) and status <> 'delivered'`,
      [ids],
    ),
    "domains in a wrong state": await countWrongDomains(context),
    "events in quarantine": await count("quarantined", `select count(*) as count from feedback_quarantine`),
    "pending removals from the provider's suppression list": await count(
      "unsuppressed",
      `select count(*) as count from suppression_removals`,
    ),
    "pending identity removals": await count("identities", `select count(*) as count from identity_removals`),
    "abandoned drafts": await count("drafts", `select count(*) as count from domains where registered_at is null`),
    "expired contents": await count("stray", `select count(*) as count from send_contents_default`),
    // By day, the request log has them for three weeks.
    "tables without partitions for three months": await count(
      "partitions",
      `select count(*) as count
       from (select parent, max(ends_at) as ends_at from partition_ranges group by parent) as tables
       where ends_at is null
          or ends_at < now() + case when parent = 'logged_requests' then interval '3 weeks' else interval '3 months' end`,
    ),
    "chores that did not run again": chores.filter((chore) => !ran.some(({ name }) => name === chore)).length,
  };
}

async function countWrongDomains({ cell, domains }: MatrixContext): Promise<number> {
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

/** The provider must have an identity for every existing domain and none for the removed ones. */
export async function countWrongIdentities({ cell, domains }: MatrixContext): Promise<number> {
  const { AWS_REGION: region = "" } = cell.environment;
  const provider = createSesProvider({
    region,
    endpoint: cell.simulatorUrl,
    accountId: "000000000000",
    partition: "aws",
  });
  let wrong = 0;
  for (const { name, end } of domains) {
    const hasIdentity = (await provider.findIdentity(name)) !== undefined;
    if (hasIdentity !== (end !== "gone")) wrong += 1;
  }
  return wrong;
}
