import { textArray, uuidArray } from "../db/array-param.ts";
import type { AccountDatabase } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";

/**
 * Spells each recipient as the caller wrote it in the send. Events store the form in which addresses are compared. A recipient that is
 * not in the send, or whose send is no longer stored, stays as it is.
 */
export async function withGivenRecipients<Event extends { sendId: string; recipient: string }>(
  db: AccountDatabase,
  events: Event[],
): Promise<Event[]> {
  if (events.length === 0) return events;
  const rows = await db.query<{ position: number; given: string }>({
    name: "find-given-recipients",
    text: `
      select wanted.position::int as position, send.given
      from unnest($2::uuid[], $3::text[]) with ordinality as wanted (send_id, recipient, position)
      cross join lateral ${indexLookup(`
        select s.to_addresses[array_position(coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]), wanted.recipient)] as given
        from sends s
        where s.account_id = $1
          and s.id = wanted.send_id`)} as send
      where send.given is not null`,
    values: [
      db.accountId,
      uuidArray(events.map(({ sendId }) => sendId)),
      textArray(events.map(({ recipient }) => recipient)),
    ],
    isPlannedEachTime: true,
  });
  const givenAt = new Map(rows.map(({ position, given }) => [position - 1, given]));
  return events.map((event, index) => ({ ...event, recipient: givenAt.get(index) ?? event.recipient }));
}
