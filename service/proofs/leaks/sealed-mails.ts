import { randomBytes } from "node:crypto";
import type { ProofTools } from "../../../scripts/proof.ts";
import type { Environment } from "../../src/config.ts";
import { change } from "../../test/send-rows.ts";
import { type FeedbackCell, killProcess, untilRateIsKnown } from "../cell/feedback-cell.ts";
import { readWholeLedger } from "../cell/ledger-tail.ts";
import { expireRetryWindow } from "../faults/fault-database.ts";
import { createSendingClient, inParallel, type TestSender } from "../sends/sending-client.ts";
import { until } from "../until.ts";

/** Every hundredth mail has a body that is larger than a PostgreSQL page. */
const largeCharacters = 100_000;

export interface Marks {
  /** Part of every body and every idempotency key. */
  sealed: string;
  /** Part of every subject, which is stored in plain text. */
  open: string;
}

export function makeMarks(): Marks {
  return { sealed: `sealed${randomBytes(9).toString("hex")}`, open: `subject${randomBytes(9).toString("hex")}` };
}

export interface Accepted {
  id: string;
  text: string;
}

/** Sends the mails through an API process with these keys, then kills the process. */
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
      if (sender === undefined) throw new Error("there is no sender");
      const mail = { text, html: `<p>${own}</p>`, subject: `Hello ${mark.open}`, idempotency_key: own };
      const { status, body } = await client.send(api.url, sender, mail);
      if (status !== 202 || body.id === undefined) throw new Error(`a send was answered ${status}`);
      accepted.push({ id: body.id, text });
    });
  } finally {
    client.close();
    await killProcess(api);
  }
  return accepted;
}

/** Swaps the contents of each pair. Their retry window is over, so a content that cannot be opened fails the send immediately. */
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
  await expireRetryWindow(db, ids);
  return new Set(ids);
}

export async function submitAll(
  cell: FeedbackCell,
  keys: Environment,
  progress: ProofTools["progress"],
): Promise<void> {
  const worker = await cell.start("worker", keys);
  await untilRateIsKnown(cell);
  await until("everything is submitted", 120, async () => {
    const [row] = await cell.db.query<{ left: number }>({
      name: "left",
      text: "select count(*) as left from send_queue",
    });
    progress(`${row?.left} still queued`);
    return row?.left === 0;
  });
  await killProcess(worker);
}

/** The number of mails that are in the ledger once, with the accepted text, and have status sent. */
export async function countCorrect({ db, simulator }: FeedbackCell, mails: Accepted[]): Promise<number> {
  const rows = await db.query<{ id: string; messageId: string }>({
    name: "sent-ids",
    text: `select id, provider_message_id as "messageId" from sends where status in ('sent', 'delivered')`,
  });
  const messageIds = new Map(rows.map(({ id, messageId }) => [id, messageId]));
  const submitted = countBy(readWholeLedger(simulator).map(({ sendId }) => sendId));
  let correct = 0;
  await inParallel(mails, 8, async ({ id, text }) => {
    const response = await fetch(`${simulator.url}/_simulator/mails/${messageIds.get(id)}`);
    const mail = (await response.json()) as { text?: string; html?: string }; // The simulator defines this shape.
    const isUnchanged = mail.text?.trimEnd() === text.trimEnd() && mail.html === `<p>${text.split(" ")[0]}</p>`;
    if (isUnchanged && submitted.get(id) === 1) correct += 1;
  });
  return correct;
}

export async function countReportedFailures({ db, simulator }: FeedbackCell, swapped: Set<string>): Promise<number> {
  const rows = await db.query<{ id: string }>({
    name: "reported-failures",
    text: `
      select id from sends
      where id = any($1::uuid[]) and status = 'failed' and error_code = 'INTERNAL'
        and error_message = 'The content of this send cannot be decrypted.'`,
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
