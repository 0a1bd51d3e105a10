import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { inParallel, type TestSender } from "../../service/proofs/sends/sending-client.ts";
import type { LoadPlan, LoadProgress } from "./load-plan.ts";
import { postSend } from "./post-send.ts";

/**
 * The client of a chaos run, in its own process, so that it survives every fault. It repeats a request without an answer with
 * the same idempotency key, and writes every acknowledged send to a file.
 */
const plan: LoadPlan = JSON.parse(process.argv[2] ?? "");
const concurrency = 16;
const pauseMs = 100;

const progress: LoadProgress = { begun: 0, acknowledged: 0, unanswered: 0, answers: {} };
let isStopping = false;
process.stdin.resume().on("end", () => {
  isStopping = true;
});

const started = performance.now();
const reporting = setInterval(printProgress, 500);
await inParallel(numbers(), concurrency, sendUntilAcknowledged);
clearInterval(reporting);
printProgress();
process.exit();

function printProgress(): void {
  process.stdout.write(`${JSON.stringify(progress)}\n`);
}

function* numbers(): Generator<number> {
  for (let number = 0; !isStopping && number < (plan.sends ?? Number.POSITIVE_INFINITY); number++) yield number;
}

async function sendUntilAcknowledged(number: number): Promise<void> {
  const dueMs = (number / plan.perSecond) * 1000 - (performance.now() - started);
  if (dueMs > 0) await sleep(dueMs);
  if (isStopping) return;
  progress.begun += 1;
  const sender = plan.senders[number % plan.senders.length];
  if (sender === undefined) throw new Error("a load needs senders");
  const key = `chaos-${plan.seed}-${number}`;
  const begunAt = performance.now();
  const isDone = (tries: number) =>
    isAcknowledged(sender, { key, number, api: (number + tries) % plan.urls.length, begunAt });
  for (let tries = 0; !(await isDone(tries)); tries++) await sleep(pauseMs);
}

interface Attempt {
  key: string;
  number: number;
  api: number;
  begunAt: number;
}

async function isAcknowledged(sender: TestSender, { key, number, api, begunAt }: Attempt): Promise<boolean> {
  const { text = key } = plan;
  const body = { from: sender.from, to: [recipientOf(number)], subject: "Chaos", text, idempotency_key: key };
  const answer = await postSend(plan.urls[api] ?? "", sender.key, body).catch(() => undefined);
  if (answer === undefined) {
    progress.unanswered += 1;
    return false;
  }
  progress.answers[answer.status] = (progress.answers[answer.status] ?? 0) + 1;
  if (answer.status !== 202 || answer.id === undefined) return false;
  const tookMs = Math.round(performance.now() - begunAt);
  const line = JSON.stringify({ id: answer.id, key, at: Date.now(), api, tookMs });
  appendFileSync(plan.acknowledgedFile, `${line}\n`);
  progress.acknowledged += 1;
  return true;
}

/** 90 % are delivered, 5 % bounce, 5 % complain. Each address is used once, so that no recipient is suppressed. */
function recipientOf(number: number): string {
  const kind = number % 20 === 7 ? "bounce" : number % 20 === 13 ? "complaint" : "success";
  return `${kind}+${plan.seed}-${number}@simulator.amazonses.com`;
}
