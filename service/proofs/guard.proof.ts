import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { releaseFromGuard } from "../src/guard/guard-store.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { type FeedbackCell, killProcess, untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { changeSimulator } from "./cell/simulator-control.ts";
import {
  type AccountProgress,
  aGuardedSender,
  domainsOf,
  feed,
  type GuardedSender,
  isEverythingChecked,
  progressOf,
  queueMail,
} from "./guard/guard-traffic.ts";
import { until } from "./until.ts";

const fullSize = 10;
const perSecond = 20;
const maxOutcomes = 400;
/** Mail of each held account that was accepted before the release; all of it bounces. */
const oldMail = 220;
/** A worker is killed when the first account has so many outcomes: shortly before there are enough, and shortly after. */
const killsAt = { small: [200], full: [60, 120, 180, 195, 205, 215, 230] };

export const proof: Proof = {
  promise:
    "An account with 12 % hard bounces is on hold before its 400th outcome while others go on, also when workers are killed; one " +
    "complaint in 200 holds nobody; a released account is not put on hold again by its old mail",
  covers: [
    "service/migrations",
    "service/proofs/guard",
    "service/src/accounts",
    "service/src/feedback",
    "service/src/guard",
    "service/src/loops",
    "service/src/queue",
    "service/src/usage",
  ],
  size: { small: 1, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const names = Array.from({ length: size }, (_, index) => index);
    const all = [...names.flatMap((index) => [`bad-${index}`, `good-${index}`]), "one"];
    const verifiedIdentities = all.flatMap((name) => Object.values(domainsOf(name)));
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      const bad = await Promise.all(names.map((index) => aGuardedSender(cell, `bad-${index}`, 12)));
      const good = await Promise.all(names.map((index) => aGuardedSender(cell, `good-${index}`, 4)));
      const one = await aGuardedSender(cell, "one", 0);
      const outcome = { kind: "complain", feedbackType: "abuse" };
      await changeSimulator(cell.simulator, "POST", "rules", { match: { fromDomain: one.domain }, times: 1, outcome });
      // SQS delivers again after 3 s, and not after 30 s, what a killed worker had received.
      await changeSimulator(cell.simulator, "PUT", "clock", { speed: 10 });
      const workers = await Promise.all([cell.start("worker"), cell.start("worker")]);
      await untilRateIsKnown(cell);

      const kills = await sendUntilHeld(cell, { bad, others: [...good, one], workers, size }, progress);
      for (const sender of bad) await queueMail(cell.db, { ...sender, hardBouncePercent: 100 }, oldMail);
      progress("all accounts are held");
      await untilQuiet(cell, [...good, one]);
      progress("the mail of the others has gone out");
      await until("the mail of the held accounts is parked", 60, async () =>
        (await progressOfAll(cell, bad)).every(({ parked, underWay }) => underWay === 0 && parked >= oldMail),
      );
      const held = await progressOfAll(cell, bad);
      const others = await progressOfAll(cell, [...good, one]);
      progress("releasing the held accounts");
      for (const { accountId } of bad) await releaseFromGuard(cell.db, accountId);
      await untilQuiet(cell, bad);
      const released = await progressOfAll(cell, bad);
      return evaluate({ held, others, released, kills, size });
    });
  },
};

interface Traffic {
  bad: GuardedSender[];
  others: GuardedSender[];
  workers: PosternProcess[];
  size: number;
}

/** Returns the number of killed workers; each is replaced. */
async function sendUntilHeld(
  cell: FeedbackCell,
  { bad, others, workers, size }: Traffic,
  progress: ProofTools["progress"],
): Promise<number> {
  const marks = [...(size === fullSize ? killsAt.full : killsAt.small)];
  let kills = 0;
  const one = others.at(-1);
  let sending = [...bad, ...others];
  const isDone = async () => {
    const states = await progressOfAll(cell, bad);
    const [first] = states;
    progress(`outcomes ${states.map(({ outcomes }) => outcomes).join(", ")}; ${kills} workers killed`);
    if (marks[0] !== undefined && (first?.outcomes ?? 0) >= marks[0]) {
      marks.shift();
      const killed = workers.shift();
      if (killed !== undefined) await killProcess(killed);
      kills++;
      workers.push(await cell.start("worker"));
    }
    // An account that is held still sends, or a hold that nobody obeys would look like success.
    sending = [
      ...bad.filter((_, index) => (states[index]?.outcomes ?? 0) < 2 * maxOutcomes),
      ...others.filter((sender) => sender !== one || sender.queued < 200),
    ];
    const slowest = Math.min(...(await progressOfAll(cell, others)).map(({ outcomes }) => outcomes));
    return states.every(({ isHeld }) => isHeld) && slowest >= 200;
  };
  await feed(cell.db, () => sending, { perSecond, withinSeconds: 120, isDone });
  return kills;
}

/** No send of these accounts waits to be claimed, and every outcome is counted and checked. */
async function untilQuiet(cell: FeedbackCell, senders: GuardedSender[]): Promise<void> {
  let before = -1;
  await until(
    "all mail has its outcome",
    120,
    async () => {
      const states = await progressOfAll(cell, senders);
      const outcomes = states.reduce((sum, state) => sum + state.outcomes, 0);
      const isQuiet = states.every(({ underWay }) => underWay === 0) && outcomes === before;
      before = outcomes;
      return isQuiet && (await cell.queued()) === 0 && (await isEverythingChecked(cell.db));
    },
    1_000,
  );
}

function progressOfAll({ db }: FeedbackCell, senders: GuardedSender[]): Promise<AccountProgress[]> {
  return Promise.all(senders.map(({ accountId }) => progressOf(db, accountId)));
}

interface Measured {
  held: AccountProgress[];
  others: AccountProgress[];
  released: AccountProgress[];
  kills: number;
  size: number;
}

function evaluate({ held, others, released, kills, size }: Measured): Finding {
  const latest = Math.max(...held.map(({ outcomes }) => outcomes));
  const wrongHolds = others.filter(({ isHeld }) => isHeld).length;
  const one = others.at(-1);
  const oldBounces = released.reduce(
    (sum, { hardBounces }, index) => sum + hardBounces - (held[index]?.hardBounces ?? 0),
    0,
  );
  const heldAgain = released.filter(({ isHeld }) => isHeld).length;
  const counted = released.reduce((sum, state) => sum + state.counted, 0);
  const fewest = Math.min(...others.map(({ outcomes }) => outcomes));
  return {
    figure:
      `${size} account(s) with 12 % hard bounces, ${kills} worker(s) killed: all on hold, the latest after ${latest} outcomes; ` +
      `${others.length} other accounts had ${fewest} outcomes or more, ${one?.complaints ?? 0} complaint in ${one?.outcomes ?? 0} in one of ` +
      `them: ${wrongHolds} on hold; after the release ${oldBounces} hard bounces of old mail: ${counted} counted, ${heldAgain} put on hold again`,
    holds:
      held.every(({ isHeld, outcomes }) => isHeld && outcomes >= 200 && outcomes < maxOutcomes) &&
      kills > 0 &&
      wrongHolds === 0 &&
      one?.complaints === 1 &&
      fewest >= 200 &&
      oldBounces >= 200 * size &&
      counted === 0 &&
      heldAgain === 0,
  };
}
