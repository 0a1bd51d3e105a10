import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { aLogin, anAccount } from "../test/builders.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { bouncesIn, numberAt, storeEvents, storeSuppressions } from "./deep-pages/numbered-lists.ts";
import { createDice } from "./seeded-random.ts";

const fullSize = 3_000_000;
const pageSize = 50;
const randomPages = 20;
const maxDeepMs = 1_000;
const maxFirstP99Ms = 50;

export const proof: Proof = {
  promise:
    "Every announced page of 3,000,000 events and 1,000,000 suppressions is returned within 1 s, and page 1 within 50 ms (p99)",
  covers: [
    "service/migrations",
    "service/proofs/deep-pages",
    "service/src/api/http/deep-reads.ts",
    "service/src/api/http/read-limits.ts",
    "service/src/api/v1/events",
    "service/src/api/v1/list-wire.ts",
    "service/src/api/v1/suppressions",
    "service/src/db",
    "service/src/events",
    "service/src/fair-slots.ts",
    "service/src/suppressions",
  ],
  size: { small: 30_000, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 1, async ({ db, processes, credentialDeps }) => {
      const accountId = await anAccount(db);
      const suppressions = Math.floor(size / 3);
      await storeEvents(db, accountId, size, progress);
      await storeSuppressions(db, accountId, suppressions, progress);
      const lists = listsOf(size, suppressions);
      const { accessToken } = await aLogin(db, credentialDeps.loginDeps, { accountId });
      const getOnce = createGet(processes[0]?.url ?? "", accessToken);
      const get = withinRateLimit(getOnce);

      const deep = await readDeepPages(get, lists, progress);
      const first = await readFirstPages(get, lists, size < fullSize ? 20 : 300, progress);
      const moving = await readWhileEntriesArrive(db, accountId, get, lists, size < fullSize ? 10 : 40);
      const flood = await floodWithDeepPages({ get, getOnce }, lists[0], size < fullSize ? 50 : 300);

      const wrong = deep.wrong + first.wrong + moving.wrong + flood.wrong;
      return {
        figure:
          `${size} events and ${suppressions} suppressions of one account, two thirds live and one third test: last, middle and ` +
          `${randomPages} random pages of each of ${lists.length} lists (events, two types, suppressions), n = ${deep.times.length}: ` +
          `p50 ${at(deep.times, 0.5)} ms, slowest ${at(deep.times, 1)} ms; page 1, n = ${first.times.length}: p50 ${at(first.times, 0.5)} ms, ` +
          `p99 ${at(first.times, 0.99)} ms; ${moving.pages} pages while ${moving.arrived} entries arrived; ${flood.sent} requests for ` +
          `the middle page at once: ${flood.answered} answered, the others 429 or 503 with Retry-After, page 1 meanwhile at most ` +
          `${at(flood.times, 1)} ms; ${wrong} pages with a wrong entry or total. ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`,
        holds:
          wrong === 0 &&
          moving.arrived > 0 &&
          flood.answered > 0 &&
          (size < fullSize || (at(deep.times, 1) <= maxDeepMs && at(first.times, 0.99) < maxFirstP99Ms)),
      };
    }),
};

interface List {
  path: "/api/v1/events" | "/api/v1/suppression";
  type: "Bounce" | "Delivery" | undefined;
  total: number;
}

function listsOf(events: number, suppressions: number): [List, ...List[]] {
  const bounces = Math.ceil(events / bouncesIn);
  return [
    { path: "/api/v1/events", type: undefined, total: events },
    { path: "/api/v1/events", type: "Bounce", total: bounces },
    { path: "/api/v1/events", type: "Delivery", total: events - bounces },
    { path: "/api/v1/suppression", type: undefined, total: suppressions },
  ];
}

interface Page {
  status: number;
  ms: number;
  total: number;
  addresses: string[];
  retryAfter: string | null;
}

type Get = (list: List, page: number) => Promise<Page>;

function createGet(url: string, accessToken: string): Get {
  return async ({ path, type }, page) => {
    const started = performance.now();
    const response = await fetch(
      `${url}${path}?page=${page}&limit=${pageSize}${type === undefined ? "" : `&type=${type}`}`,
      {
        headers: { authorization: `Bearer ${accessToken}` },
        signal: AbortSignal.timeout(30_000),
      },
    );
    // biome-ignore lint/suspicious/noExplicitAny: the proof compares the fields it reads
    const body: any = await response.json();
    const ms = performance.now() - started;
    const [entries, pagination] =
      path === "/api/v1/events" ? [body.data?.events, body.data?.pagination] : [body.data, body.pagination];
    return {
      status: response.status,
      ms,
      total: pagination?.total ?? -1,
      addresses: (entries ?? []).map((entry: { recipient?: string; email?: string }) => entry.recipient ?? entry.email),
      retryAfter: response.headers.get("retry-after"),
    };
  };
}

/** Waits where the account has used up its limit for reads. */
function withinRateLimit(get: Get): Get {
  return async (list, page) => {
    for (;;) {
      const answer = await get(list, page);
      if (answer.status !== 429) return answer;
      await sleep(Number(answer.retryAfter) * 1000);
    }
  };
}

/** Entries arrive only at the new end, so the total of the answer says by how much every known entry has moved. */
function isRight(list: List, page: number, { status, total, addresses }: Page): boolean {
  const arrived = total - list.total;
  const first = (page - 1) * pageSize;
  const positions = Array.from(
    { length: Math.max(0, Math.min(pageSize, total - first)) },
    (_, index) => first + index - arrived,
  );
  const expected = positions.map((position) =>
    position < 0 ? undefined : `to-${numberAt(position, list.type)}@example.test`,
  );
  return (
    status === 200 &&
    addresses.length === expected.length &&
    new Set(addresses).size === addresses.length &&
    expected.every((address, index) => address === undefined || address === addresses[index])
  );
}

function pagesOf({ total }: List): number[] {
  const dice = createDice(total);
  const last = Math.ceil(total / pageSize);
  return [last, Math.ceil(last / 2), ...Array.from({ length: randomPages }, () => 1 + dice.roll(last))];
}

async function readDeepPages(get: Get, lists: List[], progress: ProofTools["progress"]) {
  const times: number[] = [];
  let wrong = 0;
  for (const list of lists) {
    for (const page of pagesOf(list)) {
      const answer = await get(list, page);
      times.push(answer.ms);
      if (!isRight(list, page, answer) || answer.total !== list.total) wrong += 1;
      progress(`page ${page} of ${list.path} ${list.type ?? ""}: ${answer.ms.toFixed(0)} ms`);
    }
  }
  return { times, wrong };
}

async function readFirstPages(get: Get, lists: List[], requests: number, progress: ProofTools["progress"]) {
  const times: number[] = [];
  let wrong = 0;
  for (const list of lists) {
    // Ten warm-up requests, which open connections and prepare plans.
    for (let made = -10; made < requests; made++) {
      const answer = await get(list, 1);
      if (made >= 0) times.push(answer.ms);
      if (!isRight(list, 1, answer)) wrong += 1;
    }
    progress(`page 1 of ${list.path} ${list.type ?? ""} read`);
  }
  return { times, wrong };
}

/** Every page must fit the total in the same answer, although entries arrive between and during the reads. */
async function readWhileEntriesArrive(db: Database, accountId: string, get: Get, lists: List[], reads: number) {
  const writing = new AbortController();
  let arrived = 0;
  const writer = (async () => {
    for (; !writing.signal.aborted; arrived += 2) await storeArrivals(db, accountId, arrived);
  })();
  let wrong = 0;
  const dice = createDice(1);
  const [events, , , suppressions] = lists;
  for (let read = 0; read < reads; read++) {
    for (const list of [events, suppressions]) {
      if (list === undefined) continue;
      const page = 1 + dice.roll(Math.ceil(list.total / pageSize));
      if (!isRight(list, page, await get(list, page))) wrong += 1;
    }
  }
  writing.abort();
  await writer;
  return { wrong, arrived, pages: reads * 2 };
}

async function storeArrivals(db: Database, accountId: string, number: number): Promise<void> {
  await db.query({
    name: "store-arrivals",
    text: `
      with event as (
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
        values (new_id_at(now()), new_id_at(now()), $1, 'live', 'Delivery', now(), 'arrived-' || $2::text || '@example.test')
      )
      insert into suppressions (id, account_id, mode, email, reason)
      values (new_id_at(now()), $1, 'test', 'arrived-' || $2::text || '@example.test', 'complaint')`,
    values: [accountId, String(number)],
  });
}

/** One account requests the middle page many times at once. Meanwhile page 1 must be answered as usual. */
async function floodWithDeepPages({ get, getOnce }: { get: Get; getOnce: Get }, list: List, sent: number) {
  const middle = Math.ceil(list.total / pageSize / 2);
  const flood = Promise.all(Array.from({ length: sent }, () => getOnce(list, middle)));
  const times: number[] = [];
  for (let read = 0; read < 5; read++) times.push((await get(list, 1)).ms);
  const answers = await flood;
  const answered = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status, retryAfter }) => [429, 503].includes(status) && retryAfter !== null);
  const wrong =
    answered.filter((answer) => !isRight(list, middle, answer)).length + sent - answered.length - refused.length;
  return { sent, answered: answered.length, wrong, times };
}

function at(times: number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}
