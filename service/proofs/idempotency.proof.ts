import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { startCuttingProxy } from "./proxies/cutting-proxy.ts";
import { comparePayloads } from "./requests/payload-pairs.ts";
import {
  createSendingClient,
  inParallel,
  makeSenders,
  type SendingClient,
  type TestSender,
} from "./sends/sending-client.ts";

const requestsPerKey = 8;
const pairsPerKey = 10;
const seed = 20_261_115;

export const proof: Proof = {
  promise:
    "Eight parallel requests per idempotency key on two processes, some with lost answers, create one send per key",
  covers: [
    "service/migrations",
    "service/proofs/requests",
    "service/src/accept",
    "service/src/api/v1/sends",
    "service/src/db",
    "service/src/sends",
  ],
  size: { small: 60, full: 10_000 },
  run: async (size, { serverUrl, progress }) => {
    const race = await withApiProcesses(serverUrl, 2, async ({ db, processes, credentialDeps }) => {
      const proxies = await Promise.all(
        processes.map(({ url }) => startCuttingProxy(url, (answer) => answer % 100 === 0)),
      );
      const client = createSendingClient(32);
      try {
        const senders = await makeSenders(db, credentialDeps, 100, [100_000, 1_000_000, 6_000_000]);
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
        `${size} keys x ${requestsPerKey} parallel requests, 2 processes, ${cuts} connections closed after the commit: ${stored} sends, ` +
        `${repeats} of ${answers} answers idempotent, ${wrong} keys with wrong answers, ${serverErrors} answers with 5xx, ` +
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

interface Fixture {
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

async function raceAll(fixture: Fixture, size: number, progress: ProofTools["progress"]): Promise<Tally> {
  const tally: Tally = { answers: 0, repeats: 0, wrong: 0, serverErrors: 0, conflicts: 0 };
  let done = 0;
  await inParallel(Array(size).keys(), 12, async (number) => {
    await raceOne(fixture, number, tally);
    done += 1;
    progress(`${done} of ${size} keys`);
  });
  return tally;
}

/** Each client repeats its request until it has an answer, as an idempotency key allows. */
async function raceOne({ client, senders, urls }: Fixture, number: number, tally: Tally): Promise<void> {
  const sender = senders[number % senders.length] as TestSender;
  const body = { idempotency_key: `key-${number}`, subject: `Order ${number}` };
  let lostAnswers = 0;
  const sendUntilAnswered = async (url: string): ReturnType<SendingClient["send"]> => {
    try {
      return await client.send(url, sender, body);
    } catch {
      lostAnswers += 1;
      return sendUntilAnswered(url);
    }
  };
  const answers = await Promise.all(
    Array.from({ length: requestsPerKey }, (_, index) => sendUntilAnswered(urls[index % urls.length] ?? "")),
  );
  const originals = answers.filter((answer) => answer.body.idempotent === false).length;
  const ids = new Set(answers.map(({ body: { id, queued_at } }) => `${id} ${queued_at}`));
  tally.answers += answers.length;
  tally.repeats += answers.filter((answer) => answer.body.idempotent === true).length;
  tally.serverErrors += answers.filter((answer) => answer.status >= 500).length;
  tally.conflicts += answers.filter((answer) => answer.status === 409).length;
  // The proxy may have dropped the first answer; then all received answers are repeats.
  const isCorrect = answers.every((answer) => answer.status === 202) && ids.size === 1;
  if (!isCorrect || originals > 1 || (originals === 0 && lostAnswers === 0)) tally.wrong += 1;
}

async function countSends(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-all-sends",
    text: `select count(*) as count from sends`,
  });
  return row?.count ?? -1;
}
