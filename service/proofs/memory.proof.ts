import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { Worker } from "node:worker_threads";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof } from "../../scripts/proof.ts";
import { untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { createLargeMails, type LargeMails } from "./memory/large-mails.ts";
import { peakOf } from "./peak-memory.ts";
import { makeSenders, senderDomain, type TestSender } from "./sends/sending-client.ts";
import { until } from "./until.ts";

const fullSize = 100;
const largeSenders = 10;
const clients = 20;
const maxMb = 512;
const maxP99Ms = 200;
/** The default of ATTACHMENT_MEBIBYTES. */
const attachmentBytes = 10 * 1024 * 1024;

export const proof: Proof = {
  promise:
    "100 concurrent mails with the largest attachments: API and worker stay below 512 MB each, refused requests carry Retry-After, and beside 20 clients with such mails the plain mail of another account is accepted within 200 ms (p99)",
  covers: [
    ...sendPath,
    "service/proofs/memory",
    "service/src/api/http",
    "service/src/api/v1/sends",
    "service/src/attachments",
  ],
  size: { small: 6, full: fullSize },
  run: (size, { serverUrl, progress }) => {
    const verifiedIdentities = Array.from({ length: largeSenders + 1 }, (_, number) => senderDomain(number));
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      const worker = await cell.start("worker");
      const api = await cell.start("api");
      api.ignoreLogs();
      const [quiet, ...others] = (await makeSenders(
        cell.db,
        cell,
        largeSenders + 1,
        [100_000, 1_000_000, 6_000_000],
      )) as [TestSender, ...TestSender[]];
      await untilRateIsKnown(cell);
      const mails = createLargeMails(api.url, attachmentBytes);
      try {
        const began = performance.now();
        await Promise.all(
          Array.from({ length: size }, (_, number) => mails.sendOne(others[number % largeSenders] as TestSender)),
        );
        const seconds = (performance.now() - began) / 1000;
        progress(`${size} mails accepted after ${seconds.toFixed(1)} s`);
        const beside = await measureBeside(mails, { url: api.url, quiet, others, isFull: size === fullSize });
        await until("every send is submitted", 600, async () => {
          const [row] = await cell.db.query<{ left: number }>({
            name: "queue-length",
            text: "select count(*) as left from send_queue where mode = 'live'",
          });
          progress(`${row?.left} left`);
          return row?.left === 0;
        });
        const peaks = { api: peakOf(api.pid), worker: peakOf(worker.pid) };
        const { accepted, refused, withoutRetryAfter, broken, others: otherAnswers } = mails.counts;
        return {
          figure:
            `${size} mails with 10 MiB at once, all accepted after ${seconds.toFixed(1)} s: peak of the API ${peaks.api} MB, of the worker ` +
            `${peaks.worker} MB; ${refused} times 503 with Retry-After, ${withoutRetryAfter} without, ${broken} connections broken, ` +
            `${otherAnswers} other answers; beside ${clients} clients with such mails (${accepted - size} in ${beside.seconds} s), ` +
            `${beside.tookMs.length} plain mails of another account: accepted p50 ${percentile(beside.tookMs, 0.5)} ms, p99 ` +
            `${percentile(beside.tookMs, 0.99)} ms, ${beside.refused} refused. ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`,
          holds:
            Math.max(peaks.api, peaks.worker) < maxMb &&
            withoutRetryAfter + broken + otherAnswers + beside.refused === 0 &&
            (size < fullSize || percentile(beside.tookMs, 0.99) < maxP99Ms),
        };
      } finally {
        mails.close();
      }
    });
  },
};

interface Beside {
  url: string;
  quiet: TestSender;
  others: TestSender[];
  isFull: boolean;
}

async function measureBeside(mails: LargeMails, { url, quiet, others, isFull }: Beside) {
  const seconds = isFull ? 60 : 2;
  const thread = new Worker(new URL("memory/plain-mails-thread.ts", import.meta.url), {
    workerData: { url, sender: quiet, seconds },
  });
  let isOver = false;
  const lanes = Array.from({ length: isFull ? clients : 2 }, async (_, lane) => {
    while (!isOver) await mails.sendOne(others[lane % largeSenders] as TestSender);
  });
  const [measured] = (await once(thread, "message")) as [{ tookMs: number[]; refused: number }];
  isOver = true;
  await Promise.all(lanes);
  return { seconds, ...measured };
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}
