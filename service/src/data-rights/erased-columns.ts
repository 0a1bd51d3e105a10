/**
 * `mailbox`: an address, perhaps with a name. If it is the address of another person, it is replaced in the name. Otherwise the whole value
 * is replaced, because the name is of the same person.
 * `envelope`: a text of at most 16 KiB.
 */
export type ColumnKind = "text" | "envelope" | "json" | "mailbox" | "mailboxes";

export interface ErasedTable {
  table: string;
  /** The table, unless it has two steps. */
  step?: string;
  /** The primary key, in its order, with the type of each column. */
  key: [column: string, type: keyof typeof firstOfType][];
  columns: Record<string, ColumnKind>;
  /** SQL: the account of a row `t`; null for a row that belongs to none, which every run erases. */
  account: string;
  /** The rows have no use without the address. */
  isDeleted?: true;
  /** SQL conditions of a row `t`, beside the address in it. */
  condition?: string;
}

/** Before all values of the type. */
export const firstOfType = {
  uuid: "00000000-0000-0000-0000-000000000000",
  text: "",
  integer: "-1",
  bigint: "-1",
} as const;

const id: ErasedTable["key"] = [["id", "uuid"]];
const ownAccount = "t.account_id";
const noAccount = "null::uuid";
const accountOfSend = (sendId: string) => `(select s.account_id from sends s where s.id = ${sendId})`;

/**
 * The tables that can hold the address of a recipient, in the order in which they are erased; `sends` comes before all of them
 * (erase-sends.ts). Notifications come after what they are made from, and the answers of webhooks after the notifications.
 */
export const erasedTables: ErasedTable[] = [
  {
    table: "events",
    key: id,
    columns: { recipient: "mailbox", reply: "text", reporting_mta: "text" },
    account: ownAccount,
  },
  { table: "delivery_delays", key: id, columns: { recipient: "mailbox", reply: "text" }, account: ownAccount },
  {
    table: "send_attempts",
    key: [
      ["send_id", "uuid"],
      ["attempt", "integer"],
    ],
    columns: { detail: "text" },
    account: accountOfSend("t.send_id"),
  },
  {
    table: "idempotency_keys",
    key: [["key_hash", "uuid"]],
    columns: { suppressed_recipients: "mailboxes" },
    account: ownAccount,
  },
  // The hash of the text stays, so that the same text does not come back when the provider delivers it again.
  { table: "feedback_quarantine", key: [["id", "bigint"]], columns: { raw: "text" }, account: noAccount },
  {
    table: "sandbox_reports",
    key: [["id", "bigint"]],
    columns: { report: "json" },
    account: accountOfSend("(t.report ->> 'sendId')::uuid"),
  },
  { table: "moved_feedback", key: [["id", "bigint"]], columns: { feedback: "json" }, account: ownAccount },
  { table: "invitations", key: id, columns: { email: "mailbox" }, account: ownAccount, isDeleted: true },
  {
    table: "suppression_removals",
    key: [["email", "text"]],
    columns: { email: "mailbox" },
    account: noAccount,
    isDeleted: true,
    // The list of the provider serves all accounts.
    condition: `($5::uuid is null or not exists (
            select from removed_suppressions r where r.email = t.email and r.provider_status = 'pending' and r.account_id <> $5))`,
  },
  {
    table: "removed_suppressions",
    key: [
      ["account_id", "uuid"],
      ["mode", "text"],
      ["email", "text"],
    ],
    columns: { email: "mailbox" },
    account: ownAccount,
    isDeleted: true,
  },
  {
    table: "removed_suppressions",
    step: "removed_suppressions by",
    key: [
      ["account_id", "uuid"],
      ["mode", "text"],
      ["email", "text"],
    ],
    columns: { removed_by_name: "text" },
    account: ownAccount,
  },
  // The entry of the address itself stays. The note of another entry may name it.
  {
    table: "suppressions",
    key: [
      ["account_id", "uuid"],
      ["mode", "text"],
      ["email", "text"],
    ],
    columns: { note: "text" },
    account: ownAccount,
  },
  { table: "accounts", key: id, columns: { name: "text", hold_note: "text", guard_reason: "text" }, account: "t.id" },
  { table: "api_keys", key: id, columns: { name: "text", created_by_email: "text" }, account: ownAccount },
  { table: "domains", key: [["id", "integer"]], columns: { record_checks: "json" }, account: ownAccount },
  { table: "webhook_endpoints", key: id, columns: { description: "text" }, account: ownAccount },
  {
    table: "provider_state",
    key: [["mode", "text"]],
    columns: { operator_note: "text", findings: "json" },
    account: noAccount,
  },
  { table: "notifications", key: id, columns: { facts: "json", envelope: "envelope" }, account: ownAccount },
  {
    table: "webhook_attempts",
    key: id,
    columns: { url: "text", answer: "text", failure: "text" },
    account: ownAccount,
  },
  {
    table: "audit_entries",
    key: [
      ["account_id", "uuid"],
      ["id", "uuid"],
    ],
    columns: {
      actor_name: "text",
      target_id: "text",
      target_name: "text",
      before: "json",
      after: "json",
      reason: "text",
    },
    account: ownAccount,
  },
];
