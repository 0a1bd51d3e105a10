import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { type Suppression, suppressionColumns } from "./suppression-store.ts";

export interface ManualSuppression {
  mode: Mode;
  /** In lower case. */
  email: string;
  note: string | undefined;
}

export interface AddedSuppression {
  suppression: Suppression;
  /** False when the address was suppressed before. Its entry stays as it was. */
  isNew: boolean;
}

/** Puts an address on the list by hand. Sends that are accepted or claimed after the commit do not go to it. */
export async function addSuppression(
  db: AccountDatabase,
  { mode, email, note }: ManualSuppression,
): Promise<AddedSuppression> {
  const [row] = await db.query<Suppression & { isNew: boolean }>({
    name: "add-suppression",
    text: `
      with added as (
        insert into suppressions as known (account_id, id, mode, email, reason, note)
        values ($1, new_id_at(now()), $2, $3, 'manual', $4)
        -- Changes nothing, but returns the entry, also one that another transaction has just added.
        on conflict (account_id, mode, email) do update
        set reason = known.reason
        returning ${suppressionColumns}, xmax = 0 as "isNew" -- 0 only for a new row
      ), ${auditEntry({
        action: "suppression.add",
        actor: "$5",
        target: { kind: "suppression", id: "added.email", name: "added.email" },
        after: { mode: "added.mode", reason: "added.reason", note: "added.note" },
        from: `added where added."isNew"`,
      })}
      select *
      from added`,
    values: [db.accountId, mode, email, note ?? null, JSON.stringify(db.actor)],
  });
  if (row === undefined) throw new Error("an insert that returns its row returned none");
  const { isNew, ...suppression } = row;
  return { suppression, isNew };
}
