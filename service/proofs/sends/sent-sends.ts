import type { Database } from "../../src/db/database.ts";
import { newSendId } from "../../src/sends/send-id.ts";
import type { ReportedMail } from "../feedback/event-texts.ts";

interface SentSends {
  accountId: string;
  count: number;
  /** The number of recipients of the send with this number. */
  recipientsOf?: (number: number) => number;
}

/** Stores sends that SES has accepted and not yet reported on. Returns their mails as SES knows them. */
export async function storeSentSends(db: Database, options: SentSends): Promise<ReportedMail[]> {
  const { accountId, count, recipientsOf = () => 1 } = options;
  const acceptedAt = new Date(Date.now() - 5_000).toISOString();
  const mails = Array.from({ length: count }, (_, number) => {
    const sendId = newSendId(Date.parse(acceptedAt));
    const recipients = Array.from(Array(recipientsOf(number)).keys(), (index) => `to-${index}-${sendId}@example.test`);
    return { sendId, attempt: 1, messageId: `m-${sendId}`, acceptedAt, recipients };
  });
  await db.query({
    name: "store-sent-sends",
    text: `
      insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at,
        sent_at, provider_message_id)
      select id, $3, 'live', 'sent', 'orders@shop.test', array(
          select 'to-' || number || '-' || id || '@example.test'
          from generate_series(0, recipients - 1) as number
        ), recipients, 0, 'Your order', $4::timestamptz, $4::timestamptz, 'm-' || id
      from unnest($1::uuid[], $2::integer[]) as given (id, recipients)`,
    values: [
      mails.map(({ sendId }) => sendId),
      mails.map(({ recipients }) => recipients.length),
      accountId,
      acceptedAt,
    ],
  });
  return mails;
}
