import type { Database } from "../src/db/database.ts";

export interface AuditRow {
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  action: string;
  target_id: string | null;
  target_name: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  address: string | null;
  request_id: string | null;
  reason: string | null;
}

/** Oldest first, in all accounts or in one. */
export function auditRows(db: Database, accountId: string, action?: string): Promise<AuditRow[]> {
  return db.query<AuditRow>({
    name: "audit-rows",
    text: "select * from audit_entries where account_id = $1 and ($2::text is null or action = $2) order by at, id",
    values: [accountId, action ?? null],
  });
}

/** Whether the SQL condition holds for the subject. */
export async function isTrue(db: Database, condition: string, subject: string | number): Promise<boolean> {
  const [row] = await db.query<{ value: boolean }>({
    name: "is-true",
    text: `select ${condition} as value`,
    values: [subject],
    isPlannedEachTime: true,
  });
  return row?.value === true;
}
