import type { Actor } from "../../actor.ts";
import { auditEntry } from "../../audit/audit-entry.ts";
import type { Queryable } from "../../db/database.ts";
import { AppError } from "../../errors.ts";

/** Every run has its entry, before it reads a row. Returns the time of the entry. */
export async function noteExport(
  db: Queryable,
  accountId: string,
  actor: Actor,
  isContinued: boolean,
): Promise<string> {
  const [row] = await db.query<{ at: string }>({
    name: "note-export",
    text: `
      with exported as (
        select id, name
        from accounts
        where id = $1
      ), ${auditEntry({
        action: "account.export",
        actor: "$2",
        target: { kind: "account", id: "exported.id", name: "exported.name" },
        after: { continued: "$3::boolean" },
        from: "exported",
      })}
      select now() as at
      from exported`,
    values: [accountId, JSON.stringify(actor), isContinued],
  });
  if (row === undefined) throw new AppError("NOT_FOUND", "The account was deleted.");
  return row.at;
}

export async function readTime(db: Queryable): Promise<string> {
  const [row] = await db.query<{ at: string }>({ name: "read-time", text: "select now() as at" });
  if (row === undefined) throw new Error("PostgreSQL returned no time");
  return row.at;
}
