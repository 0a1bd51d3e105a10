import { setTimeout as sleep } from "node:timers/promises";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { aLogin } from "../test/builders.ts";
import { startKnot } from "../test/knot-server.ts";
import { type FeedbackCell, untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { type FloodCounts, startFloods } from "./neighbour/floods.ts";
import { type Observation, observeQuietTenant, type Pace } from "./neighbour/quiet-tenant.ts";
import { verifyDomain } from "./neighbour/verify-domain.ts";
import { createSendingClient, makeSenders, senderDomain, type TestSender } from "./sends/sending-client.ts";
import { storeSentSends } from "./sends/sent-sends.ts";

const fullMinutes = 15;
const rounds = 5;
const sesRate = 14;
const maxExtraWaitMs = 3_000;
const maxRequestMs = 300;
const maxVerifySeconds = 60;

/** Twenty mails a minute, and reads to measure the API. */
const fullPace: Pace = { mailEveryMs: 3_000, readEveryMs: 200, patienceMs: 120_000 };
const smallPace: Pace = { mailEveryMs: 500, readEveryMs: 100, patienceMs: 20_000 };

export const proof: Proof = {
  promise:
    "One tenant that floods the API and the queue does not delay the mail, the requests and the domains of another",
  covers: [...sendPath, "service/src/api", "service/src/domains", "service/src/logins"],
  size: { small: 0, full: fullMinutes },
  run: async (minutes, { serverUrl, progress }) => {
    const knot = await startKnot("io");
    const options = {
      maxSendRate: sesRate,
      controlRequestsPerSecond: 1,
      dnsServer: knot.address,
      verifiedIdentities: [senderDomain(0), senderDomain(1)],
    };
    try {
      return await withFeedbackCell(serverUrl, options, async (cell) => {
        const measured = await measure(cell, knot, minutes, progress);
        return evaluate(measured, minutes > 0);
      });
    } finally {
      await knot.stop();
    }
  },
};

interface Measured {
  idle: Observation;
  /** One for each round: with the mail of the noisy tenant only, and with all its floods. */
  mailOnly: Observation[];
  abused: Observation[];
  verifySeconds: number;
  counts: FloodCounts;
}

async function measure(
  cell: FeedbackCell,
  knot: Awaited<ReturnType<typeof startKnot>>,
  minutes: number,
  progress: ProofTools["progress"],
): Promise<Measured> {
  const isFull = minutes > 0;
  const pace = isFull ? fullPace : smallPace;
  const halfRoundMs = isFull ? (minutes * 60_000) / rounds / 2 : 2_500;
  const environment = { DNS_SERVERS: knot.address };
  await cell.start("worker", environment);
  const { url, ignoreLogs } = await cell.start("api", environment);
  ignoreLogs();
  const [noisy, quiet] = (await makeSenders(cell.db, cell, 2)) as [TestSender, TestSender];
  for (let stored = 0; stored < (isFull ? 50 : 1); stored++)
    await storeSentSends(cell.db, { accountId: noisy.accountId, count: 1_000 });
  await untilRateIsKnown(cell);
  const client = createSendingClient(32);
  const observe = (durationMs: number) =>
    observeQuietTenant({ client, url, sender: quiet, db: cell.db }, pace, durationMs);
  try {
    const idle = await observe(isFull ? 60_000 : 2_500);
    progress(`idle: ${described(idle)}`);
    const noisyLogin = await aLogin(cell.db, cell.loginDeps, { accountId: noisy.accountId });
    const quietLogin = await aLogin(cell.db, cell.loginDeps, { accountId: quiet.accountId });
    const floods = await startFloods({ url, ...noisy, ...noisyLogin });
    let verified: Promise<number> | undefined;
    const [mailOnly, abused]: [Observation[], Observation[]] = [[], []];
    try {
      for (let round = 1; round <= (isFull ? rounds : 1); round++) {
        mailOnly.push(await observe(halfRoundMs));
        progress(`round ${round}, mail only: ${described(mailOnly.at(-1))}`);
        floods.setAbuse(true);
        await sleep(500);
        const { accessToken } = quietLogin;
        verified ??= verifyDomain({ url, accessToken, publish: knot.publish, withinSeconds: isFull ? 120 : 1 });
        abused.push(await observe(halfRoundMs));
        floods.setAbuse(false);
        progress(`round ${round}, all floods: ${described(abused.at(-1))}`);
      }
      return { idle, mailOnly, abused, verifySeconds: (await verified) ?? Number.NaN, counts: floods.counts() };
    } finally {
      await floods.stop();
    }
  } finally {
    client.close();
  }
}

function evaluate({ idle, mailOnly, abused, verifySeconds, counts }: Measured, isFull: boolean) {
  const loaded = [...mailOnly, ...abused];
  const idleWaitMs = percentile(idle.waitMs, 0.5);
  const waits = loaded.flatMap(({ waitMs }) => waitMs);
  const extraWaitMs = percentile(waits, 0.5) - idleWaitMs;
  const slowest = abused.map(({ requestMs }) => percentile(requestMs, 0.99));
  const refused = loaded.flatMap((observation) => observation.refused).length;
  const lost = waits.filter((waitMs) => waitMs === Number.POSITIVE_INFINITY).length;
  const isTimely =
    extraWaitMs < maxExtraWaitMs && Math.max(...slowest) < maxRequestMs && verifySeconds < maxVerifySeconds;
  return {
    figure:
      `beside a tenant at its limits with 50 recipients a mail, SES at ${sesRate} a second: median wait of ${waits.length} mails ` +
      `${seconds(percentile(waits, 0.5))} (idle ${seconds(idleWaitMs)}), longest ${seconds(Math.max(...waits))}; ` +
      `with all its floods, p99 of the other's requests in ${abused.length} rounds ${slowest.map(ms).join(", ")} ` +
      `(without ${mailOnly.map(({ requestMs }) => ms(percentile(requestMs, 0.99))).join(", ")}), ` +
      `${refused} refused, ${lost} not sent; its domain was verified after ${seconds(verifySeconds * 1000)}; ` +
      `answers to the floods: ${listed(counts)}`,
    // At small size everything runs beside other tests, so that times prove nothing.
    holds: refused === 0 && lost === 0 && waits.length > 0 && (!isFull || isTimely),
  };
}

function percentile(values: number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}

function described(observation: Observation | undefined): string {
  const { waitMs = [], requestMs = [], refused = [] } = observation ?? {};
  return `median wait ${seconds(percentile(waitMs, 0.5))}, requests p99 ${ms(percentile(requestMs, 0.99))}, refused ${refused.length}`;
}

const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`;
const ms = (value: number) => `${Math.round(value)} ms`;
const listed = (counts: FloodCounts) =>
  Object.entries(counts)
    .map(([answer, count]) => `${answer}: ${count}`)
    .join(", ");
