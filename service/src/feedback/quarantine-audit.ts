import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Transaction } from "../db/database.ts";

interface QuarantineAction {
  /** The account in which the operator is logged in: a notification that could not be applied belongs to none. */
  accountId: string;
  actor: Actor;
  /** Null for all entries. */
  entryId: number | null;
}

/** In the transaction that reads the notification, which contains addresses. */
export async function recordQuarantineRead(tx: Transaction, { accountId, actor, entryId }: QuarantineAction) {
  await tx.query({
    name: "record-quarantine-read",
    text: `
      with ${auditEntry({
        action: "quarantine.read",
        actor: "$2",
        target: { kind: "quarantine", id: "$3::bigint" },
        from: "(values (true)) as done",
      })}
      select`,
    values: [accountId, JSON.stringify(actor), entryId],
  });
}

/** In the transaction of the replay. */
export async function recordQuarantineReplay(
  tx: Transaction,
  { accountId, actor, entryId, due }: QuarantineAction & { due: number },
) {
  await tx.query({
    name: "record-quarantine-replay",
    text: `
      with ${auditEntry({
        action: "quarantine.replay",
        actor: "$2",
        target: { kind: "quarantine", id: "$3::bigint" },
        after: { due: "$4::integer" },
        from: "(values (true)) as done",
      })}
      select`,
    values: [accountId, JSON.stringify(actor), entryId, due],
  });
}
