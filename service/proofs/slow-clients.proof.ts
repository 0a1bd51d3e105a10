import { setTimeout as sleep } from "node:timers/promises";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { createSendingClient, makeSenders, type TestSender } from "./sending-client.ts";
import { gatherSlowCrowd } from "./slow-crowd.ts";

const fullSize = 2_000;
/** One slow body for ten that say nothing. */
const slowShare = 0.1;
const perSecond = 100;
const maxRatio = 2;
/** In turns, because a p99 on a machine with other work moves by more than a factor of two by itself. */
const fullRounds = 3;
const warmUpSeconds = 2;
const aloneSeconds = 30;
/** Longer than the 30 seconds after which the server cuts off a slow body. */
const crowdedSeconds = 40;

export const proof: Proof = {
  promise: "Thousands of idle connections and bodies of a byte a second do not slow down the mail of others",
  size: { small: 100, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 1, async ({ db, processes: [api], allDeps }) => {
      const [good, bad] = await makeSenders(db, allDeps, 2, [100_000, 1_000_000, 6_000_000]);
      if (api === undefined || good === undefined || bad === undefined) throw new Error("nobody is there");
      const isFull = size === fullSize;
      const [port, slow] = [Number(new URL(api.url).port), size * slowShare];
      const rounds: Round[] = [];
      await sendGoodMail(api.url, good, warmUpSeconds, () => undefined);
      while (rounds.length < (isFull ? fullRounds : 1)) {
        const say = (what: string) => (message: string) => progress(`round ${rounds.length + 1}, ${what}: ${message}`);
        const alone = await sendGoodMail(api.url, good, isFull ? aloneSeconds : 2, say("alone"));
        const crowd = await gatherSlowCrowd({ port, idle: size, slow, key: bad.key });
        const { connected } = crowd.state();
        const crowded = await sendGoodMail(api.url, good, isFull ? crowdedSeconds : 2, say("in the crowd"));
        rounds.push({ alone, crowded, connected, cut: crowd.state().cut });
        await crowd.disperse();
      }
      return judge(size, slow, rounds);
    }),
};

interface Round {
  alone: Traffic;
  crowded: Traffic;
  connected: number;
  cut: number;
}

function judge(size: number, slow: number, rounds: Round[]): Finding {
  const isFull = size === fullSize;
  const middle = rounds.toSorted((one, other) => ratioOf(one) - ratioOf(other))[Math.floor(rounds.length / 2)];
  const failed = rounds.reduce((sum, { alone, crowded }) => sum + alone.failed + crowded.failed, 0);
  const compared = rounds.map(
    ({ alone, crowded }) => `${crowded.p99Ms.toFixed(1)} against ${alone.p99Ms.toFixed(1)} ms`,
  );
  const medians = rounds.map(({ alone, crowded }) => `${crowded.p50Ms.toFixed(1)} against ${alone.p50Ms.toFixed(1)}`);
  const ratio = middle === undefined ? Number.NaN : ratioOf(middle);
  return {
    figure:
      `${size} idle clients and ${slow} with a byte a second beside ${perSecond} good requests a second: p99 ${compared.join(", ")} just ` +
      `before (${ratio.toFixed(2)} times, median of ${rounds.length}), p50 ${medians.join(", ")}; ${failed} good requests failed; slow ones ` +
      `cut off and come back: ${rounds.map(({ cut }) => cut).join(", ")}`,
    holds:
      failed === 0 &&
      rounds.every(({ connected, cut }) => connected === size + slow && (!isFull || cut > slow)) &&
      // A machine that is busy with other tests says nothing about time.
      (ratio <= maxRatio || !isFull),
  };
}

function ratioOf({ alone, crowded }: Round): number {
  return crowded.p99Ms / alone.p99Ms;
}

interface Traffic {
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

/** Half of the requests store a mail, half ask for its status; at a steady pace, whatever the answers take. */
async function sendGoodMail(
  url: string,
  sender: TestSender,
  seconds: number,
  progress: ProofTools["progress"],
): Promise<Traffic> {
  const client = createSendingClient(32);
  const count = Math.round(perSecond * seconds);
  const delays: number[] = [];
  let [failed, lastId] = [0, ""];
  const begun = performance.now();
  const timed = async (work: () => Promise<boolean>) => {
    const started = performance.now();
    const isRight = await work().catch(() => false);
    delays.push(performance.now() - started);
    if (!isRight) failed += 1;
  };
  const store = async () => {
    const { status, body } = await client.send(url, sender, {});
    lastId = body.id ?? lastId;
    return status === 202;
  };
  const look = async () => (await client.get(`${url}/api/v1/send/${lastId}/status`, sender)).status === 200;
  const underWay: Promise<void>[] = [];
  for (let number = 0; number < count; number++) {
    await sleep(Math.max(0, begun + (number * 1000) / perSecond - performance.now()));
    underWay.push(timed(number % 2 === 0 || lastId === "" ? store : look));
    progress(`${number + 1} of ${count}`);
  }
  await Promise.all(underWay);
  client.close();
  const sorted = delays.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { failed, p50Ms: at(0.5), p99Ms: at(0.99) };
}
