import { Writable } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aSuppression } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useSesProvider } from "../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { ProviderError } from "../provider/email-provider.ts";
import { suppressionChores } from "./suppression-chores.ts";
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
    await aSuppression(database.db, { accountId: other, email: "angry@x.test" });
    await change(database.db, "update suppressions set reason = 'complaint' where email = 'angry@x.test'");
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
