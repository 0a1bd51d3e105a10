import { createHmac } from "node:crypto";
import { request } from "node:http";
import pg from "pg";

/**
 * A bare worker for the webhooks of one endpoint: it claims rows with `for update skip locked`, signs their body, posts it over a connection
 * of its own and marks the rows in batches. It has no leases, fences, retries or checks of the address, and stores no attempts.
 */
const slots = 4;
const { RECEIVER_URL = "" } = process.env;
const secret = Buffer.from("a secret of the baseline, 32 byte");
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });

interface Row {
  id: string;
  body: string;
}

let free = slots;
let delivered: string[] = [];
let isMarking = false;
let left = true;
let wake: () => void = () => undefined;

while (left || free < slots || isMarking) {
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
        select id from baseline_webhooks where state = 'pending' order by id limit $1 for update skip locked
      )
      update baseline_webhooks w set state = 'delivering' from picked where w.id = picked.id
      returning w.id, w.body`,
    values: [free],
  });
  left = rows.length > 0;
  free -= rows.length;
  for (const row of rows) void deliver(row);
}
await pool.end();

async function deliver({ id, body }: Row): Promise<void> {
  await post(id, body);
  delivered.push(id);
  free += 1;
  wake();
  if (!isMarking) await mark();
}

function post(id: string, body: string): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(RECEIVER_URL, { method: "POST", headers, agent: false }, (response) => {
      response.resume().on("end", resolve).on("error", reject);
    });
    outgoing.on("error", reject).end(body);
  });
}

async function mark(): Promise<void> {
  isMarking = true;
  while (delivered.length > 0) {
    const done = delivered;
    delivered = [];
    await pool.query({
      name: "mark",
      text: "update baseline_webhooks set state = 'delivered', delivered_at = now() where id = any ($1)",
      values: [done],
    });
  }
  isMarking = false;
  wake();
}
