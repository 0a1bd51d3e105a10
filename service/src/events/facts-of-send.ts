import { textArray, uuidArray } from "../db/array-param.ts";
import type { AccountDatabase } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";

interface AboutRecipient {
  sendId: string;
  recipient: string;
}

/** What the caller attached to the send. */
export interface SendExtras {
  tags: string[] | null;
  /** JSON. */
  metadata: string | null;
}

interface FactsRow extends SendExtras {
  position: number;
  given: string | null;
}

/**
 * Adds the tags and the metadata of the send, and spells each recipient as the caller wrote it. Events store the form in which addresses
 * are compared. A recipient that is not in the send, or whose send is no longer stored, stays as it is.
 */
export async function withFactsOfSend<Event extends AboutRecipient>(
  db: AccountDatabase,
  events: Event[],
): Promise<(Event & SendExtras)[]> {
  if (events.length === 0) return [];
  const rows = await db.query<FactsRow>({
    name: "find-facts-of-sends",
    text: `
      with found as materialized (
        select send.*
        from (select distinct send_id from unnest($2::uuid[]) as wanted (send_id)) as wanted
        cross join lateral ${indexLookup(`
          select s.id, s.to_addresses, coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]) as recipient_keys, s.tags, s.metadata
          from sends s
          where s.account_id = $1
            and s.id = wanted.send_id`)} as send
      )
      select wanted.position::int as position, found.to_addresses[array_position(found.recipient_keys, wanted.recipient)] as given,
        found.tags, found.metadata
      from unnest($2::uuid[], $3::text[]) with ordinality as wanted (send_id, recipient, position)
      join found on found.id = wanted.send_id`,
    values: [
      db.accountId,
      uuidArray(events.map(({ sendId }) => sendId)),
      textArray(events.map(({ recipient }) => recipient)),
    ],
    isPlannedOnce: true,
  });
  const factsAt = new Map(rows.map((row) => [row.position - 1, row]));
  return events.map((event, index) => {
    const { given = null, tags = null, metadata = null } = factsAt.get(index) ?? {};
    return { ...event, recipient: given ?? event.recipient, tags, metadata };
  });
}
