import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../src/db/database.ts";
import type { Secret } from "../../src/secret.ts";
import { sealContent } from "../../src/sends/content.ts";

interface QueuedSends {
  accountId: string;
  fromDomain: string;
  count: number;
  contentKey: Secret;
}

/** Stores sends with one recipient each, in the state right after acceptance. Returns their ids. */
export async function queueSends(db: Database, options: QueuedSends): Promise<string[]> {
  const { accountId, fromDomain, count, contentKey } = options;
  const [from, subject] = [`orders@${fromDomain}`, "Your order"];
  const rows = Array.from({ length: count }, () => {
    const id = randomUUIDv7();
    const to = `to-${id}@example.test`;
    const rest = { cc: [], bcc: [], replyTo: undefined, subject, html: undefined, text: "It is on its way." };
    const content = { from: { name: "Shop", address: from }, to: [to], ...rest };
    return { id, to, sealed: sealContent(contentKey, { accountId, sendId: id }, content) };
  });
  await db.query({
    name: "queue-sends",
    text: `
      with given as materialized (
        select id, recipient, sealed
        from unnest($1::uuid[], $2::text[], $3::bytea[]) as given (id, recipient, sealed)
        order by id
      ), stored as (
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
        select id, $4::uuid, 'live', 'queued', $5::text, array[recipient], 1, 0, $6::text
        from given
      ), kept as (
        insert into send_contents (id, sealed)
        select id, sealed
        from given
      )
      insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
      select id, $4::uuid, 'live', now(), $7::text, array[recipient]
      from given`,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ to }) => to),
      rows.map(({ sealed }) => sealed),
      accountId,
      from,
      subject,
      fromDomain,
    ],
  });
  return rows.map(({ id }) => id);
}
