import { setTimeout as sleep } from "node:timers/promises";
import type { Finding, Proof } from "../../scripts/proof.ts";
import { type QuotaLimits, setQuotas } from "../src/accounts/quota-store.ts";
import type { Database } from "../src/db/database.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { measureClockOffset } from "./clock-offset.ts";
import {
  createSendingClient,
  inParallel,
  makeSenders,
  type SendingClient,
  type TestSender,
} from "./sends/sending-client.ts";

const fullSize = 50;
const lagUs = 5_000_000;
/** The uncertainty when a time on the client's clock is converted to the database clock. */
const clockErrorUs = 3_000;
const limits: [number, number, number] = [10, 100, 600];
const maxRecipients = 3;
/** What the rate limit admits in 5 seconds. */
const admittedInLag = 5 * limits[0] * maxRecipients;
const kinds = ["recipientsPerDay", "trial", "queuedRecipients"] as const satisfies (keyof QuotaLimits)[];

export const proof: Proof = {
  promise:
    "Across two processes an account exceeds a quota by no more than 5 seconds admit, and no permitted request is refused",
  covers: [
    "service/migrations",
    "service/proofs/sends",
    "service/src/accept",
    "service/src/accounts",
    "service/src/db",
    "service/src/queue",
    "service/src/usage",
  ],
  size: { small: 6, full: fullSize },
  run: (accounts, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 2, async ({ db, processes, credentialDeps }) => {
      for (const each of processes) each.ignoreLogs();
      const isFull = accounts === fullSize;
      const [seconds, first, raised] = isFull ? [40, 60, 120] : [10, 30, 50];
      const senders = await makeSenders(db, credentialDeps, accounts, limits);
      const client = createSendingClient(2 * accounts);
      const urls = processes.map(({ url }) => url);
      try {
        const offsetUs = await measureClockOffset(db);
        const nowUs = () => performance.now() * 1000 + offsetUs;
        await setAll(db, senders, first);
        await sleep(isFull ? lagUs / 1000 : 3_000);
        const load = driveAll({ client, senders, urls, nowUs }, seconds);
        progress(`${accounts} accounts with a quota of ${first} recipients`);
        await sleep((seconds * 1000) / 2);
        const raisingUs = nowUs();
        await setAll(db, senders, raised);
        const quotas = { first, raised, raisingUs, raisedUs: nowUs() };
        progress(`the quotas are ${raised} now`);
        const answers = await load;
        const stored = await readStored(db);
        const wrongRepeats = await repeatAll(client, senders, urls, answers);
        return evaluate({ answers, stored, quotas, wrongRepeats, accounts, seconds });
      } finally {
        client.close();
      }
    }),
};

async function setAll(db: Database, senders: TestSender[], limit: number): Promise<void> {
  for (const [index, { accountId }] of senders.entries()) {
    await setQuotas(db, { accountId, mode: "live" }, { [kinds[index % kinds.length] ?? "trial"]: limit });
  }
}

/** The quota of every account, which is raised one after the other between the two times. */
interface RaisedQuota {
  first: number;
  raised: number;
  raisingUs: number;
  raisedUs: number;
}

interface Answer {
  sender: TestSender;
  key: string;
  recipients: string[];
  id: string | undefined;
  outcome: "accepted" | "over-quota" | "over-limit";
  /** Microseconds on the database clock. */
  sentUs: number;
  answeredUs: number;
}

interface Fixture {
  client: SendingClient;
  senders: TestSender[];
  urls: string[];
  nowUs: () => number;
}

/** Each account sends a little more than its rate limit admits, through both processes. */
async function driveAll({ client, senders, urls, nowUs }: Fixture, seconds: number): Promise<Answer[]> {
  const endsAt = performance.now() + seconds * 1000;
  const answers: Answer[] = [];
  const drive = async (sender: TestSender) => {
    for (let number = 0; performance.now() < endsAt; number++) {
      await sleep(Math.random() * 160);
      const recipients = Array.from({ length: 1 + (number % maxRecipients) }, (_, each) => `jane-${each}@example.io`);
      const key = `mail-${number}`;
      const sentUs = nowUs();
      const url = urls[number % urls.length] ?? "";
      const { status, body } = await client.send(url, sender, { to: recipients, idempotency_key: key });
      const outcome = outcomeOf(status, body.error?.code);
      answers.push({ sender, key, recipients, id: body.id, outcome, sentUs, answeredUs: nowUs() });
    }
  };
  await Promise.all(senders.map(drive));
  return answers;
}

function outcomeOf(status: number, code: string | undefined): Answer["outcome"] {
  if (status === 202) return "accepted";
  if (code === "QUOTA_EXCEEDED") return "over-quota";
  if (code === "RATE_LIMIT_EXCEEDED") return "over-limit";
  throw new Error(`a send was answered ${status} ${code}`);
}

/** Repeats an accepted send of every account, whose quota is used up. Returns how many did not get their first answer. */
async function repeatAll(client: SendingClient, senders: TestSender[], urls: string[], answers: Answer[]) {
  let wrong = 0;
  await sleep(1_000);
  await inParallel(senders, 10, async (sender) => {
    const first = answers.find((answer) => answer.sender === sender && answer.outcome === "accepted");
    const body = { to: first?.recipients, idempotency_key: first?.key };
    const { body: repeat } = await client.send(urls[0] ?? "", sender, body);
    if (repeat.id === undefined || repeat.id !== first?.id) wrong += 1;
  });
  return wrong;
}

interface Stored {
  atUs: number;
  recipients: number;
}

async function readStored(db: Database): Promise<Map<string, Stored[]>> {
  const rows = await db.query<Stored & { accountId: string }>({
    name: "stored-recipients",
    text: `
      select account_id as "accountId", (extract(epoch from queued_at) * 1000000)::double precision as "atUs",
        cardinality(to_addresses) as recipients
      from sends
      order by queued_at`,
  });
  return Map.groupBy(rows, ({ accountId }) => accountId);
}

interface Measured {
  answers: Answer[];
  stored: Map<string, Stored[]>;
  quotas: RaisedQuota;
  wrongRepeats: number;
  accounts: number;
  seconds: number;
}

function evaluate({ answers, stored, quotas, wrongRepeats, accounts, seconds }: Measured): Finding {
  const { first, raised, raisingUs } = quotas;
  const overshoots = [...stored.values()].flatMap((sends) => [
    usedAt(sends, raisingUs) - first,
    usedAt(sends, Number.POSITIVE_INFINITY) - raised,
  ]);
  const refusals = answers.filter(({ outcome }) => outcome === "over-quota");
  const wronglyRefused = refusals.filter((refusal) =>
    hadRoom(stored.get(refusal.sender.accountId) ?? [], quotas, refusal),
  );
  const late = [...stored.values()].flatMap((sends) => sends.filter((send) => isLate(sends, quotas, send)));
  const accepted = answers.filter(({ outcome }) => outcome === "accepted").length;
  const atQuota = [...stored.values()].filter(
    (sends) => usedAt(sends, Number.POSITIVE_INFINITY) > raised - maxRecipients,
  );
  const overshoot = Math.max(...overshoots);
  return {
    figure:
      `${accounts} accounts, 2 processes, ${seconds} s: ${accepted} accepted, ${refusals.length} refused above a quota of ${first}, then ` +
      `${raised} recipients; largest overshoot ${Math.max(0, overshoot)} recipients (5 s admit ${admittedInLag}), ${late.length} sends ` +
      `accepted more than 5 s after a quota was used up, ${wronglyRefused.length} permitted requests refused, ${wrongRepeats} of ` +
      `${accounts} repeats without their first answer`,
    holds:
      overshoot <= admittedInLag &&
      late.length === 0 &&
      wronglyRefused.length === 0 &&
      wrongRepeats === 0 &&
      refusals.length > accounts &&
      atQuota.length === accounts,
  };
}

/** The recipients stored up to this time. */
function usedAt(sends: Stored[], us: number): number {
  return sends.reduce((sum, { atUs, recipients }) => (atUs <= us ? sum + recipients : sum), 0);
}

/** A refusal is wrong when the quota of 5 seconds before the request had room for it, even when it was answered. */
function hadRoom(sends: Stored[], quotas: RaisedQuota, { recipients, sentUs, answeredUs }: Answer): boolean {
  const limit = sentUs - lagUs < quotas.raisedUs ? quotas.first : quotas.raised;
  return usedAt(sends, answeredUs + clockErrorUs) + recipients.length <= limit;
}

/** A send is late when it did not fit the quota into what was stored 5 seconds before it. */
function isLate(sends: Stored[], quotas: RaisedQuota, { atUs, recipients }: Stored): boolean {
  const limit = atUs < quotas.raisingUs ? quotas.first : quotas.raised;
  return usedAt(sends, atUs - lagUs) + recipients > limit;
}
