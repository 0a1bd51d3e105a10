import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof } from "../../scripts/proof.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { indexOldSends } from "../src/storage/index-old-sends.ts";
import { aLogin, anAccount } from "../test/builders.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { type AcceptWal, measureAcceptWal } from "./search/accept-wal.ts";
import {
  change,
  type NumberedSend,
  type NumberedSends,
  sendOf,
  storeNumberedSends,
  unmergeNewest,
} from "./search/numbered-sends.ts";
import { createDice } from "./seeded-random.ts";

const fullSize = 10_000_000;
const maxP99Ms = 200;
const maxWalRatio = 1.1;
const accounts = 21;
const yearMs = 365 * 86_400_000;

export const proof: Proof = {
  promise:
    "One mail among 10,000,000 sends of a year is found by recipient and by provider message id within 200 ms (p99), for at most 10 % " +
    "more WAL per accept of a mail with one recipient",
  covers: [
    "service/migrations",
    "service/proofs/search",
    "service/src/accept/accept-statement.ts",
    "service/src/api/v1/sends",
    "service/src/db",
    "service/src/sends",
    "service/src/storage",
  ],
  size: { small: 10_000, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 1, async ({ db, processes, credentialDeps }) => {
      const isSmall = size < 1_000_000;
      const accountIds: string[] = [];
      const madeAt = Date.now() - 2 * yearMs;
      for (let made = 0; made < accounts; made++) accountIds.push(await anAccount(db, { madeAt }));
      const sends: NumberedSends = { count: size, newestMs: Date.now() - 60_000, accountIds };
      await storeNumberedSends(db, sends, progress);
      const [name] = await db.query<{ name: string }>({
        name: "name",
        text: "select current_database()::text as name",
      });
      const url = new URL(`/${name?.name}`, serverUrl).href;
      await withLongStatements(url, (owner) => change(owner, "analyze sends"));

      const logIn = async (): Promise<Search> => {
        const tokens = new Map<string, string>();
        for (const accountId of accountIds)
          tokens.set(accountId, (await aLogin(db, credentialDeps.loginDeps, { accountId })).accessToken);
        return createSearch(processes[0]?.url ?? "", tokens);
      };
      const early = await searchAll(await logIn(), sends, isSmall ? 20 : 50, ["recipient"], true);

      const startedAt = performance.now();
      for (let indexed = 0, more = 1; more > 0; indexed += more) {
        more = await indexOldSends(db, 5_000);
        progress(`${indexed} of ${size} old sends indexed`);
      }
      const indexSeconds = (performance.now() - startedAt) / 1_000;

      await withLongStatements(url, unmergeNewest);
      // The first tokens may have expired meanwhile.
      const search = await logIn();
      const warmUp = await searchAll(search, sends, isSmall ? 20 : 200, ["recipient", "provider_message_id"], false);
      const byRecipient = await searchAll(search, sends, isSmall ? 100 : 1_000, ["recipient"], false);
      const byMessageId = await searchAll(search, sends, isSmall ? 100 : 1_000, ["provider_message_id"], false);
      const absent = await searchAll(search, sends, isSmall ? 20 : 200, ["absent"], false);
      progress("searched");
      const wal = await withLongStatements(url, (owner) =>
        measureAcceptWal(owner, url, { accepts: isSmall ? 400 : 12_000, checkpoints: !isSmall }),
      );

      const wrong = early.wrong + warmUp.wrong + byRecipient.wrong + byMessageId.wrong + absent.wrong;
      const slowest = Math.max(...[byRecipient, byMessageId].map(({ times }) => at(times, 0.99)));
      return {
        figure:
          `${size} sends of a year, half of them of one account, the others of ${accounts - 1} more: by recipient ${summary(byRecipient.times)}; ` +
          `by provider message id ${summary(byMessageId.times)}; an address that no send has ${summary(absent.times)}. ` +
          `${early.times.length} searches before the sends were indexed found theirs by scanning; a worker indexed all in ` +
          `${indexSeconds.toFixed(0)} s. ${wrong} wrong answers. WAL per accept${isSmall ? "" : ", full pages after checkpoints included"}: ${walText(wal)}. ` +
          `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`,
        holds: wrong === 0 && isLittleWal(wal, isSmall) && (isSmall || slowest <= maxP99Ms),
      };
    }),
};

/** The promise is about mails with one recipient. At full size it needs a version of PostgreSQL that counts the WAL. */
function isLittleWal(wal: AcceptWal[] | undefined, isSmall: boolean): boolean {
  if (wal === undefined) return isSmall;
  const promised = wal.filter(({ recipients }) => recipients === 1);
  return promised.length > 0 && promised.every(({ before, after }) => after <= before * maxWalRatio);
}

/** Vacuum and checkpoints take longer than a statement of Postern may. */
async function withLongStatements<Result>(url: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  const options = { url, poolSize: 1, applicationName: "proof", onIdleError: () => undefined };
  const db = openDatabase({ ...options, statementTimeoutMs: 900_000 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

type Field = "recipient" | "provider_message_id" | "absent";

interface Answer {
  ms: number;
  /** Provider message ids. A 503 is a wrong answer. */
  found: string[];
  next: string | undefined;
}

type Search = (send: NumberedSend, field: Field, before?: string) => Promise<Answer>;

function createSearch(url: string, tokens: Map<string, string>): Search {
  return async (send, field, before) => {
    const query =
      field === "provider_message_id"
        ? `provider_message_id=${send.providerMessageId}`
        : `recipient=${field === "absent" ? `no-${send.recipient}` : send.recipient.toUpperCase()}`;
    for (;;) {
      const startedAt = performance.now();
      const response = await fetch(`${url}/api/v1/sends?${query}${before === undefined ? "" : `&before=${before}`}`, {
        headers: { authorization: `Bearer ${tokens.get(send.accountId)}` },
        signal: AbortSignal.timeout(30_000),
      });
      // biome-ignore lint/suspicious/noExplicitAny: the proof compares the fields it reads
      const body: any = await response.json();
      const ms = performance.now() - startedAt;
      if (response.status === 429) {
        await sleep(Number(response.headers.get("retry-after")) * 1_000);
        continue;
      }
      if (response.status === 503) return { ms, found: ["503"], next: undefined };
      if (response.status !== 200)
        throw new Error(`a search was answered with ${response.status}: ${JSON.stringify(body)}`);
      const found = body.data.sends.map((one: { provider_message_id: string }) => one.provider_message_id);
      return { ms, found, next: body.data.pagination.next_before ?? undefined };
    }
  };
}

/** Searches sends with random numbers, one after the other. `isPaged`: the send may be on a later page. */
async function searchAll(search: Search, sends: NumberedSends, count: number, fields: Field[], isPaged: boolean) {
  const dice = createDice(count);
  const times: number[] = [];
  let wrong = 0;
  for (let made = 0; made < count; made++) {
    for (const field of fields) {
      // Scanning finds the newest sends with few pages.
      const send = sendOf(dice.roll(isPaged ? Math.min(sends.count, 30_000) : sends.count), sends);
      let answer = await search(send, field);
      times.push(answer.ms);
      while (isPaged && answer.found.length === 0 && answer.next !== undefined)
        answer = await search(send, field, answer.next);
      const expected = field === "absent" ? [] : [send.providerMessageId];
      if (answer.found.join(" ") !== expected.join(" ") || (!isPaged && answer.next !== undefined)) wrong += 1;
    }
  }
  return { times, wrong };
}

function summary(times: number[]): string {
  return `n = ${times.length}, p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, slowest ${at(times, 1)} ms`;
}

function walText(wal: AcceptWal[] | undefined): string {
  if (wal === undefined) return "not counted by this version of PostgreSQL";
  const texts = wal.map(({ what, recipients, before, after }) => {
    const text = `${what} ${before.toFixed(0)} bytes without and ${after.toFixed(0)} with the index (${(after / before).toFixed(3)})`;
    return recipients === 1 ? text : `${text}: a limit, an entry for each recipient costs more than the promise allows`;
  });
  return texts.join(", ");
}

function at(times: number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}
