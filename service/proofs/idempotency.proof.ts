import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { comparePayloads } from "./payload-pairs.ts";
import { createSendingClient, inParallel, makeSenders, type SendingClient, type TestSender } from "./sending-client.ts";

const twins = 8;
const pairsPerKey = 10;
const seed = 20_261_115;

export const proof: Proof = {
  promise:
    "Eight twins per idempotency key over two processes, with connections cut after the commit, make one send each",
  size: { small: 60, full: 10_000 },
  run: async (size, { serverUrl, progress }) => {
    const race = await withApiProcesses(serverUrl, 2, async ({ db, processes, allDeps }) => {
      const proxies = await Promise.all(
        processes.map(({ url }) => startCuttingProxy(url, (answer) => answer % 100 === 0)),
      );
      const client = createSendingClient(32);
      try {
        const senders = await makeSenders(db, allDeps, 100, [100_000, 1_000_000, 6_000_000]);
        const urls = proxies.map(({ url }) => url);
        const tally = await raceAll({ client, senders, urls }, size, progress);
        const cuts = proxies.reduce((sum, proxy) => sum + proxy.cuts(), 0);
        return { ...tally, cuts, stored: await countSends(db) };
      } finally {
        client.close();
        await Promise.all(proxies.map((proxy) => proxy.close()));
      }
    });
    const pairs = comparePayloads(size * pairsPerKey, seed, progress);
    const { stored, answers, repeats, wrong, serverErrors, conflicts, cuts } = race;
    return {
      figure:
        `${size} keys x ${twins} twins, 2 processes, ${cuts} connections cut after the commit: ${stored} sends, ` +
        `${repeats} of ${answers} answers idempotent, ${wrong} keys with wrong answers, ${serverErrors} of 5xx, ` +
        `${conflicts} false conflicts; of ${pairs.compared} payload pairs (seed ${seed}) ${pairs.falseMatches} false matches, ` +
        `${pairs.falseConflicts} false conflicts`,
      holds:
        stored === size &&
        wrong === 0 &&
        serverErrors === 0 &&
        conflicts === 0 &&
        cuts > 0 &&
        pairs.falseMatches === 0 &&
        pairs.falseConflicts === 0,
    };
  },
};

interface Stage {
  client: SendingClient;
  senders: TestSender[];
  urls: string[];
}

interface Tally {
  answers: number;
  repeats: number;
  wrong: number;
  serverErrors: number;
  conflicts: number;
}

async function raceAll(stage: Stage, size: number, progress: ProofTools["progress"]): Promise<Tally> {
  const tally: Tally = { answers: 0, repeats: 0, wrong: 0, serverErrors: 0, conflicts: 0 };
  let done = 0;
  await inParallel(Array(size).keys(), 12, async (number) => {
    await raceOne(stage, number, tally);
    done += 1;
    progress(`${done} of ${size} keys`);
  });
  return tally;
}

/** Each twin asks until it has an answer, as a client with a key may. */
async function raceOne({ client, senders, urls }: Stage, number: number, tally: Tally): Promise<void> {
  const sender = senders[number % senders.length] as TestSender;
  const body = { idempotency_key: `key-${number}`, subject: `Order ${number}` };
  let losses = 0;
  const ask = async (url: string): ReturnType<SendingClient["send"]> => {
    try {
      return await client.send(url, sender, body);
    } catch {
      losses += 1;
      return ask(url);
    }
  };
  const answers = await Promise.all(Array.from({ length: twins }, (_, twin) => ask(urls[twin % urls.length] ?? "")));
  const originals = answers.filter((answer) => answer.body.idempotent === false).length;
  const ids = new Set(answers.map(({ body: { id, queued_at } }) => `${id} ${queued_at}`));
  tally.answers += answers.length;
  tally.repeats += answers.filter((answer) => answer.body.idempotent === true).length;
  tally.serverErrors += answers.filter((answer) => answer.status >= 500).length;
  tally.conflicts += answers.filter((answer) => answer.status === 409).length;
  // The first answer may be one of those that were taken away; then all that arrived are repeats.
  const isRight = answers.every((answer) => answer.status === 202) && ids.size === 1;
  if (!isRight || originals > 1 || (originals === 0 && losses === 0)) tally.wrong += 1;
}

async function countSends(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-all-sends",
    text: `select count(*) as count from sends`,
  });
  return row?.count ?? -1;
}
