import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import { applyFeedback } from "../../src/feedback/apply-feedback.ts";
import { storeSentSends } from "../sends/sent-sends.ts";
import type { Answer } from "./loopback-receiver.ts";
import { deliveryOf } from "./reported-sends.ts";

const batchesPerSecond = 10;
const sendsPerInsert = 1_000;

/** When each send of an account was reported as delivered, in milliseconds of this process. */
type CommitTimes = Map<string, number>;

interface TimedChanges {
  accountId: string;
  perSecond: number;
  seconds: number;
}

/** Applies reports at this rate, whatever the receivers do. */
export async function changeStates(
  db: Database,
  { accountId, perSecond, seconds }: TimedChanges,
): Promise<CommitTimes> {
  const mails = [];
  for (let left = perSecond * seconds; left > 0; left -= sendsPerInsert)
    mails.push(...(await storeSentSends(db, { accountId, count: Math.min(left, sendsPerInsert) })));
  const commits: CommitTimes = new Map();
  const size = perSecond / batchesPerSecond;
  const started = performance.now();
  const running: Promise<void>[] = [];
  for (let number = 0; number < seconds * batchesPerSecond; number++) {
    await sleep(Math.max(0, started + (number * 1000) / batchesPerSecond - performance.now()));
    const batch = mails.slice(number * size, (number + 1) * size);
    running.push(
      applyFeedback(db, batch.map(deliveryOf), Date.now()).then(() => {
        for (const { sendId } of batch) commits.set(sendId, performance.now());
      }),
    );
  }
  await Promise.all(running);
  return commits;
}

/** Notes the first arrival for each send, and answers after a while. */
export function timingReceiver(arrivals: Map<string, number>, answerAfterMs: number): Answer {
  return ({ body }, response) => {
    const { data } = JSON.parse(body.toString()) as { data: { send: { id: string } } }; // Only send.delivered arrives here.
    if (!arrivals.has(data.send.id)) arrivals.set(data.send.id, performance.now());
    setTimeout(() => response.writeHead(200).end(), answerAfterMs);
  };
}

/** From the commit to the arrival; infinite for those that have not arrived. */
export function delaysOf(commits: CommitTimes, arrivals: Map<string, number>): number[] {
  return [...commits].map(([id, at]) => Math.max(0, (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at));
}
