import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { startKilling } from "./batches/kill-connections.ts";
import { isAsExpected, type PlannedBatch, planBatches } from "./batches/planned-batches.ts";
import { compareThroughput } from "./batches/throughput.ts";
import { startCuttingProxy } from "./proxies/cutting-proxy.ts";
import {
  type BatchVerdict,
  createSendingClient,
  inParallel,
  makeSenders,
  type SendingClient,
  type TestSender,
} from "./sends/sending-client.ts";

const fullSize = 10_000;
const copies = 2;
const seed = 20_261_118;

export const proof: Proof = {
  promise:
    "Mails with keys in batches, sent twice through killed connections, are stored exactly as accepted, once each; batches take less time than single sends",
  covers: [
    "service/migrations",
    "service/proofs/batches",
    "service/src/accept",
    "service/src/api/v1/sends",
    "service/src/db",
    "service/src/sends",
  ],
  size: { small: 500, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 2, async ({ db, processes, credentialDeps }) => {
      const urls = processes.map(({ url }) => url);
      const proxies = await Promise.all(urls.map((url) => startCuttingProxy(url, (answer) => answer % 7 === 0)));
      const client = createSendingClient(32);
      try {
        const senders = await makeSenders(db, credentialDeps, 6, [100_000, 1_000_000, 6_000_000]);
        const batches = planBatches(size, senders.length, seed);
        const killer = startKilling(db, batches.length);
        const tally = await sendAll({ client, senders, urls: proxies.map(({ url }) => url) }, batches, progress);
        const killed = await killer.stop();
        const cuts = proxies.reduce((sum, proxy) => sum + proxy.cuts(), 0);
        const stored = await compareStored(db, senders, batches, tally.ids);
        progress("measuring the throughput");
        const { single, batched } = await compareThroughput({ client, senders, urls }, size);
        return {
          figure:
            `${size} mails in ${batches.length} batches, each sent ${copies} times to 2 processes; ${cuts} answers dropped after the commit, ` +
            `${killed} database connections killed while accepting: ${stored.sends} sends, ${stored.missing} missing, ` +
            `${stored.unexpected} that were not accepted, ${tally.twoIds} keys with two ids, ${tally.wrong} of ${tally.verdicts} verdicts ` +
            `wrong, ${tally.repeats} repeats, ${tally.refused} refused (seed ${seed}); then ${Math.round(batched)} mails/s in batches of 100, ` +
            `${Math.round(single)} mails/s as single sends with 32 connections: ratio ${(batched / single).toFixed(1)}. ` +
            `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`,
          holds:
            stored.sends === size &&
            stored.missing + stored.unexpected + tally.twoIds + tally.wrong === 0 &&
            tally.repeats > 0 &&
            tally.refused > 0 &&
            cuts > 0 &&
            killed > 0 &&
            (size < fullSize || batched > single),
        };
      } finally {
        client.close();
        await Promise.all(proxies.map((proxy) => proxy.close()));
      }
    }),
};

interface Fixture {
  client: SendingClient;
  senders: TestSender[];
  urls: string[];
}

interface Tally {
  verdicts: number;
  wrong: number;
  repeats: number;
  refused: number;
  twoIds: number;
  /** The id of each accepted mail, by sender and key. */
  ids: Map<string, string>;
}

async function sendAll(fixture: Fixture, batches: PlannedBatch[], progress: (message: string) => void): Promise<Tally> {
  const tally: Tally = { verdicts: 0, wrong: 0, repeats: 0, refused: 0, twoIds: 0, ids: new Map() };
  const requests = batches.flatMap((batch) => fixture.urls.slice(0, copies).map((url) => ({ batch, url })));
  let done = 0;
  await inParallel(requests, 8, async ({ batch, url }) => {
    count(tally, batch, await sendUntilDecided(fixture, batch, url));
    done += 1;
    progress(`${done} of ${requests.length} batches`);
  });
  return tally;
}

/** Each client repeats its batch until every mail has a verdict, as keys allow. */
async function sendUntilDecided(
  { client, senders }: Fixture,
  batch: PlannedBatch,
  url: string,
): Promise<BatchVerdict[]> {
  const mails = batch.mails.map(({ body }) => body);
  for (;;) {
    try {
      const { status, body } = await client.sendBatch(url, senders[batch.sender] as TestSender, mails, batch.batchKey);
      const verdicts = body.verdicts ?? [];
      const isDecided = status < 500 && verdicts.every((verdict) => verdict.status !== 503);
      if (isDecided) return verdicts;
    } catch {
      // The proxy closed the connection: the mails may be stored.
    }
    await sleep(20);
  }
}

function count(tally: Tally, batch: PlannedBatch, verdicts: BatchVerdict[]): void {
  for (const [index, mail] of batch.mails.entries()) {
    const verdict = verdicts[index];
    tally.verdicts += 1;
    if (!isAsExpected(mail, verdict)) tally.wrong += 1;
    if (verdict?.error !== undefined) tally.refused += 1;
    if (verdict?.send === undefined) continue;
    if (verdict.send.idempotent) tally.repeats += 1;
    const key = `${batch.sender} ${verdict.send.idempotency_key}`;
    const known = tally.ids.get(key) ?? verdict.send.id;
    if (known !== verdict.send.id) tally.twoIds += 1;
    tally.ids.set(key, known);
  }
}

/** What the API answered, against the records and the queue. */
async function compareStored(db: Database, senders: TestSender[], batches: PlannedBatch[], ids: Map<string, string>) {
  const rows = await db.query<{ id: string; accountId: string; subject: string }>({
    name: "stored-of-batches",
    text: `
      select s.id, s.account_id as "accountId", s.subject
      from sends s
      join send_queue q using (id)`,
  });
  const accepted = new Set(ids.values());
  const stored = new Set(rows.map(({ id }) => id));
  const subjects = new Map<string, string>();
  for (const { sender, mails } of batches) {
    for (const { body, expected } of mails) {
      const id = "key" in expected ? ids.get(`${sender} ${expected.key}`) : undefined;
      if (id !== undefined) subjects.set(id, `${senders[sender]?.accountId} ${String(body.subject)}`);
    }
  }
  const isOther = ({ id, accountId, subject }: (typeof rows)[number]) => subjects.get(id) !== `${accountId} ${subject}`;
  return {
    sends: rows.length,
    missing: [...accepted].filter((id) => !stored.has(id)).length,
    unexpected: rows.filter((row) => !accepted.has(row.id) || isOther(row)).length,
  };
}
