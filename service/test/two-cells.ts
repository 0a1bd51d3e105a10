import { createSecretKey, randomBytes, randomUUIDv7 } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import type { Database } from "../src/db/database.ts";
import type { CopyDeps } from "../src/moves/copy-records/copy-deps.ts";
import type { SecretPair } from "../src/secret.ts";
import { testContentKeys } from "./send-builders.ts";
import { change } from "./send-rows.ts";
import { copyTemplate, openTestDatabase } from "./template-database.ts";

/** The id is longer than that of the source, so sealed bytes have another length. */
export const targetContentKeys: SecretPair = {
  current: { id: "content-of-the-target", key: createSecretKey(randomBytes(32)) },
  second: undefined,
};

/** Two databases for one test. The keys of the source are those of the builders. */
export async function twoCells(): Promise<{ source: Database; target: Database }> {
  const [source, target] = [await aCell(), await aCell()];
  return { source, target };
}

async function aCell(): Promise<Database> {
  const copy = await copyTemplate(inject("serverUrl"));
  const db = openTestDatabase(copy.url);
  onTestFinished(async () => {
    await db.close();
    await copy.drop();
  });
  return db;
}

/** A move that has begun: what `copyPass` needs, with the guard of the target. */
export async function aMove(
  cells: { source: Database; target: Database },
  accountId: string,
  pepperNames: [string, string][] = [["k1", "k1-of-source"]],
): Promise<CopyDeps> {
  const { source, target } = cells;
  const moveId = randomUUIDv7();
  await change(
    target,
    "insert into incoming_moves (account_id, move_id, run_id, source_url, source_cell) values ($1, $2, $2, 'https://source.test', 'AA')",
    [accountId, moveId],
  );
  return {
    source,
    target,
    accountId,
    keys: {
      source: testContentKeys,
      target: targetContentKeys,
      pepperNames: new Map(pepperNames),
      fingerprintKey: null,
    },
    span: "month",
    inTarget: (work) =>
      target.withTransaction(async (tx) => {
        await tx.query({ name: "one-snapshot", text: "set transaction isolation level repeatable read" });
        const rows = await tx.query<{ isPart: string }>({
          name: "lock-move",
          text: `select set_config('postern.moves_account', 'on', true) as "isPart"
            from incoming_moves where account_id = $1 and move_id = $2 and state = 'copying' for share`,
          values: [accountId, moveId],
        });
        if (rows.length === 0) throw new Error("the move has ended");
        return work(tx);
      }),
  };
}

const isMember = "in (select m.user_id from memberships m where m.account_id = $1)";
const isOfSend = "in (select s.id from sends s where s.account_id = $1)";

/** Which rows of the account have equal ones in the target after a last pass, and without which columns. */
const compared: Record<string, { where?: string; without?: string[] }> = {
  accounts: {
    where: "t.id = $1",
    without: ["suspended_at", "tenant_ready_at", "domain_changes_at", "fingerprint_key"],
  },
  users: { where: `t.id ${isMember}`, without: ["totp_secret", "is_operator", "operator_since"] },
  memberships: {},
  recovery_codes: { where: `t.user_id ${isMember}` },
  oidc_identities: { where: `t.user_id ${isMember}` },
  api_keys: { without: ["pepper_id"] },
  api_key_secrets: { without: ["pepper_id"] },
  account_quotas: {},
  sends: {},
  send_attempts: { where: `t.send_id ${isOfSend}` },
  idempotency_keys: {},
  events: {},
  delivery_delays: {},
  suppressions: {},
  removed_suppressions: { without: ["provider_status", "provider_next_try_at"] },
  notifications: {},
  webhook_endpoints: {},
  webhook_secrets: { without: ["sealed"] },
  webhook_replays: { where: "t.account_id = $1 and t.state <> 'running'" },
  webhook_deliveries: {},
  webhook_attempts: {
    where: "t.account_id = $1 and t.delivery_id in (select d.id from webhook_deliveries d where d.account_id = $1)",
  },
  audit_entries: {},
  logged_requests: {},
  logged_request_hours: {},
  usage_hours: {},
  usage_key_hours: {},
  usage_refusals: {},
  usage_tag_days: {},
  usage_tags: {},
  guard_counts: {},
};

/** Every row of the account by table, in an order that does not depend on the collation. */
export async function recordsOf(db: Database, accountId: string): Promise<Record<string, string[]>> {
  const records: Record<string, string[]> = {};
  for (const [table, { where = "t.account_id = $1", without = [] }] of Object.entries(compared)) {
    const rows = await db.query<{ row: string }>({
      name: `records-of-${table}`,
      text: `select (to_jsonb(t) - $2::text[])::text as row from ${table} t where ${where}`,
      values: [accountId, without],
    });
    records[table] = rows.map(({ row }) => row).toSorted();
  }
  return records;
}
