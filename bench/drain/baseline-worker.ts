import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import pg from "pg";

/**
 * A bare worker: it claims rows with `for update skip locked`, makes the same call with the same SDK, and marks the rows as
 * sent. It is as fast as a loop without checks can be: it claims as many rows as it has free slots and marks them in
 * batches. It has no leases, fences, pacing, suppressions or in-doubt handling, and stores the content unsealed.
 */
const slots = Number(process.env.SLOTS);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
const ses = new SESv2Client({ maxAttempts: 1 });

interface Row {
  id: string;
  from_address: string;
  to_address: string;
  subject: string;
  content: string;
}

let free = slots;
let sent: { id: string; messageId: string }[] = [];
let isMarking = false;
let left = true;
let wake: () => void = () => undefined;

while (left || free < slots) {
  if (free === 0 || !left) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    continue;
  }
  const { rows } = await pool.query<Row>({
    name: "claim",
    text: `
      with picked as (
        select id from baseline_queue where status = 'queued' order by id limit $1 for update skip locked
      )
      update baseline_queue q set status = 'processing' from picked where q.id = picked.id
      returning q.id, q.from_address, q.to_address, q.subject, q.content`,
    values: [free],
  });
  left = rows.length > 0;
  free -= rows.length;
  for (const row of rows) void submit(row);
}
await pool.end();

async function submit(row: Row): Promise<void> {
  const { MessageId } = await ses.send(
    new SendEmailCommand({
      FromEmailAddress: row.from_address,
      Destination: { ToAddresses: [row.to_address] },
      Content: { Simple: { Subject: { Data: row.subject }, Body: { Text: { Data: row.content } } } },
      ConfigurationSetName: "postern-AA",
      EmailTags: [{ Name: "send_id", Value: row.id }],
    }),
  );
  sent.push({ id: row.id, messageId: MessageId ?? "" });
  if (!isMarking) await mark();
}

async function mark(): Promise<void> {
  isMarking = true;
  while (sent.length > 0) {
    const done = sent;
    sent = [];
    await pool.query({
      name: "mark",
      text: `
        update baseline_queue q set status = 'sent', provider_message_id = done.message_id, sent_at = now()
        from unnest($1::uuid[], $2::text[]) as done (id, message_id) where q.id = done.id`,
      values: [done.map(({ id }) => id), done.map(({ messageId }) => messageId)],
    });
    free += done.length;
    wake();
  }
  isMarking = false;
}
