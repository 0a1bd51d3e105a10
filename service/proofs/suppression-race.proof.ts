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
import { answers, aProviderThat, deliveryTestDeps } from "../test/delivery-deps.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { type FeedbackCell, withFeedbackCell } from "./feedback-cell.ts";
import { mailAgain } from "./mail-again.ts";
import { aRaceRound, type RacingSend, ways } from "./race-round.ts";
import { createDice, type Dice } from "./seeded-random.ts";
import { senderDomain } from "./sending-client.ts";

const fullSize = 10_000;
const suppressors = 3;
const claimers = 2;
const roundSends = 60;

export const proof: Proof = {
  promise: "Whose suppression was acknowledged before a claim was asked for is not mailed, and after its removal is",
  size: { small: 200, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const seed = Date.now() % 2 ** 31;
    const verifiedIdentities = [senderDomain(0)];
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      const race = await runRaces(cell, createDice(seed), size, progress);
      const again = await mailAgain(cell, size / 50, progress);
      const byWay = ways.map((way) => `${race.after[way]} ${way}`).join(", ");
      return {
        figure:
          `${race.total} suppressions acknowledged before the claim was sent (seed ${seed}; ${byWay}), ${race.before} at the same ` +
          `time or after it; ${suppressors} suppressing and ${suppressors + claimers} claiming connections: ${race.mailed} mailed, ` +
          `${race.spared} of ${race.bystanders} others of the same sends left out; ` +
          `${again.reached} of ${again.sends} removed addresses were mailed again (${again.filtered} filtered before)`,
        holds:
          race.total >= size &&
          ways.every((way) => race.after[way] > size / 10) &&
          race.mailed + race.spared === 0 &&
          again.reached === again.sends &&
          again.filtered === again.sends,
      };
    });
  },
};

interface Race {
  total: number;
  after: Record<(typeof ways)[number], number>;
  /** Claimed before the suppression was acknowledged: either may be. */
  before: number;
  mailed: number;
  bystanders: number;
  spared: number;
}

async function runRaces(cell: FeedbackCell, dice: Dice, size: number, progress: ProofTools["progress"]): Promise<Race> {
  const race: Race = {
    total: 0,
    after: { "first claims": 0, retries: 0, "after doubt": 0 },
    before: 0,
    mailed: 0,
    bystanders: 0,
    spared: 0,
  };
  const accountId = await anAccount(cell.db);
  const fromDomain = await aVerifiedDomain(cell.db, accountId);
  const connections = Array.from({ length: 2 * suppressors + claimers + 1 }, () => openOne(cell.url));
  try {
    while (race.total < size) {
      const sends = await aRaceRound(cell.db, { accountId, fromDomain, count: roundSends, dice });
      const stage = { connections, whomItMails: openWhomItMails(cell.db) };
      const claims = await runRound(stage, sends, dice);
      for (const send of sends) judge(race, send, claims);
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

interface Stage {
  connections: Database[];
  whomItMails(send: ClaimedSend): Promise<string[]>;
}

/** When the claim was sent on the clock of this process, and to whom its mail went. */
interface SeenClaim {
  sentAt: number;
  mailed: string[];
}

/** Everything happens at once. The order is that of one process: a number when a claim is sent, one when a commit is known. */
async function runRound({ connections, whomItMails }: Stage, sends: RacingSend[], dice: Dice) {
  const [ticking, ...others] = connections as [Database, ...Database[]];
  const [suppressing, claiming] = [others.slice(0, suppressors), others.slice(suppressors)];
  const claims = new Map<string, SeenClaim>();
  const isOver = () => claims.size === sends.length;
  let now = 0;
  let acknowledged = 0;
  // Claims and suppressions keep close to each other, now one in front and now the other.
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
    for (const send of claimed) claims.set(send.id, { sentAt, mailed: await whomItMails(send) });
  };
  const victims = sends.values();
  const suppressAndClaim = async (db: Database, claimant: Database) => {
    for (const send of victims) {
      const { verdicts } = await applyFeedback(db, [send.bounce], Date.now());
      if (verdicts[0] !== "applied") throw new Error(`a bounce was ${verdicts[0]}`);
      now += 1;
      send.acknowledgedAt = now;
      acknowledged += 1;
      if (!isAhead()) await claim(claimant);
    }
  };
  const claimOn = async (db: Database) => {
    for (; !isOver(); await sleep(dice.roll(10))) if (!isAhead()) await claim(db);
  };
  const tick = async () => {
    for (; !isOver(); await sleep(5)) {
      await promoteDueSends(ticking, "live");
      await resendInDoubt(ticking, "live", { inDoubtSeconds: 1, inDoubtMaxSeconds: 2 });
    }
  };
  await Promise.all([
    tick(),
    ...suppressing.map((db, lane) => suppressAndClaim(db, claiming[lane] as Database)),
    ...claiming.slice(suppressors).map(claimOn),
  ]);
  return claims;
}

/** By the very code that hands over, to a provider that writes down to whom. */
function openWhomItMails(db: Database) {
  const { mails, provider } = aProviderThat(answers.accepted);
  const { deps } = deliveryTestDeps(db, provider, { log: createLog("silent") });
  return async (send: ClaimedSend): Promise<string[]> => {
    await submitSend(deps, send, deps.clock());
    const mine = mails.filter(({ tags }) => tags.sendId === send.id);
    return mine.flatMap(({ to }) => to);
  };
}

function judge(race: Race, send: RacingSend, claims: Map<string, SeenClaim>): void {
  const { sentAt, mailed } = claims.get(send.id) ?? { sentAt: 0, mailed: [] };
  race.bystanders += send.bystanders.length;
  race.spared += send.bystanders.filter((bystander) => !mailed.includes(bystander)).length;
  if (send.acknowledgedAt === undefined || sentAt < send.acknowledgedAt) {
    race.before += 1;
    return;
  }
  race.total += 1;
  race.after[send.way] += 1;
  if (mailed.includes(send.victim)) race.mailed += 1;
}
