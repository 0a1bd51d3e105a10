import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";

/** The first code that knows of moves (migrations/0088). */
const knowsMoves = 88;

/**
 * Older code would give the account another key for its fingerprints, and so accept a repeated request as a new mail. From here on no such
 * process may accept or claim in the cell, also after a rollback (db/code-range.ts).
 */
export async function requireCode(db: Queryable, cell: string): Promise<void> {
  const [row] = await db.query<{ older: string[] | null }>({
    name: "require-code-of-moves",
    text: `
      with older as materialized (
        select name
        from processes
        where stopped_at is null
          and seen_at > now() - interval '20 seconds'
          and coalesce(code_level, 0) < $1
      ), raised as (
        update schema_range
        set oldest_code = $1, raised_at = clock_timestamp()
        where oldest_code < $1
          and not exists (select from older)
      )
      select array_agg(name order by name) as older
      from older`,
    values: [knowsMoves],
  });
  if (row?.older == null) return;
  throw new AppError(
    "CONFLICT",
    `In the cell ${cell} these processes run older code: ${row.older.join(", ")}. Upgrade them, then run the command again.`,
  );
}
