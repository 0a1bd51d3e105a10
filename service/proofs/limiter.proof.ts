import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { measureClockOffset } from "./clock-offset.ts";
import { createSendingClient, makeSenders, type SendingClient, type TestSender } from "./sends/sending-client.ts";

const windows = [
  { us: 1_000_000, limit: 3 },
  { us: 10_000_000, limit: 20 },
  { us: 60_000_000, limit: 100 },
];
const fullSeconds = 180;
const leastAccepted = 50_000;
/** The uncertainty when a time on the client's clock is converted to the database clock. */
const clockErrorUs = 3_000;

export const proof: Proof = {
  promise:
    "Across two processes no account exceeds a sliding window, and at most 1 in 1,000 permitted requests is refused",
  covers: ["service/migrations", "service/src/accept", "service/src/db"],
  size: { small: 4, full: fullSeconds },
  run: (seconds, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 2, async ({ db, processes, credentialDeps }) => {
      const isFull = seconds === fullSeconds;
      const senders = await makeSenders(db, credentialDeps, isFull ? 300 : 12);
      const client = createSendingClient(64);
      try {
        const urls = processes.map(({ url }) => url);
        const refusals = await driveAll({ client, senders, urls, db }, seconds, progress);
        const admitted = await readAdmitted(db);
        const accepted = [...admitted.values()].reduce((sum, times) => sum + times.length, 0);
        const overshoot = [...admitted.values()].reduce((sum, times) => sum + countOvershoot(times), 0);
        const wronglyRefused = refusals.filter((refusal) =>
          hadRoom(admitted.get(refusal.accountId) ?? [], refusal),
        ).length;
        const decided = accepted + wronglyRefused;
        return {
          figure:
            `${senders.length} accounts, 2 processes, ${seconds} s: ${accepted} accepted, ${refusals.length} refused; overshoot ` +
            `${overshoot} over all sliding windows, ${wronglyRefused} of ${decided} permitted requests refused`,
          holds:
            overshoot === 0 &&
            wronglyRefused * 1000 <= decided &&
            accepted >= (isFull ? leastAccepted : senders.length * 5),
        };
      } finally {
        client.close();
      }
    }),
};

interface Fixture {
  client: SendingClient;
  senders: TestSender[];
  urls: string[];
  db: Database;
}

interface Refusal {
  accountId: string;
  /** Microseconds on the database clock. */
  sentUs: number;
  answeredUs: number;
}

async function driveAll(fixture: Fixture, seconds: number, progress: ProofTools["progress"]): Promise<Refusal[]> {
  const offsetUs = await measureClockOffset(fixture.db);
  const nowUs = () => performance.now() * 1000 + offsetUs;
  const endsAt = performance.now() + seconds * 1000;
  const refusals: Refusal[] = [];
  let requests = 0;
  const drive = async (sender: TestSender) => {
    while (performance.now() < endsAt) {
      await sleep(Math.min(pauseMs(), Math.max(0, endsAt - performance.now())));
      const burst = Math.random() < 0.2 ? 1 + Math.floor(Math.random() * 5) : 1;
      await Promise.all(
        Array.from({ length: burst }, async () => {
          const sentUs = nowUs();
          const url = fixture.urls[Math.floor(Math.random() * fixture.urls.length)] ?? "";
          const { status } = await fixture.client.send(url, sender, {});
          requests += 1;
          if (status === 429) refusals.push({ accountId: sender.accountId, sentUs, answeredUs: nowUs() });
          else if (status !== 202) throw new Error(`a send was answered ${status}`);
        }),
      );
      progress(
        `${requests} requests, ${refusals.length} refused, ${Math.ceil((endsAt - performance.now()) / 1000)} s to go`,
      );
    }
  };
  await Promise.all(fixture.senders.map(drive));
  return refusals;
}

/** Mostly close to the limit per minute, sometimes far above it, sometimes a pause that empties the short windows. */
function pauseMs(): number {
  const kind = Math.random();
  if (kind < 0.15) return Math.random() * 60;
  if (kind < 0.9) return 200 + Math.random() * 600;
  return 1000 + Math.random() * 2000;
}

/** The time at which each send was admitted: the limiter stores its time as `queued_at`. */
async function readAdmitted(db: Database): Promise<Map<string, number[]>> {
  const rows = await db.query<{ accountId: string; times: number[] }>({
    name: "admitted-times",
    text: `
      select account_id as "accountId",
        array_agg((extract(epoch from queued_at) * 1000000)::double precision order by queued_at) as times
      from sends
      group by account_id`,
  });
  return new Map(rows.map(({ accountId, times }) => [accountId, times]));
}

/** How often one send more than the limit was admitted within less than a window. */
function countOvershoot(times: number[]): number {
  return windows.reduce(
    (sum, { us, limit }) =>
      sum + times.filter((at, index) => (times[index + limit] ?? Number.POSITIVE_INFINITY) - at < us).length,
    0,
  );
}

/** A refusal is correct when a window was full at any time between request and answer. */
function hadRoom(times: number[], { sentUs, answeredUs }: Refusal): boolean {
  const [from, to] = [sentUs - clockErrorUs, answeredUs + clockErrorUs];
  const moments = [from, ...times.filter((at) => at > from && at <= to)];
  return moments.every((now) =>
    windows.every(({ us, limit }) => times.filter((at) => at > now - us && at <= now).length < limit),
  );
}
