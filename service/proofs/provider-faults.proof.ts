import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type SesSimulator, startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { DeliveryLoop } from "../src/delivery/delivery-loop.ts";
import type { EmailProvider } from "../src/provider/email-provider.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { anAccount } from "../test/builders.ts";
import { deliveryTestDeps } from "../test/delivery-deps.ts";
import { aVerifiedDomain, testContentKeys } from "../test/send-builders.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { type BadDay, badDays, goodAccount, isKnownToSes } from "./bad-days.ts";
import { beginAnew, endPatience, readAftermath, readEndings, useUnknownSet } from "./day-database.ts";
import { type Aftermath, type Ending, expectedAftermath, expectedEnding } from "./day-endings.ts";
import { queueSends } from "./queued-sends.ts";
import { changeSimulator, readLedger } from "./simulator-control.ts";
import { type SubmitProxy, startSubmitProxy } from "./submit-proxy.ts";

const lanes = 3;

export const proof: Proof = {
  promise: "Every fault SES can show leads to the move that the lifecycle names, and every attempt is one HTTP request",
  size: { small: 2, full: 100 },
  run: async (size, { serverUrl, progress }) => {
    const days = badDays.map((day, index) => ({ ...day, domain: `day-${index}.test` }));
    const verifiedIdentities = days.filter(isKnownToSes).map(({ domain }) => domain);
    const simulator = await startSesSimulator({ verifiedIdentities, maxSendRate: 1_000_000, max24HourSend: -1 });
    const front = await startSubmitProxy(simulator.url);
    const stage: Stage = { size, simulator, front, ...providersAt(simulator, front, size), past: [] };
    try {
      const ofOneDomain = days.filter(({ cause }) => cause.by !== "account").values();
      const ofTheAccount = days.filter(({ cause }) => cause.by === "account").values();
      await Promise.all(Array.from({ length: lanes }, () => liveThrough(stage, ofOneDomain, serverUrl, progress)));
      await liveThrough(stage, ofTheAccount, serverUrl, progress);
      return judge(stage, await readLedger(simulator));
    } finally {
      await front.close();
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    }
  },
};

interface Day extends BadDay {
  domain: string;
}

interface Stage {
  size: number;
  simulator: SesSimulator;
  front: SubmitProxy;
  /** For all that answers: a busy machine must not look like a silent provider. */
  usual: EmailProvider;
  hasty: EmailProvider;
  past: PastDay[];
}

interface PastDay {
  day: Day;
  aftermath: Aftermath;
  sends: { id: string; isPatienceOver: boolean; ending: Ending | undefined }[];
}

function providersAt(simulator: SesSimulator, front: SubmitProxy, size: number) {
  const options = sesAt(simulator, front.url);
  const requestMs = size > 10 ? 2_000 : 300;
  return {
    usual: createSesProvider(options),
    hasty: createSesProvider({ ...options, sendTimeouts: { requestMs } }),
  };
}

function sesAt({ region }: SesSimulator, endpoint: string) {
  return { region, endpoint, accountId: "000000000000", partition: "aws" };
}

/** In a database of its own, because a hold concerns everybody in it. Lanes share the list and take what comes next. */
function liveThrough(
  stage: Stage,
  days: Iterable<Day>,
  serverUrl: string,
  progress: ProofTools["progress"],
): Promise<void> {
  return withSimulatedCell(serverUrl, { ...stage.simulator, url: stage.front.url }, async ({ db }) => {
    await stage.usual.createConfigurationSet("postern-AA");
    const accountId = await anAccount(db);
    for (const day of days) {
      stage.past.push(await liveThroughOne(stage, db, accountId, day));
      progress(`${stage.past.length} of ${badDays.length} faults`);
    }
  });
}

async function liveThroughOne(stage: Stage, db: Database, accountId: string, day: Day): Promise<PastDay> {
  const { size } = stage;
  await beginAnew(db);
  const fromDomain = await aVerifiedDomain(db, accountId, day.domain);
  const contentKey = testContentKeys.current;
  const ids = await queueSends(db, { accountId, fromDomain, count: size, contentKey });
  const impatient = ids.filter((_, index) => index % 2 === 1);
  await endPatience(db, impatient);
  const { deps } = deliveryTestDeps(db, providerFor(stage, day));
  const loop = new DeliveryLoop({ db, mode: "live", slots: size, deps });

  const restore = await bringAbout(stage, db, day);
  await loop.runOnce();
  const aftermath = { ...(await readAftermath(db, fromDomain)), claimedAgain: await loop.runOnce() };
  await restore();

  const endings = await readEndings(db, ids);
  const sends = ids.map((id) => ({ id, isPatienceOver: impatient.includes(id), ending: endings.get(id) }));
  return { day, aftermath, sends };
}

function providerFor({ simulator, usual, hasty }: Stage, { cause }: Day): EmailProvider {
  if (cause.by === "endpoint") return createSesProvider(sesAt(simulator, cause.url));
  return cause.by === "rule" && cause.isSilent === true ? hasty : usual;
}

/** Makes the day bad; what it returns ends it. */
async function bringAbout({ simulator, front }: Stage, db: Database, { cause, domain }: Day) {
  const nothing = () => Promise.resolve();
  switch (cause.by) {
    case "rule":
      // It concerns this domain alone and may stay.
      await changeSimulator(simulator, "POST", "rules", { match: { fromDomain: domain }, fault: cause.fault });
      return nothing;
    case "account":
      await changeSimulator(simulator, "PATCH", "account", cause.change);
      return () => changeSimulator(simulator, "PATCH", "account", goodAccount);
    case "go-between":
      front.answerFor(domain, cause);
      return nothing;
    case "unknown-set":
      await useUnknownSet(db, domain);
      return nothing;
    case "unknown-domain":
    case "endpoint":
      return nothing;
  }
}

/** Sends are told apart by the tags we gave them, at the front and in the ledger. */
function judge({ size, front, past }: Stage, ledger: { sendId: string }[]): Finding {
  const problems: Record<"ending" | "aftermath" | "mails" | "requests", string[]> = {
    ending: [],
    aftermath: [],
    mails: [],
    requests: [],
  };
  const compare = (what: keyof typeof problems, day: Day, found: unknown, expected: unknown) => {
    if (isDeepStrictEqual(found, expected)) return;
    problems[what].push(`${day.name}: ${what} ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  };
  const mails = countBySend(ledger);
  const requests = countBySend(front.seen.filter(({ attempt }) => attempt === 1));
  for (const { day, aftermath, sends } of past) {
    compare("aftermath", day, aftermath, expectedAftermath(day.leadsTo));
    for (const { id, ending, isPatienceOver } of sends) {
      compare("ending", day, ending, expectedEnding(day.leadsTo, { isPatienceOver }));
      compare("mails", day, mails.get(id) ?? 0, day.isAccepted ? 1 : 0);
      compare("requests", day, requests.get(id) ?? 0, canReach(day) ? 1 : 0);
    }
  }
  const sends = past.length * size;
  const attempts = past.filter(({ day }) => canReach(day)).length * size;
  const all = Object.values(problems).flat();
  return {
    figure:
      `${past.length} faults x ${size} sends, every second send at the end of its patience: ` +
      `${sends - problems.ending.length} of ${sends} ended as the lifecycle says; hold, pace and domain as it says after ` +
      `${past.length - problems.aftermath.length} of ${past.length}; in the ledger exactly when the fault means it ` +
      `${sends - problems.mails.length} of ${sends}; ${front.seen.length} HTTP requests for ${attempts} attempts with a ` +
      `connection, ${problems.requests.length} sends with another number than one each` +
      [...new Set(all)]
        .slice(0, 10)
        .map((problem) => `\n${problem}`)
        .join(""),
    holds: past.length === badDays.length && all.length === 0 && front.seen.length === attempts,
  };
}

function canReach({ cause }: Day): boolean {
  return cause.by !== "endpoint";
}

function countBySend(entries: { sendId: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { sendId } of entries) counts.set(sendId, (counts.get(sendId) ?? 0) + 1);
  return counts;
}
