import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type SesSimulator, startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { DeliveryLoop } from "../src/delivery/delivery-loop.ts";
import type { EmailProvider } from "../src/provider/email-provider.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { anAccount } from "../test/builders.ts";
import { aDeliveryFixture } from "../test/delivery-fixture.ts";
import { aVerifiedDomain, testContentKeys } from "../test/send-builders.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { changeSimulator, readLedger } from "./cell/simulator-control.ts";
import { type Effects, expectedEffects, expectedSendState, type SendState } from "./faults/expected-outcomes.ts";
import { type FaultCase, faultCases, healthyAccount, isKnownToSes } from "./faults/fault-cases.ts";
import {
  expireRetryWindow,
  readEffects,
  readSendStates,
  resetQueue,
  useUnknownConfigurationSet,
} from "./faults/fault-database.ts";
import { type SubmitProxy, startSubmitProxy } from "./proxies/submit-proxy.ts";
import { queueSends } from "./sends/queued-sends.ts";

const lanes = 3;

export const proof: Proof = {
  promise: "Every fault of SES leads to the state that the lifecycle defines, and every attempt is one HTTP request",
  covers: [
    "service/migrations",
    "service/proofs/faults",
    "service/src/db",
    "service/src/delivery",
    "service/src/in-doubt",
    "service/src/provider",
    "service/src/queue",
  ],
  size: { small: 2, full: 100 },
  run: async (size, { serverUrl, progress }) => {
    const cases = faultCases.map((faultCase, index) => ({ ...faultCase, domain: `fault-${index}.test` }));
    const verifiedIdentities = cases.filter(isKnownToSes).map(({ domain }) => domain);
    const simulator = await startSesSimulator({ verifiedIdentities, maxSendRate: 1_000_000, max24HourSend: -1 });
    const proxy = await startSubmitProxy(simulator.url);
    const fixture: Fixture = { size, simulator, proxy, ...providersAt(simulator, proxy, size), results: [] };
    try {
      const ofOneDomain = cases.filter(({ cause }) => cause.by !== "account").values();
      const ofTheAccount = cases.filter(({ cause }) => cause.by === "account").values();
      await Promise.all(Array.from({ length: lanes }, () => runCases(fixture, ofOneDomain, serverUrl, progress)));
      await runCases(fixture, ofTheAccount, serverUrl, progress);
      return evaluate(fixture, await readLedger(simulator));
    } finally {
      await proxy.close();
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    }
  },
};

interface DomainCase extends FaultCase {
  domain: string;
}

interface Fixture {
  size: number;
  simulator: SesSimulator;
  proxy: SubmitProxy;
  /** With the normal timeout, for cases with an answer: a busy machine must not cause a timeout. */
  normalTimeout: EmailProvider;
  /** With a short timeout, for cases without an answer. */
  shortTimeout: EmailProvider;
  results: CaseResult[];
}

interface CaseResult {
  faultCase: DomainCase;
  effects: Effects;
  sends: { id: string; isRetryWindowOver: boolean; state: SendState | undefined }[];
}

function providersAt(simulator: SesSimulator, proxy: SubmitProxy, size: number) {
  const options = sesAt(simulator, proxy.url);
  const requestMs = size > 10 ? 2_000 : 300;
  return {
    normalTimeout: createSesProvider(options),
    shortTimeout: createSesProvider({ ...options, sendTimeouts: { requestMs } }),
  };
}

function sesAt({ region }: SesSimulator, endpoint: string) {
  return { region, endpoint, accountId: "000000000000", partition: "aws" };
}

/** Each lane has its own database, because a hold affects all sends in one. The lanes share the iterator of cases. */
function runCases(
  fixture: Fixture,
  cases: Iterable<DomainCase>,
  serverUrl: string,
  progress: ProofTools["progress"],
): Promise<void> {
  return withSimulatedCell(serverUrl, { ...fixture.simulator, url: fixture.proxy.url }, async ({ db }) => {
    await fixture.normalTimeout.createConfigurationSet("postern-AA");
    const accountId = await anAccount(db);
    for (const faultCase of cases) {
      fixture.results.push(await runCase(fixture, db, accountId, faultCase));
      progress(`${fixture.results.length} of ${faultCases.length} faults`);
    }
  });
}

async function runCase(fixture: Fixture, db: Database, accountId: string, faultCase: DomainCase): Promise<CaseResult> {
  const { size } = fixture;
  await resetQueue(db);
  const fromDomain = await aVerifiedDomain(db, accountId, faultCase.domain);
  const contentKey = testContentKeys.current;
  const ids = await queueSends(db, { accountId, fromDomain, count: size, contentKey });
  const expired = ids.filter((_, index) => index % 2 === 1);
  await expireRetryWindow(db, expired);
  const { deps } = aDeliveryFixture(db, providerFor(fixture, faultCase));
  const loop = new DeliveryLoop({ db, mode: "live", slots: size, maxBytes: 64_000_000, deps });

  const restore = await injectFault(fixture, db, faultCase);
  await loop.runOnce();
  const effects = { ...(await readEffects(db, fromDomain)), claimedAgain: await loop.runOnce() };
  await restore();

  const states = await readSendStates(db, ids);
  const sends = ids.map((id) => ({ id, isRetryWindowOver: expired.includes(id), state: states.get(id) }));
  return { faultCase, effects, sends };
}

function providerFor({ simulator, normalTimeout, shortTimeout }: Fixture, { cause }: DomainCase): EmailProvider {
  if (cause.by === "endpoint") return createSesProvider(sesAt(simulator, cause.url));
  return cause.by === "rule" && cause.isUnanswered === true ? shortTimeout : normalTimeout;
}

/** Returns a function that removes the fault. */
async function injectFault({ simulator, proxy }: Fixture, db: Database, { cause, domain }: DomainCase) {
  const noCleanup = () => Promise.resolve();
  switch (cause.by) {
    case "rule":
      // The rule applies only to this domain and may stay.
      await changeSimulator(simulator, "POST", "rules", { match: { fromDomain: domain }, fault: cause.fault });
      return noCleanup;
    case "account":
      await changeSimulator(simulator, "PATCH", "account", cause.change);
      return () => changeSimulator(simulator, "PATCH", "account", healthyAccount);
    case "intermediary":
      proxy.answerFor(domain, cause);
      return noCleanup;
    case "unknown-set":
      await useUnknownConfigurationSet(db, domain);
      return noCleanup;
    case "unknown-domain":
    case "endpoint":
      return noCleanup;
  }
}

/** The tags of our provider identify each send, at the proxy and in the ledger. */
function evaluate({ size, proxy, results }: Fixture, ledger: { sendId: string }[]): Finding {
  const problems: Record<"state" | "effects" | "mails" | "requests", string[]> = {
    state: [],
    effects: [],
    mails: [],
    requests: [],
  };
  const compare = (what: keyof typeof problems, faultCase: DomainCase, found: unknown, expected: unknown) => {
    if (isDeepStrictEqual(found, expected)) return;
    problems[what].push(`${faultCase.name}: ${what} ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  };
  const mails = countBySend(ledger);
  const requests = countBySend(proxy.seen.filter(({ attempt }) => attempt === 1));
  for (const { faultCase, effects, sends } of results) {
    compare("effects", faultCase, effects, expectedEffects(faultCase.outcome));
    for (const { id, state, isRetryWindowOver } of sends) {
      compare("state", faultCase, state, expectedSendState(faultCase.outcome, { isRetryWindowOver }));
      compare("mails", faultCase, mails.get(id) ?? 0, faultCase.isAccepted ? 1 : 0);
      compare("requests", faultCase, requests.get(id) ?? 0, canReach(faultCase) ? 1 : 0);
    }
  }
  const sends = results.length * size;
  const attempts = results.filter(({ faultCase }) => canReach(faultCase)).length * size;
  const all = Object.values(problems).flat();
  return {
    figure:
      `${results.length} faults x ${size} sends, every second send with its retry window over: ` +
      `${sends - problems.state.length} of ${sends} in the state that the lifecycle defines; hold, pacing and domain correct after ` +
      `${results.length - problems.effects.length} of ${results.length} faults; ${sends - problems.mails.length} of ${sends} sends in the ` +
      `ledger exactly when SES accepted them; ${proxy.seen.length} HTTP requests for ${attempts} attempts with a ` +
      `connection, ${problems.requests.length} sends with more or fewer than one request` +
      [...new Set(all)]
        .slice(0, 10)
        .map((problem) => `\n${problem}`)
        .join(""),
    holds: results.length === faultCases.length && all.length === 0 && proxy.seen.length === attempts,
  };
}

function canReach({ cause }: DomainCase): boolean {
  return cause.by !== "endpoint";
}

function countBySend(entries: { sendId: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { sendId } of entries) counts.set(sendId, (counts.get(sendId) ?? 0) + 1);
  return counts;
}
