import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { submitSend } from "../src/delivery/submit-send.ts";
import { applyFeedback } from "../src/feedback/apply-feedback.ts";
import { resendInDoubt } from "../src/in-doubt/resolve-in-doubt.ts";
import { createLog } from "../src/log.ts";
import { type ClaimedSend, claimSends } from "../src/queue/claim-sends.ts";
import { promoteDueSends } from "../src/queue/promote-sends.ts";
import { anAccount } from "../test/builders.ts";
import { aDeliveryFixture, answers, aProviderThat } from "../test/delivery-fixture.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { type FeedbackCell, withFeedbackCell } from "./cell/feedback-cell.ts";
import { createDice, type Dice } from "./seeded-random.ts";
import { senderDomain } from "./sends/sending-client.ts";
import { aRaceRound, claimKinds, type RacingSend } from "./suppression/race-round.ts";
import { removeAndResend } from "./suppression/remove-and-resend.ts";

const fullSize = 10_000;
const suppressors = 3;
const claimers = 2;
const roundSends = 60;

export const proof: Proof = {
  promise:
    "An address whose suppression is committed before the claim is not mailed, and is mailed again after its removal",
  covers: [
    "service/migrations",
    "service/proofs/suppression",
    "service/src/db",
    "service/src/delivery",
    "service/src/feedback",
    "service/src/in-doubt",
    "service/src/queue",
    "service/src/suppressions",
  ],
  size: { small: 200, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const seed = Date.now() % 2 ** 31;
    const verifiedIdentities = [senderDomain(0)];
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      const race = await runRaces(cell, createDice(seed), size, progress);
      const resent = await removeAndResend(cell, size / 50, progress);
      const byKind = claimKinds.map((kind) => `${race.after[kind]} ${kind}`).join(", ");
      return {
        figure:
          `${race.total} suppressions committed before the claim was sent (seed ${seed}; ${byKind}), ${race.before} at the same ` +
          `time or after it; ${suppressors} suppressing and ${suppressors + claimers} claiming connections: ${race.mailed} mailed, ` +
          `${race.leftOut} of ${race.others} other recipients of the same sends left out; ` +
          `${resent.reached} of ${resent.sends} removed addresses were mailed again (${resent.suppressed} suppressed before)`,
        holds:
          race.total >= size &&
          claimKinds.every((kind) => race.after[kind] > size / 10) &&
          race.mailed + race.leftOut === 0 &&
          resent.reached === resent.sends &&
          resent.suppressed === resent.sends,
      };
    });
  },
};

interface Race {
  total: number;
  after: Record<(typeof claimKinds)[number], number>;
  /** Claimed before the suppression was acknowledged: both results are allowed. */
  before: number;
  mailed: number;
  others: number;
  leftOut: number;
}

async function runRaces(cell: FeedbackCell, dice: Dice, size: number, progress: ProofTools["progress"]): Promise<Race> {
  const race: Race = {
    total: 0,
    after: { "first claims": 0, retries: 0, "in-doubt resends": 0 },
    before: 0,
    mailed: 0,
    others: 0,
    leftOut: 0,
  };
  const accountId = await anAccount(cell.db);
  const fromDomain = await aVerifiedDomain(cell.db, accountId);
  const connections = Array.from({ length: 2 * suppressors + claimers + 1 }, () => openOne(cell.url));
  try {
    while (race.total < size) {
      const sends = await aRaceRound(cell.db, { accountId, fromDomain, count: roundSends, dice });
      const fixture = { connections, mailedRecipients: openMailedRecipients(cell.db) };
      const claims = await runRound(fixture, sends, dice);
      for (const send of sends) countClaim(race, send, claims);
      progress(`${race.total} of ${size} suppressions before their claim`);
    }
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
  }
  await cell.db.query({ name: "clear-queue", text: `delete from send_queue` });
  return race;
}

function openOne(url: string): Database {
  return openDatabase({ url, poolSize: 1, applicationName: "race", onIdleError: () => undefined });
}

interface Fixture {
  connections: Database[];
  mailedRecipients(send: ClaimedSend): Promise<string[]>;
}

/** When the claim was sent, on the logical clock of this process, and the recipients of its mail. */
interface SeenClaim {
  sentAt: number;
  mailed: string[];
}

/** Claims and suppressions run concurrently. A counter in this process orders each claim request and each acknowledged commit. */
async function runRound({ connections, mailedRecipients }: Fixture, sends: RacingSend[], dice: Dice) {
  const [promoting, ...others] = connections as [Database, ...Database[]];
  const [suppressing, claiming] = [others.slice(0, suppressors), others.slice(suppressors)];
  const claims = new Map<string, SeenClaim>();
  const isOver = () => claims.size === sends.length;
  let now = 0;
  let acknowledged = 0;
  // Claims and suppressions progress at about the same rate, with either one ahead.
  const isAhead = () => acknowledged < sends.length && claims.size + dice.roll(12) > acknowledged;
  const claim = async (db: Database) => {
    now += 1;
    const sentAt = now;
    const { sends: claimed } = await claimSends(db, {
      mode: "live",
      maxSends: 1,
      maxRecipients: 1_000,
      fromFairAt: "-infinity",
      isProbe: true,
    });
    for (const send of claimed) claims.set(send.id, { sentAt, mailed: await mailedRecipients(send) });
  };
  const remaining = sends.values();
  const suppressAndClaim = async (db: Database, claimant: Database) => {
    for (const send of remaining) {
      const { verdicts } = await applyFeedback(db, [send.bounce], Date.now());
      if (verdicts[0] !== "applied") throw new Error(`a bounce had the result ${verdicts[0]}`);
      now += 1;
      send.acknowledgedAt = now;
      acknowledged += 1;
      if (!isAhead()) await claim(claimant);
    }
  };
  const claimUntilDone = async (db: Database) => {
    for (; !isOver(); await sleep(dice.roll(10))) if (!isAhead()) await claim(db);
  };
  const promote = async () => {
    for (; !isOver(); await sleep(5)) {
      await promoteDueSends(promoting, "live");
      await resendInDoubt(promoting, "live", { inDoubtSeconds: 1, inDoubtMaxSeconds: 2 });
    }
  };
  await Promise.all([
    promote(),
    ...suppressing.map((db, lane) => suppressAndClaim(db, claiming[lane] as Database)),
    ...claiming.slice(suppressors).map(claimUntilDone),
  ]);
  return claims;
}

/** Submits with the production code to a provider that records the recipients. */
function openMailedRecipients(db: Database) {
  const { mails, provider } = aProviderThat(answers.accepted);
  const { deps } = aDeliveryFixture(db, provider, { log: createLog("silent") });
  return async (send: ClaimedSend): Promise<string[]> => {
    await submitSend(deps, send, deps.clock());
    const mine = mails.filter(({ tags }) => tags.sendId === send.id);
    return mine.flatMap(({ to }) => to);
  };
}

function countClaim(race: Race, send: RacingSend, claims: Map<string, SeenClaim>): void {
  const { sentAt, mailed } = claims.get(send.id) ?? { sentAt: 0, mailed: [] };
  race.others += send.others.length;
  race.leftOut += send.others.filter((other) => !mailed.includes(other)).length;
  if (send.acknowledgedAt === undefined || sentAt < send.acknowledgedAt) {
    race.before += 1;
    return;
  }
  race.total += 1;
  race.after[send.kind] += 1;
  if (mailed.includes(send.suppressed)) race.mailed += 1;
}
