import { textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { SubmissionEvidence } from "../queue/confirm-submission.ts";

/**
 * Finds the evidence that is new. Most events concern sends that are already confirmed with the same message id, and those need no
 * lock. It reads without locking; a send that it misses is confirmed by its next event.
 *
 * `moved`: the sends whose account was frozen for its move to another cell or lives there, with that account. A failover may have undone a
 * release (`unknown`), so that the account may live there too.
 */
export async function findUnconfirmed(db: Queryable, evidence: SubmissionEvidence[]) {
  const rows = await db.query<{
    id: string;
    messageId: string;
    isKnown: boolean;
    isConfirmed: boolean;
    movedAccount: string | null;
  }>({
    name: "find-unconfirmed",
    text: `
      select evidence.id, evidence.message_id as "messageId", s.id is not null as "isKnown",
        coalesce(s.provider_message_id = evidence.message_id, false) as "isConfirmed",
        case when s.account_id in (
          select account_id
          from outgoing_moves
          where state in ('frozen', 'released', 'unknown')
        ) then s.account_id end as "movedAccount"
      from unnest($1::uuid[], $2::text[]) as evidence (id, message_id)
      left join lateral ${indexLookup(`
        select s.id, s.provider_message_id, s.account_id
        from sends s
        where s.id = evidence.id`)} as s on true`,
    values: [
      uuidArray(evidence.map(({ sendId }) => sendId)),
      textArray(evidence.map(({ providerMessageId }) => providerMessageId)),
    ],
  });
  const isNew = new Set(
    rows
      .filter((row) => row.isKnown && !row.isConfirmed && row.movedAccount === null)
      .map((row) => `${row.id}/${row.messageId}`),
  );
  return {
    unconfirmed: evidence.filter((one) => isNew.has(`${one.sendId}/${one.providerMessageId}`)),
    unknownSends: rows.filter((row) => !row.isKnown).map((row) => row.id),
    moved: new Map(
      rows.flatMap(({ id, movedAccount }) => (movedAccount === null ? [] : [[id, movedAccount] as const])),
    ),
  };
}
