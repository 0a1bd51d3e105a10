import { Writable } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aSuppression } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useSesProvider } from "../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { ProviderError } from "../provider/email-provider.ts";
import type { SuppressionReason } from "../suppression-reason.ts";
import type { ImportEntry } from "./import/import-sources.ts";
import { noteReported } from "./import/import-store.ts";
import { importSuppressions } from "./import/import-suppressions.ts";
import { listDueRemovals } from "./removal-store.ts";
import { suppressionChores } from "./suppression-chores.ts";
import { findSuppressionState } from "./suppression-state.ts";
import { removeSuppression } from "./suppression-store.ts";

const database = useTestDatabase();
const { sesProvider } = useSesProvider();

beforeEach(async () => {
  await change(database.db, "update control_budget set spacing = '1 microsecond', next_at = now()");
  await change(database.db, "delete from suppression_removals");
});

/** A provider that records the removals it is asked for, and fails while `failure` is set. */
function testDeps() {
  const asked: string[] = [];
  const lines: string[] = [];
  const state: { failure: ProviderError | undefined } = { failure: undefined };
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const provider = {
    async removeSuppressedAddress(address: string) {
      asked.push(address);
      if (state.failure !== undefined) throw state.failure;
    },
  };
  const [chore] = suppressionChores({ db: database.db, provider, log: createLog("info", stream) });
  return { asked, lines, state, run: async () => chore?.run() };
}

async function removed(accountId: string, email: string): Promise<void> {
  await aSuppression(database.db, { accountId, email });
  await removeSuppression(database.db.forAccount(accountId), ["live"], email);
}

async function imported(
  accountId: string,
  entries: { email: string; reason: SuppressionReason }[],
  note?: (entries: readonly ImportEntry[]) => Promise<void>,
): Promise<void> {
  async function* records() {
    yield entries.map((entry, line) => ({ line, entry: { ...entry, note: undefined } }));
  }
  const options = { mode: "live" as const, source: "csv", isDryRun: false, ...(note && { noteReported: note }) };
  await importSuppressions(database.db.forAccount(accountId), records(), options);
}

function notes() {
  return change(
    database.db,
    `select email, tries, round(extract(epoch from next_try_at - now()))::integer as "inSeconds"
     from suppression_removals
     order by email`,
  );
}

describe("an address that an account removed from its list", () => {
  test("is removed from the provider's list, once", async () => {
    const accountId = await anAccount(database.db);
    await removed(accountId, "a@x.test");
    await removed(accountId, "b@x.test");
    const { asked, run } = testDeps();
    await run();
    await run();
    expect(asked.toSorted()).toEqual(["a@x.test", "b@x.test"]);
    expect(await notes()).toEqual([]);
  });

  test("is finished when SES does not list it", async () => {
    const accountId = await anAccount(database.db);
    await removed(accountId, "unknown@x.test");
    const log = createLog("silent");
    const [chore] = suppressionChores({ db: database.db, provider: sesProvider(), log });
    await chore?.run();
    expect(await notes()).toEqual([]);
  });

  test("is removed although other accounts suppress it; their suppressions stay", async () => {
    const [one, other] = [await anAccount(database.db), await anAccount(database.db)];
    await aSuppression(database.db, { accountId: other, email: "shared@x.test" });
    await removed(one, "shared@x.test");
    const { asked, run } = testDeps();
    await run();
    expect(asked).toEqual(["shared@x.test"]);
    const left = await change(database.db, "select account_id from suppressions where email = 'shared@x.test'");
    expect(left).toEqual([{ account_id: other }]);
  });

  test("is removed although it bounced meanwhile, because the provider's list itself causes such bounces", async () => {
    const accountId = await anAccount(database.db);
    await removed(accountId, "echo@x.test");
    await aSuppression(database.db, { accountId, email: "echo@x.test" });
    const { asked, run } = testDeps();
    await run();
    expect(asked).toEqual(["echo@x.test"]);
  });

  test("stays on the provider's list when the recipient complained meanwhile about mail of any account", async () => {
    const [one, other] = [await anAccount(database.db), await anAccount(database.db)];
    await removed(one, "angry@x.test");
    await aSuppression(database.db, { accountId: other, email: "angry@x.test", reason: "complaint" });
    const { asked, run } = testDeps();
    await run();
    expect(asked).toEqual([]);
    expect(await notes()).toEqual([]);
    // A removal requested after the complaint is carried out.
    await removed(one, "angry@x.test");
    await run();
    expect(asked).toEqual(["angry@x.test"]);
  });
});

describe("an entry whose reason SES did not report", () => {
  test("is removed without a call of SES, whatever reason its import named", async () => {
    const accountId = await anAccount(database.db);
    const own = database.db.forAccount(accountId);
    await imported(accountId, [{ email: "forged@x.test", reason: "complaint" }]);
    expect(await removeSuppression(own, ["live"], "forged@x.test")).toBe(true);
    expect(await notes()).toEqual([]);
    const { removals } = await findSuppressionState(own, ["live"], "forged@x.test");
    expect(removals).toMatchObject([{ providerStatus: "not_needed" }]);
  });

  test("is no complaint that keeps an address on the list of SES", async () => {
    const [one, other] = [await anAccount(database.db), await anAccount(database.db)];
    await removed(one, "wanted@x.test");
    await imported(other, [{ email: "wanted@x.test", reason: "complaint" }]);
    // Nor where SES reported a bounce, and the import says more.
    await removed(one, "bounced@x.test");
    await aSuppression(database.db, { accountId: other, email: "bounced@x.test" });
    await imported(other, [{ email: "bounced@x.test", reason: "complaint" }]);
    const { asked, run } = testDeps();
    await run();
    expect(asked.toSorted()).toEqual(["bounced@x.test", "wanted@x.test"]);
  });

  test("stays one that SES reported after an import of the same address", async () => {
    const accountId = await anAccount(database.db);
    await aSuppression(database.db, { accountId, email: "real@x.test" });
    await imported(accountId, [
      { email: "real@x.test", reason: "manual" },
      { email: "real@x.test", reason: "complaint" },
    ]);
    await removeSuppression(database.db.forAccount(accountId), ["live"], "real@x.test");
    expect(await notes()).toMatchObject([{ email: "real@x.test" }]);
  });

  test("concerns SES when it comes from the list of SES, also after an import of a file", async () => {
    const accountId = await anAccount(database.db);
    const entries = [{ email: "listed@x.test", reason: "hard_bounce" } as const];
    await imported(accountId, entries);
    await imported(accountId, entries, (given) => noteReported(database.db, accountId, given));
    await removeSuppression(database.db.forAccount(accountId), ["live"], "listed@x.test");
    expect(await notes()).toMatchObject([{ email: "listed@x.test" }]);
  });

  test("concerns SES when code of the release before stored the send of the bounce", async () => {
    const accountId = await anAccount(database.db);
    await aSuppression(database.db, { accountId, email: "old@x.test", isReported: false });
    await change(database.db, "update suppressions set send_id = gen_random_uuid() where email = 'old@x.test'");
    await removeSuppression(database.db.forAccount(accountId), ["live"], "old@x.test");
    expect(await notes()).toMatchObject([{ email: "old@x.test" }]);
  });
});

test("the removals of one account do not delay those of another", async () => {
  const [many, few] = [await anAccount(database.db), await anAccount(database.db)];
  for (const number of [1, 2, 3, 4, 5]) await removed(many, `many-${number}@x.test`);
  await removed(few, "few@x.test");
  const due = await listDueRemovals(database.db, 2);
  expect(due.map(({ email }) => email)).toEqual(["many-1@x.test", "few@x.test"]);
});

describe("a removal that the provider refuses", () => {
  test("is retried with growing delays, and each failure is logged without the address", async () => {
    const accountId = await anAccount(database.db);
    await removed(accountId, "again@x.test");
    const { asked, lines, state, run } = testDeps();
    state.failure = new ProviderError("unavailable", "again@x.test cannot be removed", undefined);
    for (const [tries, inSeconds] of [
      [1, 10],
      [2, 20],
      [3, 40],
    ]) {
      await run();
      await run();
      expect(await notes()).toEqual([{ email: "again@x.test", tries, inSeconds }]);
      await change(database.db, "update suppression_removals set next_try_at = now()");
    }
    expect(asked).toHaveLength(3);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "warn", event: "suppression.not-removed", tries: 1, retry_in_seconds: 10, reason: "unavailable" },
      { tries: 2 },
      { tries: 3 },
    ]);
    expect(lines.join("")).not.toContain("again@x.test");
    state.failure = undefined;
    await run();
    expect(await notes()).toEqual([]);
  });

  test("is retried after at most an hour, however often it failed", async () => {
    const accountId = await anAccount(database.db);
    await removed(accountId, "long@x.test");
    await change(database.db, "update suppression_removals set tries = 40");
    const { state, run } = testDeps();
    state.failure = new ProviderError("denied", "no", undefined);
    await run();
    expect(await notes()).toEqual([{ email: "long@x.test", tries: 41, inSeconds: 3600 }]);
  });

  test("does not delay the removal of other addresses", async () => {
    const accountId = await anAccount(database.db);
    await removed(accountId, "bad@x.test");
    await removed(accountId, "good@x.test");
    const { state, run, asked } = testDeps();
    state.failure = new ProviderError("unavailable", "no", undefined);
    await run();
    expect(asked.toSorted()).toEqual(["bad@x.test", "good@x.test"]);
  });

  test("is not retried when the provider calls the address invalid", async () => {
    const accountId = await anAccount(database.db);
    await removed(accountId, "odd@x.test");
    const { lines, state, run } = testDeps();
    state.failure = new ProviderError("invalid", "no", undefined);
    await run();
    expect(await notes()).toEqual([]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: "error", reason: "invalid" }]);
  });
});

test("a removal requested while another of the same address is in progress is carried out too", async () => {
  const accountId = await anAccount(database.db);
  await removed(accountId, "twice@x.test");
  const asked: string[] = [];
  const provider = {
    async removeSuppressedAddress(address: string) {
      asked.push(address);
      if (asked.length === 1) await removed(accountId, "twice@x.test");
    },
  };
  const [chore] = suppressionChores({ db: database.db, provider, log: createLog("silent") });
  await chore?.run();
  expect(asked).toEqual(["twice@x.test", "twice@x.test"]);
  expect(await notes()).toEqual([]);
});

test("the chore waits for a control-call token, and leaves the rest for the next run when too many calls are waiting", async () => {
  const accountId = await anAccount(database.db);
  await removed(accountId, "waiting@x.test");
  await change(database.db, "update control_budget set next_at = now() + interval '5 seconds'");
  const { asked, run } = testDeps();
  await run();
  expect(asked).toEqual([]);
  expect(await notes()).toMatchObject([{ email: "waiting@x.test", tries: 0 }]);
});
