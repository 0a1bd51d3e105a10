import { setTimeout as sleep } from "node:timers/promises";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { holdByOperator, releaseByOperator } from "../src/queue/operator-hold.ts";
import { anAccount } from "../test/builders.ts";
import { testContentKeys } from "../test/send-builders.ts";
import { type FeedbackCell, untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { observeQuietTenant, type Pace } from "./neighbour/quiet-tenant.ts";
import {
  createSendingClient,
  makeSenders,
  type SendingClient,
  senderDomain,
  type TestSender,
} from "./sends/sending-client.ts";
import { countQueued } from "./webhooks/backlog.ts";
import { addBadReceivers } from "./webhooks/bad-receivers.ts";
import {
  aLoopbackEndpoint,
  type LoopbackReceiver,
  loopbackSettings,
  startLoopbackReceiver,
} from "./webhooks/loopback-receiver.ts";
import { changeStates, delaysOf, timingReceiver } from "./webhooks/timed-changes.ts";

interface Limits {
  pending: number;
  perSecond: number;
  /** From the commit of a change to its arrival. */
  maxP99Ms: number;
  /** The 202-to-sent latency beside webhooks is at most twice that without them and this. */
  mailSlackMs: number;
  pace: Pace;
}

const fullSeconds = 60;
const fullLimits: Limits = {
  pending: 100_000,
  perSecond: 200,
  maxP99Ms: 2_000,
  mailSlackMs: 100,
  pace: { mailEveryMs: 200, readEveryMs: 1_000, patienceMs: 60_000 },
};
/**
 * The small size runs beside other tests on few cores, where each step can take a second. Its limit only finds a webhook that waits for the
 * time limit of another (15 s) or behind a backlog (two minutes), and mail that waits for webhooks.
 */
const smallLimits: Limits = {
  pending: 5_000,
  perSecond: 20,
  maxP99Ms: 10_000,
  mailSlackMs: 1_000,
  pace: { mailEveryMs: 100, readEveryMs: 1_000, patienceMs: 20_000 },
};
/** The control: four in flight make four a second. */
const slowAnswerMs = 1_000;
const warmUpSeconds = 2;
const heldMails = 5;
const heldMs = 4_000;

export const proof: Proof = {
  promise: "Endpoints that hang, answer slowly or have a long backlog delay neither the webhooks of others nor mail",
  covers: [...sendPath, "service/proofs/cell", "service/proofs/webhooks", "service/src/webhooks"],
  size: { small: 5, full: fullSeconds },
  run: async (seconds, { serverUrl, progress }) => {
    const limits = seconds < fullSeconds ? smallLimits : fullLimits;
    const receivers: LoopbackReceiver[] = [];
    const client = createSendingClient(64);
    const options = { verifiedIdentities: [senderDomain(0)] };
    try {
      return await withFeedbackCell(serverUrl, options, (loaded) =>
        withFeedbackCell(serverUrl, options, async (quiet) =>
          evaluate(await measure({ loaded, quiet, receivers, client, limits, seconds, progress }), limits),
        ),
      );
    } finally {
      client.close();
      for (const receiver of receivers) receiver.close();
    }
  },
};

interface Fixture {
  /** Two cells that differ only in webhooks and send the same mail at the same time, so that a busy machine slows both. */
  loaded: FeedbackCell;
  quiet: FeedbackCell;
  receivers: LoopbackReceiver[];
  client: SendingClient;
  limits: Limits;
  seconds: number;
  progress: ProofTools["progress"];
}

type Measured = Awaited<ReturnType<typeof measure>>;

async function measure({ loaded, quiet, receivers, client, limits, seconds, progress }: Fixture) {
  const { pending, perSecond, maxP99Ms, pace } = limits;
  const backlogId = await addBadReceivers(loaded.db, { pending, receivers });
  const good = await addGoodAccount(loaded, receivers);
  const [besideWebhooks, without] = await Promise.all([startMail(loaded), startMail(quiet)]);
  const load = (forSeconds: number) => {
    const observe = (mail: Mail) => observeQuietTenant({ client, ...mail }, pace, forSeconds * 1000);
    const changes = { accountId: good.accountId, perSecond, seconds: forSeconds };
    return Promise.all([changeStates(loaded.db, changes), observe(besideWebhooks), observe(without)]);
  };
  progress("processes that have just started are slower: not measured");
  await load(warmUpSeconds);
  progress("measuring");
  const [commits, mailBesideWebhooks, mailWithout] = await load(seconds);
  progress("waiting for the last notifications");
  // After this time everything that has not arrived is too late.
  const [heldMail] = await Promise.all([sendWhileHeld(client, without, pace), sleep(maxP99Ms)]);
  return {
    delays: delaysOf(commits, good.arrivals),
    slowDelays: delaysOf(commits, good.slowArrivals),
    mailBesideWebhooks: mailBesideWebhooks.waitMs,
    mailWithout: mailWithout.waitMs,
    heldMail,
    backlogLeft: await countQueued(loaded.db, backlogId),
  };
}

/** One endpoint that works, and one that is too slow for its notifications: the control. */
async function addGoodAccount({ db }: FeedbackCell, receivers: LoopbackReceiver[]) {
  const accountId = await anAccount(db);
  const add = async (answerAfterMs: number) => {
    const arrivals = new Map<string, number>();
    const receiver = await startLoopbackReceiver(timingReceiver(arrivals, answerAfterMs));
    receivers.push(receiver);
    const types = ["send.delivered"] as const;
    await aLoopbackEndpoint(db, { accountId, contentKeys: testContentKeys, types, url: receiver.url });
    return arrivals;
  };
  return { accountId, arrivals: await add(0), slowArrivals: await add(slowAnswerMs) };
}

interface Mail {
  db: FeedbackCell["db"];
  url: string;
  sender: TestSender;
}

async function startMail(cell: FeedbackCell): Promise<Mail> {
  const [sender] = (await makeSenders(cell.db, cell, 1, [1_000, 10_000, 60_000])) as [TestSender];
  const [api, worker] = await Promise.all([cell.start("api"), cell.start("worker", loopbackSettings)]);
  api.ignoreLogs();
  worker.ignoreLogs();
  await untilRateIsKnown(cell);
  return { db: cell.db, url: api.url, sender };
}

/** The control of the mail: a real delay, which the check must find. */
async function sendWhileHeld(client: SendingClient, mail: Mail, pace: Pace): Promise<number[]> {
  await holdByOperator(mail.db, "the control of a proof");
  const everyMs = heldMs / heldMails / 10;
  const observed = observeQuietTenant({ client, ...mail }, { ...pace, mailEveryMs: everyMs }, everyMs * heldMails);
  await sleep(heldMs);
  await releaseByOperator(mail.db);
  return (await observed).waitMs;
}

function evaluate(measured: Measured, limits: Limits) {
  const { delays, slowDelays, mailBesideWebhooks, mailWithout, heldMail, backlogLeft } = measured;
  const { pending, perSecond, maxP99Ms } = limits;
  const p99 = percentile(delays, 0.99);
  const slowP99 = percentile(slowDelays, 0.99);
  const [besideMedian, withoutMedian] = [percentile(mailBesideWebhooks, 0.5), percentile(mailWithout, 0.5)];
  return {
    figure:
      `beside an endpoint that hangs, one that answers byte by byte and one with ${pending} pending (${backlogLeft} at the end): ` +
      `${delays.length} changes at ${perSecond} a second reached another account's endpoint after p50 ${ms(percentile(delays, 0.5))}, ` +
      `p99 ${ms(p99)}; ${mailBesideWebhooks.length} mails from 202 to sent p50 ${ms(besideMedian)}, ` +
      `p99 ${ms(percentile(mailBesideWebhooks, 0.99))}, in a cell without webhooks at the same time p50 ${ms(withoutMedian)}, ` +
      `p99 ${ms(percentile(mailWithout, 0.99))}: ratio of the medians ${(besideMedian / withoutMedian).toFixed(2)}. ` +
      `Controls: an endpoint that takes a second for each p99 ${ms(slowP99)}; mail on hold p50 ${ms(percentile(heldMail, 0.5))}`,
    holds:
      delays.length > 0 &&
      p99 < maxP99Ms &&
      backlogLeft > 0 &&
      isUnaffected(mailBesideWebhooks, mailWithout, limits) &&
      slowP99 >= maxP99Ms &&
      !isUnaffected(heldMail, mailWithout, limits),
  };
}

function isUnaffected(mail: number[], baseline: number[], { mailSlackMs }: Limits): boolean {
  return percentile(mail, 0.5) <= 2 * percentile(baseline, 0.5) + mailSlackMs;
}

function percentile(values: number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}

function ms(value: number): string {
  return Number.isFinite(value) ? `${Math.round(value)} ms` : "over the limit";
}
