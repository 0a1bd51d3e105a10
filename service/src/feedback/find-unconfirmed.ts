import { textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import type { SubmissionEvidence } from "../queue/confirm-submission.ts";

/**
 * Which evidence tells something new: most events are about sends that are long known to be sent under the same name, and
 * for those nothing has to be locked. A plain look; what it overlooks for a moment is told again by the next event.
 */
export async function findUnconfirmed(db: Queryable, evidence: SubmissionEvidence[]) {
  const rows = await db.query<{ id: string; messageId: string; isKnown: boolean; isConfirmed: boolean }>({
    name: "find-unconfirmed",
    text: `
      select told.id, told.message_id as "messageId", s.id is not null as "isKnown",
        coalesce(s.provider_message_id = told.message_id, false) as "isConfirmed"
      from unnest($1::uuid[], $2::text[]) as told (id, message_id)
      left join lateral (
        select s.id, s.provider_message_id
        from sends s
        where s.id = told.id
        offset 0
      ) as s on true`,
    values: [
      uuidArray(evidence.map(({ sendId }) => sendId)),
      textArray(evidence.map(({ providerMessageId }) => providerMessageId)),
    ],
  });
  const isNews = new Set(
    rows.filter((row) => row.isKnown && !row.isConfirmed).map((row) => `${row.id}/${row.messageId}`),
  );
  return {
    unconfirmed: evidence.filter((one) => isNews.has(`${one.sendId}/${one.providerMessageId}`)),
    unknownSends: rows.filter((row) => !row.isKnown).map((row) => row.id),
  };
}
