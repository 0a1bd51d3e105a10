import type { Database } from "../../db/database.ts";
import type { PartitionSpan } from "../../storage/partitions.ts";

/** SQL: the oldest id of account `$1`. Contents need no partitions: their copies are in tables without. */
const oldestIds = {
  sends: oldest("sends", "t.account_id = $1 and t.mode = 'live'", "t.account_id = $1 and t.mode = 'test'"),
  events: oldest("events", "t.account_id = $1 and t.mode = 'live'", "t.account_id = $1 and t.mode = 'test'"),
  audit_entries: oldest("audit_entries", "t.account_id = $1"),
  notifications: oldest(
    "notifications",
    "t.account_id = $1 and t.mode = 'live'",
    "t.account_id = $1 and t.mode = 'test'",
  ),
  webhook_deliveries: `
    select oldest.id
    from webhook_endpoints e
    cross join lateral (${oldest("webhook_deliveries", "t.endpoint_id = e.id")}) as oldest
    where e.account_id = $1`,
  logged_requests: oldest("logged_requests", "t.account_id = $1"),
} as const;

type PastTable = keyof typeof oldestIds | "webhook_attempts";

/** No attempt is older than its delivery. */
const pastTables: readonly [PastTable, keyof typeof oldestIds][] = [
  ["sends", "sends"],
  ["events", "events"],
  ["audit_entries", "audit_entries"],
  ["notifications", "notifications"],
  ["webhook_deliveries", "webhook_deliveries"],
  ["webhook_attempts", "webhook_deliveries"],
  ["logged_requests", "logged_requests"],
];

/** Makes the partitions of the target for the oldest rows of the account, and returns their names. Rows without one raise an alarm. */
export async function makePastPartitions(
  source: Database,
  target: Database,
  { accountId, span }: { accountId: string; span: PartitionSpan },
): Promise<string[]> {
  const made: string[] = [];
  for (const [table, like] of pastTables) {
    const first = await findOldest(source, accountId, like);
    if (first === null) continue;
    for (let name = await makeOne(target, table, span, first); name !== null; ) {
      made.push(name);
      name = await makeOne(target, table, span, first);
    }
  }
  return made;
}

async function findOldest(source: Database, accountId: string, table: keyof typeof oldestIds): Promise<string | null> {
  const [row] = await source.query<{ first: string | null }>({
    name: `find-oldest-of-${table}`,
    text: `
      select time_of_id(min(id::text)::uuid)::text as first
      from (${oldestIds[table]}) as oldest`,
    values: [accountId],
    isPlannedEachTime: true,
  });
  return row?.first ?? null;
}

async function makeOne(target: Database, table: PastTable, span: PartitionSpan, first: string): Promise<string | null> {
  const [row] = await target.query<{ name: string | null }>({
    name: "make-past-partition",
    text: `
      select make_past_partition($1, $2, $3::timestamptz) as name`,
    values: [table, spanOf(table, span), first],
  });
  return row?.name ?? null;
}

/** As in storage/partitions.ts. */
function spanOf(table: PastTable, span: PartitionSpan): PartitionSpan | "day" {
  switch (table) {
    case "notifications":
    case "webhook_deliveries":
    case "webhook_attempts":
      return "week";
    case "audit_entries":
      return "month";
    case "logged_requests":
      return "day";
    case "sends":
    case "events":
      return span;
  }
}

function oldest(table: string, ...conditions: string[]): string {
  return conditions
    .map((condition) => `(select t.id from ${table} t where ${condition} order by t.id limit 1)`)
    .join(" union all ");
}
