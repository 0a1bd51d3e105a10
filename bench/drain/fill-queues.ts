import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { TestSender } from "../../service/proofs/sends/sending-client.ts";
import type { Database } from "../../service/src/db/database.ts";
import { sealContent } from "../../service/src/sends/content.ts";
import { testContentKeys } from "../../service/test/send-builders.ts";

const bodyBytes = 2_000;
const subject = "Your order";

/** Queues sends as the API does, in one commit: one recipient each, the senders rotate. */
export async function fillQueue(db: Database, senders: TestSender[], count: number): Promise<void> {
  const rows = mails(senders, count).map((mail) => ({ ...mail, sealed: seal(mail) }));
  await db.query({
    name: "fill-queue",
    text: `
      with given as materialized (
        select id, account_id, sender, recipient, sealed, position
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bytea[])
          with ordinality as given (id, account_id, sender, recipient, sealed, position)
      ), stored as (
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
        select id, account_id, 'live', 'queued', sender, array[recipient], 1, 0, $6
        from given
      ), kept as (
        insert into send_contents (id, sealed)
        select id, sealed
        from given
      )
      insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
      select id, account_id, 'live', now() + position * interval '1 ms', split_part(sender, '@', 2), array[recipient]
      from given`,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ sender }) => sender.accountId),
      rows.map(({ sender }) => sender.from),
      rows.map(({ recipient }) => recipient),
      rows.map(({ sealed }) => sealed),
      subject,
    ],
  });
  await db.query({ name: "analyze-queue", text: "analyze sends, send_contents, send_queue" });
}

export async function fillBaselineQueue(db: Database, senders: TestSender[], count: number): Promise<void> {
  await db.query({
    name: "make-baseline-queue",
    text: `
      create table if not exists baseline_queue (
        id uuid primary key,
        status text not null,
        from_address text not null,
        to_address text not null,
        subject text not null,
        content text not null,
        sent_at timestamptz,
        provider_message_id text
      )`,
  });
  await db.query({
    name: "index-baseline-queue",
    text: `create index if not exists baseline_queue_idx on baseline_queue (id) where status = 'queued'`,
  });
  const rows = mails(senders, count);
  await db.query({
    name: "fill-baseline-queue",
    text: `
      insert into baseline_queue (id, status, from_address, to_address, subject, content)
      select id, 'queued', sender, recipient, $5, content
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as given (id, sender, recipient, content)`,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ sender }) => sender.from),
      rows.map(({ recipient }) => recipient),
      rows.map(({ text }) => text),
      subject,
    ],
  });
}

interface Mail {
  id: string;
  sender: TestSender;
  recipient: string;
  text: string;
}

function mails(senders: TestSender[], count: number): Mail[] {
  return Array.from({ length: count }, (_, number) => ({
    id: randomUUIDv7(),
    sender: senders[number % senders.length] as TestSender,
    recipient: `to-${number}@example.test`,
    text: randomBytes((bodyBytes * 3) / 4).toString("base64url"),
  }));
}

function seal({ id, sender, recipient, text }: Mail): Buffer {
  const from = { name: "Shop", address: sender.from };
  const content = { from, to: [recipient], cc: [], bcc: [], replyTo: undefined, subject, html: undefined, text };
  return sealContent(testContentKeys.current, { accountId: sender.accountId, sendId: id }, content);
}
