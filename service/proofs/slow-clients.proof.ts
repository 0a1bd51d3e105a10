import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { createSendingClient, makeSenders, type TestSender } from "./sending-client.ts";
import { gatherSlowCrowd } from "./slow-crowd.ts";

const fullSize = 2_000;
/** One slow body for ten that say nothing. */
const slowShare = 0.1;
const perSecond = 100;
const maxRatio = 2;
/** In a short run beside other tests a single late answer is the p99. */
const smallRoomMs = 100;

export const proof: Proof = {
  promise: "Thousands of idle connections and bodies of a byte a second do not slow down the mail of others",
  size: { small: 100, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 1, async ({ db, processes: [api], desks }) => {
      const [good, bad] = await makeSenders(db, desks, 2, [100_000, 1_000_000, 6_000_000]);
      if (api === undefined || good === undefined || bad === undefined) throw new Error("nobody is there");
      // Longer than the 30 seconds after which the server cuts off a slow body.
      const seconds = size === fullSize ? 40 : 2;
      await sendGoodMail(api.url, good, seconds / 4, () => undefined);
      const alone = await sendGoodMail(api.url, good, seconds, (message) => progress(`alone: ${message}`));
      const slow = size * slowShare;
      const crowd = await gatherSlowCrowd({ port: Number(new URL(api.url).port), idle: size, slow, key: bad.key });
      const present = crowd.state().connected;
      try {
        const crowded = await sendGoodMail(api.url, good, seconds, (message) => progress(`in the crowd: ${message}`));
        const ratio = crowded.p99Ms / alone.p99Ms;
        const room = size === fullSize ? 0 : smallRoomMs;
        return {
          figure:
            `${present} slow clients (${size} idle, ${slow} with a byte a second), ${perSecond} good requests a second for ${seconds} s: ` +
            `p99 ${crowded.p99Ms.toFixed(1)} ms against ${alone.p99Ms.toFixed(1)} ms just before, p50 ${crowded.p50Ms.toFixed(1)} against ` +
            `${alone.p50Ms.toFixed(1)}; ${crowded.failed} of ${crowded.sent} failed; ${crowd.state().connected} still connected, ` +
            `${crowd.state().cut} cut off and come back`,
          holds:
            present === size + slow &&
            crowded.failed + alone.failed === 0 &&
            // A machine that is busy with other tests says nothing about time.
            (size < fullSize ||
              ((ratio <= maxRatio || crowded.p99Ms <= alone.p99Ms + room) && crowd.state().cut > slow)),
        };
      } finally {
        await crowd.disperse();
      }
    }),
};

/** Half of the requests store a mail, half ask for its status; at a steady pace, whatever the answers take. */
async function sendGoodMail(url: string, sender: TestSender, seconds: number, progress: ProofTools["progress"]) {
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
  return { sent: count, failed, p50Ms: at(0.5), p99Ms: at(0.99) };
}
