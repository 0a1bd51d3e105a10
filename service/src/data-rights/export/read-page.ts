import type { Database } from "../../db/database.ts";
import { equalByIndex } from "../../db/stable-plan.ts";
import type { ExportedKind } from "./exported-kinds.ts";

export interface PageRequest {
  accountId: string;
  /** When the export began. */
  startedAt: string;
  /** The position of the page before; undefined for the first. */
  after: string[] | undefined;
  /** How many rows are read. Those of other accounts are not returned. */
  rows: number;
}

export interface ExportedPage {
  lines: string[];
  /** Of the last row that was read; undefined at the end. */
  position: string[] | undefined;
}

/** Reads the next rows of a kind as JSON. Each page is a short transaction of its own, so an export never holds back vacuum. */
export async function readPage(db: Database, kind: ExportedKind, request: PageRequest): Promise<ExportedPage> {
  const { accountId, startedAt, after, rows } = request;
  const found = await db.withTransaction(async (tx) => {
    // Without statistics PostgreSQL would collect all rows of the account and sort them, for each page.
    await tx.query({ name: "read-in-order", text: "select set_config('enable_bitmapscan', 'off', true)" });
    return tx.query<{ line: string | null; position: string[] }>({
      name: `export-${after === undefined ? "first-" : ""}${kind.name}`,
      text: statements[kind.readBy](kind, after !== undefined),
      values: [accountId, startedAt, rows, ...(after === undefined ? [] : [after])],
    });
  });
  return { lines: found.flatMap(({ line }) => line ?? []), position: found.at(-1)?.position };
}

const statements: Record<ExportedKind["readBy"], (kind: ExportedKind, isContinued: boolean) => string> = {
  account: (kind, isContinued) => `
      select ${position("t", kind.key)} as position, ${lineOf(kind)} as line
      from ${kind.table} t
      where t.${kind.account ?? "account_id"} = $1
        and ${isInRange(kind, isContinued)}
      order by ${columnsOf("t", kind.key)}
      limit $3`,
  sends: (kind, isContinued) => `
      select ${position("s", keyOfSends)} as position, part.line
      from (
        select t.mode, t.id
        from sends t
        where t.account_id = $1
          and ${isInRange({ key: keyOfSends, endsAtStart: true }, isContinued)}
        order by t.mode, t.id
        limit $3
      ) as s
      left join lateral (
        select ${lineOf(kind)} as line, ${columnsOf("t", kind.key)}
        from ${kind.table} t
        where ${equalByIndex("t.send_id", "s.id")}
        offset 0
      ) as part on true
      order by s.mode, s.id, ${columnsOf("part", kind.key)}`,
  // Reads rows of all accounts and returns those of one, and the position of the last one.
  table: (kind, isContinued) => `
      select ${position("t", kind.key)} as position, case when t.account_id = $1 then ${lineOf(kind)} end as line
      from (
        select account_id, ${kind.columns.replaceAll(" ", ", ")},
          lead(id) over (order by ${columnsOf("page", kind.key)}) is null as is_last
        from (
          select account_id, ${kind.columns.replaceAll(" ", ", ")}
          from ${kind.table} t
          where ${isInRange(kind, isContinued)}
          order by ${columnsOf("t", kind.key)}
          limit $3
        ) as page
      ) as t
      where t.account_id = $1
        or t.is_last
      order by ${columnsOf("t", kind.key)}`,
};

const keyOfSends: ExportedKind["key"] = [
  ["mode", "text"],
  ["id", "uuid"],
];

function columnsOf(alias: string, key: ExportedKind["key"]): string {
  return key.map(([column]) => `${alias}.${column}`).join(", ");
}

function position(alias: string, key: ExportedKind["key"]): string {
  return `array[${key.map(([column]) => `${alias}.${column}::text`).join(", ")}]`;
}

/** SQL: the row `t` is after the position `$4`, and not from after the start `$2`. */
function isInRange({ key, endsAtStart }: Pick<ExportedKind, "key" | "endsAtStart">, isContinued: boolean): string {
  const after = key.map(([, type], index) => `($4::text[])[${index + 1}]::${type}`).join(", ");
  return [
    endsAtStart ? "t.id < first_id_at($2::timestamptz)" : "$2::timestamptz is not null",
    ...(isContinued ? [`(${columnsOf("t", key)}) > (${after})`] : []),
  ].join(" and ");
}

/** SQL: a row `t` as one line. PostgreSQL writes it, so numbers and times keep all their digits. */
function lineOf({ columns, computed = {} }: ExportedKind): string {
  const fields = [
    ...columns.split(" ").map((column) => `t.${column}`),
    ...Object.entries(computed).map(([name, expression]) => `${expression} as "${name}"`),
  ];
  return `(select row_to_json(line)::text from (select ${fields.join(", ")}) as line)`;
}
