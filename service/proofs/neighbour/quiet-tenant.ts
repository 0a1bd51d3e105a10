import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import type { SendingClient, TestSender } from "../sends/sending-client.ts";

export interface Observation {
  /** Of every request of the tenant. */
  requestMs: number[];
  /** From the 202 to `sent`; infinite for a mail that was not sent in time. */
  waitMs: number[];
  /** Statuses other than 202 and 200. */
  refused: number[];
}

export interface Pace {
  mailEveryMs: number;
  readEveryMs: number;
  /** How long after its 202 a mail counts as not sent. */
  patienceMs: number;
}

interface Deps {
  client: SendingClient;
  url: string;
  sender: TestSender;
  db: Database;
}

/** A tenant that sends and reads a little, for `durationMs`. Then waits until its mails are sent. */
export async function observeQuietTenant(deps: Deps, pace: Pace, durationMs: number): Promise<Observation> {
  const { client, url, sender, db } = deps;
  const requestMs: number[] = [];
  const refused: number[] = [];
  const answeredAt = new Map<string, number>();
  const timed = async <Answer extends { status: number }>(call: Promise<Answer>): Promise<Answer> => {
    const started = performance.now();
    const answer = await call;
    requestMs.push(performance.now() - started);
    if (answer.status > 202) refused.push(answer.status);
    return answer;
  };
  const mail = async () => {
    const { body } = await timed(client.send(url, sender, {}));
    if (body.id !== undefined) answeredAt.set(body.id, performance.timeOrigin + performance.now());
  };
  const reads = ["/api/v1/account", "/api/v1/sends"];
  const read = async (number: number) => {
    await timed(client.get(url + (reads[number % reads.length] ?? ""), sender));
  };
  await Promise.all([repeat(mail, pace.mailEveryMs, durationMs), repeat(read, pace.readEveryMs, durationMs)]);
  return { requestMs, refused, waitMs: await waitsOf(db, answeredAt, pace.patienceMs) };
}

/** Starts `work` at fixed times, however long it takes: a slow answer does not make the tenant send less. */
async function repeat(work: (number: number) => Promise<void>, everyMs: number, durationMs: number): Promise<void> {
  const started = performance.now();
  const running: Promise<void>[] = [];
  for (let number = 0; number * everyMs < durationMs; number++) {
    await sleep(Math.max(0, started + number * everyMs - performance.now()));
    running.push(work(number));
  }
  await Promise.all(running);
}

async function waitsOf(db: Database, answeredAt: Map<string, number>, patienceMs: number): Promise<number[]> {
  const now = () => performance.timeOrigin + performance.now();
  const lastAt = Math.max(...answeredAt.values());
  for (;;) {
    const rows = await db.query<{ id: string; sentMs: number | null }>({
      name: "sent-at",
      text: `
        select id, extract(epoch from sent_at)::float8 * 1000 as "sentMs"
        from sends
        where id = any($1::uuid[])`,
      values: [[...answeredAt.keys()]],
    });
    const isOver = now() > lastAt + patienceMs;
    if (isOver || rows.every(({ sentMs }) => sentMs !== null)) {
      return rows.map(({ id, sentMs }) => (sentMs ?? Number.POSITIVE_INFINITY) - (answeredAt.get(id) ?? 0));
    }
    await sleep(100);
  }
}
