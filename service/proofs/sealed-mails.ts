import { randomBytes } from "node:crypto";
import type { ProofTools } from "../../scripts/proof.ts";
import type { Environment } from "../src/config.ts";
import { change } from "../test/send-rows.ts";
import { endPatience } from "./day-database.ts";
import { end, type FeedbackCell, untilRateIsKnown } from "./feedback-cell.ts";
import { readWholeLedger } from "./ledger-tail.ts";
import { createSendingClient, inParallel, type TestSender } from "./sending-client.ts";
import { until } from "./until.ts";

/** Every hundredth mail is larger than a page of PostgreSQL. */
const largeCharacters = 100_000;

export interface Marks {
  /** Stands in every body and every idempotency key. */
  sealed: string;
  /** In every subject, which stays readable. */
  open: string;
}

export function makeMarks(): Marks {
  return { sealed: `sealed${randomBytes(9).toString("hex")}`, open: `subject${randomBytes(9).toString("hex")}` };
}

export interface Accepted {
  id: string;
  text: string;
}

/** By an API with these keys, which ends afterwards. */
export async function acceptMails(
  cell: FeedbackCell,
  senders: TestSender[],
  mark: Marks,
  count: number,
  keys: Environment,
): Promise<Accepted[]> {
  const api = await cell.start("api", keys);
  const client = createSendingClient(16);
  const accepted: Accepted[] = [];
  try {
    await inParallel(Array(Math.floor(count)).keys(), 16, async (number) => {
      const own = `${mark.sealed}-${randomBytes(6).toString("hex")}`;
      const text = number % 100 === 0 ? own.padEnd(largeCharacters, " a large one") : own;
      const sender = senders[number % senders.length];
      if (sender === undefined) throw new Error("nobody sends");
      const mail = { text, html: `<p>${own}</p>`, subject: `Hello ${mark.open}`, idempotency_key: own };
      const { status, body } = await client.send(api.url, sender, mail);
      if (status !== 202 || body.id === undefined) throw new Error(`a send was answered ${status}`);
      accepted.push({ id: body.id, text });
    });
  } finally {
    client.close();
    await end(api);
  }
  return accepted;
}

/** Each pair has each other's content; patience is over, so that what cannot be opened ends at once. */
export async function swapContents({ db }: FeedbackCell, mails: Accepted[]): Promise<Set<string>> {
  const ids = mails.map(({ id }) => id);
  for (let first = 0; first + 1 < ids.length; first += 2) {
    await change(
      db,
      `update send_contents c
       set sealed = other.sealed
       from send_contents other
       where c.id in ($1, $2) and other.id in ($1, $2) and other.id <> c.id`,
      [ids[first], ids[first + 1]],
    );
  }
  await endPatience(db, ids);
  return new Set(ids);
}

export async function submit(cell: FeedbackCell, keys: Environment, progress: ProofTools["progress"]): Promise<void> {
  const worker = await cell.start("worker", keys);
  await untilRateIsKnown(cell);
  await until("everything is handed over", 120, async () => {
    const [row] = await cell.db.query<{ left: number }>({
      name: "left",
      text: "select count(*) as left from send_queue",
    });
    progress(`${row?.left} still queued`);
    return row?.left === 0;
  });
  await end(worker);
}

/** In the ledger once, with the text that was accepted, and sent in the record. */
export async function countRight({ db, simulator }: FeedbackCell, mails: Accepted[]): Promise<number> {
  const rows = await db.query<{ id: string; messageId: string }>({
    name: "sent-ids",
    text: `select id, provider_message_id as "messageId" from sends where status in ('sent', 'delivered')`,
  });
  const messageIds = new Map(rows.map(({ id, messageId }) => [id, messageId]));
  const submitted = countBy(readWholeLedger(simulator).map(({ sendId }) => sendId));
  let right = 0;
  await inParallel(mails, 8, async ({ id, text }) => {
    const response = await fetch(`${simulator.url}/_simulator/mails/${messageIds.get(id)}`);
    const mail = (await response.json()) as { text?: string; html?: string }; // The simulator is ours.
    const isWhole = mail.text?.trimEnd() === text.trimEnd() && mail.html === `<p>${text.split(" ")[0]}</p>`;
    if (isWhole && submitted.get(id) === 1) right += 1;
  });
  return right;
}

export async function countTruthful({ db, simulator }: FeedbackCell, swapped: Set<string>): Promise<number> {
  const rows = await db.query<{ id: string }>({
    name: "failed-truthfully",
    text: `
      select id from sends
      where id = any($1::uuid[]) and status = 'failed' and error_code = 'INTERNAL'
        and error_message = 'The content of this send cannot be opened.'`,
    values: [[...swapped]],
  });
  const mailed = new Set(readWholeLedger(simulator).map(({ sendId }) => sendId));
  return rows.filter(({ id }) => !mailed.has(id)).length;
}

function countBy(ids: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
