import { inParallel, type SendingClient, type TestSender } from "../sends/sending-client.ts";

export interface Throughput {
  /** Mails a second. */
  single: number;
  batched: number;
}

interface Load {
  client: SendingClient;
  senders: TestSender[];
  urls: string[];
}

const rounds = 4;
const mailsPerBatch = 100;

/** The same number of mails with keys as single sends and in batches, in turns, so that both meet the same machine. */
export async function compareThroughput(load: Load, mails: number): Promise<Throughput> {
  const seconds = { single: 0, batched: 0 };
  const perRound = Math.ceil(mails / rounds / mailsPerBatch) * mailsPerBatch;
  for (let round = 0; round < rounds; round++) {
    seconds.single += await timeOf(() => sendSingly(load, perRound, round));
    seconds.batched += await timeOf(() => sendBatched(load, perRound, round));
  }
  const total = perRound * rounds;
  return { single: total / seconds.single, batched: total / seconds.batched };
}

async function sendSingly({ client, senders, urls }: Load, mails: number, round: number): Promise<void> {
  await inParallel(Array(mails).keys(), 32, async (number) => {
    const [url, sender] = [urls[number % urls.length] ?? "", senders[number % senders.length] as TestSender];
    const { status } = await client.send(url, sender, { idempotency_key: `single-${round}-${number}` });
    if (status !== 202) throw new Error(`a single send got ${status}`);
  });
}

async function sendBatched({ client, senders, urls }: Load, mails: number, round: number): Promise<void> {
  await inParallel(Array(mails / mailsPerBatch).keys(), 4, async (number) => {
    const [url, sender] = [urls[number % urls.length] ?? "", senders[number % senders.length] as TestSender];
    const batch = Array.from({ length: mailsPerBatch }, () => ({}));
    const { status, body } = await client.sendBatch(url, sender, batch, `batched-${round}-${number}`);
    const accepted = body.verdicts?.filter((verdict) => verdict.status === 202).length;
    if (status !== 202 || accepted !== mailsPerBatch) throw new Error(`a batch got ${status}, ${accepted} accepted`);
  });
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
