import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import type { ReportedMail } from "./event-texts.ts";

interface SentSends {
  accountId: string;
  count: number;
  /** How many recipients the send with this number has. */
  recipientsOf?: (number: number) => number;
}

/** Sends as they are when SES has taken them and told nothing yet, and their mails as SES knows them. */
export async function storeSentSends(db: Database, options: SentSends): Promise<ReportedMail[]> {
  const { accountId, count, recipientsOf = () => 1 } = options;
  const acceptedAt = new Date(Date.now() - 5_000).toISOString();
  const mails = Array.from({ length: count }, (_, number) => {
    const sendId = randomUUIDv7();
    const recipients = Array.from(Array(recipientsOf(number)).keys(), (place) => `to-${place}-${sendId}@example.test`);
    return { sendId, attempt: 1, messageId: `m-${sendId}`, acceptedAt, recipients };
  });
  await db.query({
    name: "store-sent-sends",
    text: `
      insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, sent_at,
        provider_message_id)
      select id, $3, 'live', 'sent', 'orders@shop.test', array(
          select 'to-' || place || '-' || id || '@example.test'
          from generate_series(0, recipients - 1) as place
        ), recipients, 0, 'Your order', now(), 'm-' || id
      from unnest($1::uuid[], $2::integer[]) as given (id, recipients)`,
    values: [mails.map(({ sendId }) => sendId), mails.map(({ recipients }) => recipients.length), accountId],
  });
  return mails;
}
