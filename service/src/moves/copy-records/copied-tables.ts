/** A large table, or one that grows, and how the source finds the rows of account `$1` by an index, in the order of `key`. */
export interface CopiedTable {
  table: string;
  /** What `$2` is: one after the other. */
  scope: "mode" | "endpoint" | "account";
  /** SQL after `from`. The copied rows are called `t`; they are null for a parent without any. */
  from: string;
  where: string;
  /** SQL of each part of the key and its type, in the order of the index. */
  key: readonly (readonly [sql: string, type: string])[];
  /** SQL: is this row of `t` copied? Only for tables whose index finds rows of other accounts as well. */
  isOfAccount?: string;
  /** SQL: rows that are not copied before the last pass, and always in it. */
  isLate?: string;
  /** The unique columns of the table. */
  unique: readonly string[];
  /** SQL with the rows of the page as JSON in `$1`, before they are written. */
  before?: string;
  isFinal?: boolean;
  /** Columns with another value in the target: SQL over the row `r`. */
  changed?: Readonly<Record<string, string>>;
  /** Rows are deleted in the source, other than by a retention that the target has too. */
  isDeletedFrom?: boolean;
}

const ofMode = { scope: "mode", where: "t.account_id = $1 and t.mode = $2" } as const;
const ofAccount = { scope: "account", where: "t.account_id = $1 and $2::text is not null" } as const;

/** Rows of sends, found by the index of their send. A send without any is one row of nulls. */
function partOfSend(table: string, part: readonly [column: string, type: string, first: string], unique: string[]) {
  const [column, type, first] = part;
  return {
    table,
    scope: "mode",
    from: `sends s left join ${table} t on t.send_id = s.id`,
    where: "s.account_id = $1 and s.mode = $2",
    key: [
      ["s.id", "uuid"],
      [`coalesce(t.${column}, ${first})`, type],
    ],
    unique,
  } satisfies CopiedTable;
}

const byModeAndId = { ...ofMode, key: [["t.id", "uuid"]], unique: ["id"] } as const;
const noId = "'00000000-0000-0000-0000-000000000000'";

function byKey(table: string, columns: Record<string, string>, options: Partial<CopiedTable> = {}): CopiedTable {
  const key = Object.entries(columns).map(([column, type]) => [`t.${column}`, type] as const);
  return { table, ...ofAccount, from: `${table} t`, key, unique: ["account_id", ...Object.keys(columns)], ...options };
}

export const sendsTable: CopiedTable = {
  table: "sends",
  from: "sends t",
  ...byModeAndId,
  // The account may have lived here before.
  before: `
      delete from forgotten_sends f
      using json_populate_recordset(null::sends, $1::json) r
      where f.send_id = r.id`,
};

/** After sends: a trigger locks those of old events. */
export const eventsTable: CopiedTable = { table: "events", from: "events t", ...byModeAndId };

export const partsOfSends: readonly CopiedTable[] = [
  partOfSend("send_attempts", ["attempt", "integer", "0"], ["send_id", "attempt"]),
  partOfSend("delivery_delays", ["id", "uuid", noId], ["id"]),
];

/** All others. */
export const recordTables: readonly CopiedTable[] = [
  byKey(
    "suppressions",
    { mode: "text", email: "text" },
    {
      isDeletedFrom: true,
      // Removed and added again. Deleted first, because the counts of the list are those of the days of the ids.
      before: `
      delete from suppressions s
      using json_populate_recordset(null::suppressions, $1::json) r
      where (s.account_id, s.mode, s.email) = (r.account_id, r.mode, r.email)
        and s.id <> r.id`,
    },
  ),
  byKey(
    "removed_suppressions",
    { mode: "text", email: "text" },
    {
      isDeletedFrom: true,
      // The address is on the list of the provider's account of the source, which removes it there. It is not on that of the target.
      changed: {
        provider_status: "case when r.provider_status = 'pending' then 'not_needed' else r.provider_status end",
        provider_next_try_at: "null",
      },
    },
  ),
  // The target would pass on a notification without envelope while it does not know the endpoints.
  { table: "notifications", from: "notifications t", ...byModeAndId, isLate: "t.envelope is null" },
  {
    table: "webhook_deliveries",
    scope: "endpoint",
    from: "webhook_deliveries t",
    where: "t.account_id = $1 and t.endpoint_id = $2::uuid",
    key: [["t.id", "uuid"]],
    unique: ["id"],
  },
  {
    table: "webhook_attempts",
    scope: "endpoint",
    from: "webhook_deliveries d left join webhook_attempts t on t.delivery_id = d.id",
    where: "d.account_id = $1 and d.endpoint_id = $2::uuid",
    key: [
      ["d.id", "uuid"],
      [`coalesce(t.id, ${noId})`, "uuid"],
    ],
    unique: ["id"],
  },
  byKey("audit_entries", { id: "uuid" }, { isFinal: true }),
  byKey("logged_requests", { id: "uuid" }),
  byKey("logged_request_hours", { hour: "timestamptz", code: "text" }),
  ...[
    byKey("usage_hours", { mode: "text", hour: "timestamptz", domain: "text" }),
    byKey("usage_key_hours", { api_key_id: "uuid", hour: "timestamptz" }),
    byKey("usage_refusals", { api_key_id: "uuid", hour: "timestamptz", code: "text" }),
    byKey("usage_tag_days", { mode: "text", day: "date", tag: "text" }),
    byKey("usage_tags", { mode: "text", month: "date", tag: "text" }),
  ].map((table) => ({ ...table, isDeletedFrom: true })),
];

/** No index finds the keys of an account, so this reads those of all accounts. */
export const allKeys: CopiedTable = {
  table: "idempotency_keys",
  scope: "account",
  from: "idempotency_keys t",
  where: "$2::text is not null",
  isOfAccount: "t.account_id = $1",
  key: [["t.key_hash", "uuid"]],
  unique: ["key_hash"],
};
