import { setTimeout as sleep } from "node:timers/promises";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { startSlowClients } from "./requests/slow-clients.ts";
import { createSendingClient, makeSenders, type TestSender } from "./sends/sending-client.ts";

const fullSize = 2_000;
/** One client with a slow body for every ten idle ones. */
const slowShare = 0.1;
const perSecond = 100;
const maxRatio = 2;
/** The two measurements alternate, because other load alone can move a p99 by more than a factor of two. */
const fullRounds = 3;
const warmUpSeconds = 2;
const aloneSeconds = 30;
/** Longer than the 30 seconds after which the server closes a connection with a slow body. */
const loadedSeconds = 40;

export const proof: Proof = {
  promise: "Thousands of idle connections and bodies with one byte a second do not slow down other clients",
  covers: ["service/proofs/requests", "service/src/api/http", "service/src/processes"],
  size: { small: 100, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 1, async ({ db, processes: [api], credentialDeps }) => {
      const [good, bad] = await makeSenders(db, credentialDeps, 2, [100_000, 1_000_000, 6_000_000]);
      if (api === undefined || good === undefined || bad === undefined)
        throw new Error("the API or its senders are missing");
      const isFull = size === fullSize;
      const [port, slow] = [Number(new URL(api.url).port), size * slowShare];
      const rounds: Round[] = [];
      await sendNormalTraffic(api.url, good, warmUpSeconds, () => undefined);
      while (rounds.length < (isFull ? fullRounds : 1)) {
        const report = (what: string) => (message: string) =>
          progress(`round ${rounds.length + 1}, ${what}: ${message}`);
        const alone = await sendNormalTraffic(api.url, good, isFull ? aloneSeconds : 2, report("alone"));
        const slowClients = await startSlowClients({ port, idle: size, slow, key: bad.key });
        const { connected } = slowClients.state();
        const loaded = await sendNormalTraffic(api.url, good, isFull ? loadedSeconds : 2, report("with slow clients"));
        rounds.push({ alone, loaded, connected, cut: slowClients.state().cut });
        await slowClients.stop();
      }
      return evaluate(size, slow, rounds);
    }),
};

interface Round {
  alone: Traffic;
  loaded: Traffic;
  connected: number;
  cut: number;
}

function evaluate(size: number, slow: number, rounds: Round[]): Finding {
  const isFull = size === fullSize;
  const middle = rounds.toSorted((one, other) => ratioOf(one) - ratioOf(other))[Math.floor(rounds.length / 2)];
  const failed = rounds.reduce((sum, { alone, loaded }) => sum + alone.failed + loaded.failed, 0);
  const compared = rounds.map(
    ({ alone, loaded }) => `${loaded.p99Ms.toFixed(1)} against ${alone.p99Ms.toFixed(1)} ms alone`,
  );
  const medians = rounds.map(({ alone, loaded }) => `${loaded.p50Ms.toFixed(1)} against ${alone.p50Ms.toFixed(1)}`);
  const ratio = middle === undefined ? Number.NaN : ratioOf(middle);
  return {
    figure:
      `${size} idle clients and ${slow} with one byte a second beside ${perSecond} normal requests a second: p99 ${compared.join(", ")} ` +
      `(${ratio.toFixed(2)} times, median of ${rounds.length}), p50 ${medians.join(", ")}; ${failed} normal requests failed; connections ` +
      `closed by the server: ${rounds.map(({ cut }) => cut).join(", ")}`,
    holds:
      failed === 0 &&
      rounds.every(({ connected, cut }) => connected === size + slow && (!isFull || cut > slow)) &&
      // Times measured beside other tests prove nothing.
      (ratio <= maxRatio || !isFull),
  };
}

function ratioOf({ alone, loaded }: Round): number {
  return loaded.p99Ms / alone.p99Ms;
}

interface Traffic {
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

/** Half of the requests store a mail, half read its status, at a fixed rate that does not wait for answers. */
async function sendNormalTraffic(
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
  const readStatus = async () => (await client.get(`${url}/api/v1/send/${lastId}/status`, sender)).status === 200;
  const underWay: Promise<void>[] = [];
  for (let number = 0; number < count; number++) {
    await sleep(Math.max(0, begun + (number * 1000) / perSecond - performance.now()));
    underWay.push(timed(number % 2 === 0 || lastId === "" ? store : readStatus));
    progress(`${number + 1} of ${count}`);
  }
  await Promise.all(underWay);
  client.close();
  const sorted = delays.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { failed, p50Ms: at(0.5), p99Ms: at(0.99) };
}
