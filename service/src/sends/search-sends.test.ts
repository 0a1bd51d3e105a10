import { beforeEach, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Mode } from "../mode.ts";
import { indexOldSends } from "../storage/index-old-sends.ts";
import { mergeSearchEntries } from "../storage/merge-search-entries.ts";
import { listSends } from "./list-sends.ts";
import type { SendFilter } from "./send-filter.ts";
import { newSendId } from "./send-id.ts";

const database = useTestDatabase();
const everything: SendFilter = {
  status: undefined,
  recipient: undefined,
  fromDomains: undefined,
  providerMessageId: undefined,
  apiKeyId: undefined,
  before: undefined,
  since: undefined,
  until: undefined,
  limit: 3,
};
let accountId: string;
const start = Date.now() - 86_400_000;

beforeEach(async () => {
  accountId = await anAccount(database.db, { madeAt: start - 86_400_000 });
});

interface Stored {
  at?: number;
  to?: string[];
  keys?: string[] | null;
  mode?: Mode;
  status?: string;
  from?: string;
  account?: string;
  messageId?: string | null;
}

async function store(options: Stored): Promise<string> {
  const { at = start, to = ["jane@example.test"], keys = null, mode = "live", status = "sent" } = options;
  const { from = "a@shop.test", account = accountId, messageId = null } = options;
  const id = newSendId(at);
  await change(
    database.db,
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, recipient_keys, to_count, cc_count, subject, provider_message_id)
     values ($1, $2, $3, $4, $5, $6, $7, 1, 0, 'Hello', $8)`,
    [id, account, mode, status, from, to, keys, messageId],
  );
  return id;
}

const sesIdAt = (ms: number, rest = "12345678-1234-1234-1234-123456789012-000000") =>
  `0102${ms.toString(16).padStart(12, "0")}-${rest}`;

/** All pages, which must be in order and end. */
async function find(filter: Partial<SendFilter>, modes: Mode[] = ["live"]): Promise<string[]> {
  const found: string[] = [];
  let before: string | undefined;
  for (let page = 0; page < 50; page++) {
    const { sends, nextBefore } = await listSends(database.db.forAccount(accountId), modes, {
      ...everything,
      before,
      ...filter,
    });
    found.push(...sends.map(({ id }) => id));
    if (nextBefore === undefined) return found;
    expect(before === undefined || nextBefore < before).toBe(true);
    before = nextBefore;
  }
  throw new Error("the list does not end");
}

async function entriesOf(id: string): Promise<number> {
  return (await change(database.db, "select from send_searches where send_id = $1", [id])).length;
}

describe("by recipient", () => {
  test("each of 50 recipients finds the send, and another address does not", async () => {
    const to = Array.from({ length: 50 }, (_, number) => `To-${number}@Example.test`);
    const id = await store({ to });
    expect(await entriesOf(id)).toBe(50);
    for (const address of to) expect(await find({ recipient: address.toLowerCase() })).toEqual([id]);
    expect(await find({ recipient: "to-50@example.test" })).toEqual([]);
  });

  test("a recipient with its own form of comparison is found by that form", async () => {
    const id = await store({ to: ["Jane@bücher.example"], keys: ["jane@xn--bcher-kva.example"] });
    expect(await find({ recipient: "jane@xn--bcher-kva.example" })).toEqual([id]);
    expect(await find({ recipient: "jane@bücher.example" })).toEqual([]);
  });

  test("pages over hours and within a millisecond return every send once, newest first", async () => {
    const stored: string[] = [];
    for (let number = 0; number < 12; number++) {
      stored.push(await store({ at: start + Math.floor(number / 4) * 3_600_000 }));
      await store({ at: start + number * 60_000, to: ["other@example.test"] });
    }
    expect(await find({ recipient: "jane@example.test" })).toEqual(stored.toSorted().toReversed());
  });

  test("the other filters hold for what the search finds", async () => {
    const failedAt = start + 7_200_000;
    const failed = await store({ status: "bounced", from: "b@other.test", at: failedAt });
    const tested = await store({ mode: "test", at: start + 1 });
    const live = await store({});
    const recipient = "jane@example.test";
    expect(await find({ recipient }, ["live", "test"])).toEqual([failed, tested, live]);
    expect(await find({ recipient }, ["test"])).toEqual([tested]);
    expect(await find({ recipient, status: "bounced" })).toEqual([failed]);
    expect(await find({ recipient, fromDomains: ["other.test"] })).toEqual([failed]);
    expect(await find({ recipient, since: new Date(start + 1_000).toISOString() })).toEqual([failed]);
    expect(await find({ recipient, since: new Date(failedAt).toISOString() })).toEqual([failed]);
    expect(await find({ recipient, until: new Date(failedAt).toISOString() })).toEqual([live]);
    expect(await find({ recipient, since: new Date(failedAt + 1).toISOString() })).toEqual([]);
    expect(await find({ recipient, until: new Date(start).toISOString() })).toEqual([]);
  });

  test("1,500 sends of the other mode do not hide those of this mode", async () => {
    const id = await store({ at: start - 1 });
    await change(
      database.db,
      `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
       select new_id_at(now()), $1, 'test', 'sent', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello' from generate_series(1, 1500)`,
      [accountId],
    );
    expect(await find({ recipient: "jane@example.test" })).toEqual([id]);
  });

  test("another account does not find the send, even where the hashes collide", async () => {
    const foreign = await store({ account: await anAccount(database.db) });
    const [own, searched] = [await store({ to: ["own@example.test"] }), await store({})];
    await change(
      database.db,
      "insert into send_searches (key, send_id) select search_key(id, search_hash($1, 'jane@example.test'), first_fine_id()), id from unnest($2::uuid[]) as id",
      [accountId, [foreign, own]],
    );
    expect(await find({ recipient: "jane@example.test", limit: 1 })).toEqual([searched]);
  });
});

describe("by provider message id", () => {
  test("a send that was submitted promptly is found, and settling it wrote no entry", async () => {
    const id = await store({ at: start });
    const messageId = sesIdAt(start + 9_000);
    await change(database.db, "update sends set provider_message_id = $2 where id = $1", [id, messageId]);
    expect(await entriesOf(id)).toBe(1); // its recipient
    expect(await find({ providerMessageId: messageId })).toEqual([id]);
    expect(await find({ providerMessageId: sesIdAt(start + 9_000, "other") })).toEqual([]);
  });

  test.for([
    ["5 s before its acceptance, by another clock", -5_000, 1],
    ["10 s after its acceptance", 10_000, 1],
    ["6 s before its acceptance", -6_000, 2],
    ["11 s after its acceptance", 11_000, 2],
    ["20 days after its acceptance", 20 * 86_400_000, 2],
  ] as const)("a send that was submitted %s is found", async ([, delay, entries]) => {
    const id = await store({ at: start });
    const messageId = sesIdAt(start + delay);
    await change(database.db, "update sends set provider_message_id = $2 where id = $1", [id, messageId]);
    expect(await entriesOf(id)).toBe(entries);
    expect(await find({ providerMessageId: messageId })).toEqual([id]);
    expect(await find({ providerMessageId: messageId, recipient: "jane@example.test" })).toEqual([id]);
    expect(await find({ providerMessageId: messageId, recipient: "john@example.test" })).toEqual([]);
    expect(await find({ providerMessageId: messageId }, ["test"])).toEqual([]);
  });

  test("ids of any other form find their send", async () => {
    for (const messageId of ["sandbox-1", "0102zz", "ffffffffffffffff-", "' or true --", "a".repeat(900)]) {
      const id = await store({ messageId });
      expect(await find({ providerMessageId: messageId })).toEqual([id]);
    }
  });
});

test("merged entries find the same sends, during and after the merge", async () => {
  const recent = Date.now() - 3_600_000;
  const stored: string[] = [];
  for (let number = 0; number < 8; number++)
    stored.unshift(await store({ at: recent + number * 300_000, messageId: `m-${number}` }));
  const [other, recipient] = [await store({ at: recent, to: ["other@example.test"] }), "jane@example.test"];
  const isFine = "key >= 1::bigint << 56";
  const fineEntries = async () =>
    (await change(database.db, `select from send_searches where ${isFine} and send_id = any ($1)`, [stored])).length;
  expect(await fineEntries()).toBe(16);

  const [progress] = await change(database.db, "select merging_bucket as bucket from search_progress");
  const later = new Date(Date.now() + 15 * 86_400_000).toISOString();
  // A maximum of 0.01 ms ends after one step.
  for (let step = 0; step < 10 && (await fineEntries()) > 0; step++) {
    await mergeSearchEntries(database.db, 0.01, later);
    expect(await find({ recipient })).toEqual(stored);
  }
  await mergeSearchEntries(database.db, 60_000, later);
  expect(await fineEntries()).toBe(0);
  expect(await find({ recipient })).toEqual(stored);
  expect(await find({ recipient: "other@example.test" })).toEqual([other]);
  expect(await find({ providerMessageId: "m-3" })).toEqual([stored[4]]);
  expect(await mergeSearchEntries(database.db, 60_000, later)).toBe(0);
  await change(database.db, "update search_progress set merging_bucket = $1", [progress?.bucket]);
});

describe("sends from before the index", () => {
  test("are found by scanning until a worker has indexed them, and each is found once at every moment", async () => {
    const stored: string[] = [];
    for (let number = 0; number < 5; number++) {
      const at = start + number * 3_600_000;
      stored.unshift(await store({ at, messageId: `late-${number}` }));
    }
    const recipient = "jane@example.test";
    await change(database.db, "delete from send_searches");
    for (const indexedFrom of ["ffffffff-ffff-ffff-ffff-ffffffffffff", stored[2], stored[0]]) {
      await change(database.db, "update search_progress set indexed_from = $1", [indexedFrom]);
      await change(database.db, `delete from send_searches`);
      await change(
        database.db,
        `insert into send_searches select search_key(id, search_hash(account_id, $2), first_fine_id()), id from sends where id >= $1 and account_id = $3`,
        [indexedFrom, recipient, accountId],
      );
      expect(await find({ recipient, limit: 2 })).toEqual(stored);
      expect(await find({ recipient, until: new Date(start + 1).toISOString() })).toEqual(stored.slice(-1));
    }
    expect(await indexOldSends(database.db, 60_000)).toBeGreaterThanOrEqual(4);
    expect(await indexOldSends(database.db, 60_000)).toBe(0);
    expect(await find({ recipient })).toEqual(stored);
    expect(await find({ providerMessageId: "late-3" })).toEqual([stored[1]]);
  });

  test("indexing all sends again adds no entry", async () => {
    await store({ messageId: "again" });
    const entries = async () => {
      await change(database.db, "update search_progress set indexed_from = 'ffffffff-ffff-ffff-ffff-ffffffffffff'");
      await indexOldSends(database.db, 60_000);
      return (await change(database.db, "select from send_searches")).length;
    };
    expect(await entries()).toBe(await entries());
  });
});
