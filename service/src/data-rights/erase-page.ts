import type { Database } from "../db/database.ts";
import { erasedAddress } from "../erased-address.ts";
import { type AddressPatterns, inName } from "./address-patterns.ts";
import type { ColumnKind, ErasedTable } from "./erased-columns.ts";
import { advance, countErased } from "./erasure-store.ts";

export interface ErasureScope extends AddressPatterns {
  erasureId: string;
  /** Undefined: all accounts. */
  accountId: string | undefined;
}

export interface ErasedPage {
  /** The key of the last row that was read; null at the end of the table. */
  position: string[] | null;
  read: number;
  erased: number;
}

const rowsPerPage = 5_000;
const namePattern = inName("$2");

/**
 * Reads the next rows of a table in the order of its primary key, replaces the address in them, and moves the position of the run in the
 * same commit. Serves all accounts: without an account the run erases the address in every one of them.
 */
export async function erasePage(db: Database, scope: ErasureScope, table: ErasedTable, after: string[]) {
  const statement = {
    name: `erase-${table.step ?? table.table}`,
    text: pageStatement(table),
    values: [scope.erasureId, scope.inText, scope.inMailbox, after, scope.accountId ?? null, scope.rough, rowsPerPage],
  };
  const rows =
    table.table === "audit_entries"
      ? await db.withTransaction(async (tx) => {
          await tx.query({
            name: "allow-audit-erasure",
            text: "select set_config('postern.address_erasure', 'on', true)",
          });
          return tx.query<ErasedPage>(statement);
        })
      : await db.query<ErasedPage>({ ...statement, changesSends: true });
  return rows[0] ?? { position: null, read: 0, erased: 0 };
}

function pageStatement({ table, step = table, key, columns, account, isDeleted, condition }: ErasedTable): string {
  const names = key.map(([name]) => name);
  const after = key.map(([, type], index) => `($4::text[])[${index + 1}]::${type}`);
  const set = Object.entries(columns).map(([column, kind]) => `${column} = ${withoutAddress(`t.${column}`, kind)}`);
  const isSame = names.map((name) => `t.${name} between hits.${name} and hits.${name}`).join(" and ");
  const change = isDeleted
    ? `delete from ${table} t using hits where ${isSame}`
    : `update ${table} t set ${set.join(", ")} from hits where ${isSame}`;
  const read = [...new Set([...names, ...Object.keys(columns), ...accountColumns(account)])];
  return `
      with page as materialized (
        select ${names.map((name) => `t.${name}`).join(", ")}, ${hasAddress("t", columns)}${condition === undefined ? "" : ` and ${condition}`} as is_hit,
          case when ${hasAddress("t", columns)} then ${account} end as account_id_of_row
        from (
          select ${read.join(", ")}
          from ${table}
          where (${names.join(", ")}) > (${after.join(", ")})
          order by ${names.join(", ")}
          limit $7
        ) as t
      ), hits as materialized (
        select ${names.join(", ")}, account_id_of_row
        from page
        where is_hit
          and ($5::uuid is null or account_id_of_row is null or account_id_of_row = $5)
        order by ${names.join(", ")}
      ), erased as (
        ${change}
      )${table === "events" || table === "delivery_delays" ? markSends(table) : ""}, ${countErased(table, "select account_id_of_row as account_id from hits")}, last_read as materialized (
        select array[${names.map((name) => `${name}::text`).join(", ")}] as position
        from page
        order by ${names.map((name) => `${name} desc`).join(", ")}
        limit 1
      ), ${advance(`'${step}'`)}
      select (select position from last_read) as position, (select count(*) from page) as read, (select count(*) from hits) as erased
      -- Not every table uses all patterns, and PostgreSQL wants to know the type of each.
      where $2::text is not null and $3::text is not null and $6::text is not null`;
}

/** A report about an address that is not a recipient, such as one to which the mail was forwarded: the next one must not write it back. */
function markSends(table: string): string {
  return `, marked as (
        update sends s
        set erased_at = now()
        from (select distinct t.send_id from ${table} t join hits on t.id between hits.id and hits.id) as of_hits
        where s.id between of_hits.send_id and of_hits.send_id
          and s.erased_at is null
      )`;
}

/** The columns that the expression of the account reads. */
function accountColumns(account: string): string[] {
  return [...account.matchAll(/\bt\.(\w+)/g)].flatMap(([, column]) => column ?? []);
}

/** SQL: one of the columns of `alias` has the address. `$2` is `inText`, `$3` is `inMailbox`, `$6` is `rough`. */
export function hasAddress(alias: string, columns: Record<string, ColumnKind>): string {
  const found = Object.entries(columns).map(([column, kind]) => {
    const value = `${alias}.${column}`;
    if (kind === "mailbox") return isHit(value);
    if (kind === "mailboxes") return `exists (select from unnest(${value}) as one where ${isHit("one")})`;
    const text = kind === "json" ? `${value}::text` : value;
    return `(${text} ilike $6 and ${text} ~* $2)`;
  });
  return `coalesce(${found.map((each) => `coalesce(${each}, false)`).join(" or ")}, false)`;
}

/** SQL: the mailbox is the address, or has it in its name. */
function isHit(mailbox: string): string {
  return `(${mailbox} ~* $3 or ${mailbox} ~* ${namePattern})`;
}

/** SQL: the value without the address; null stays null. */
export function withoutAddress(value: string, kind: ColumnKind): string {
  const replaced = (text: string) => `regexp_replace(${text}, $2, '${erasedAddress}', 'gi')`;
  switch (kind) {
    case "text":
      return replaced(value);
    case "envelope":
      return `case when octet_length(${replaced(value)}) <= 16384 then ${replaced(value)} else '{}' end`;
    case "json":
      return `${replaced(`${value}::text`)}::jsonb`;
    case "mailbox":
      return erasedMailbox(value);
    case "mailboxes":
      return `case when ${value} is not null then array(
            select ${erasedMailbox("one")}
            from unnest(${value}) with ordinality as given (one, position)
            order by position
          ) end`;
  }
}

/** SQL: the address of another person stays, without the erased one in its name. */
function erasedMailbox(value: string): string {
  return `case when ${value} ~* $3 then '${erasedAddress}' else regexp_replace(${value}, ${namePattern}, '${erasedAddress}', 'gi') end`;
}
