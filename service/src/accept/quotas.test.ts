import { describe, expect, test } from "vitest";
import { aCandidate } from "../../test/a-candidate.ts";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type QuotaLimits, setQuotas } from "../accounts/quota-store.ts";
import type { Queryable } from "../db/database.ts";
import { createDatabaseClock, openDatabaseClock } from "../db/database-clock.ts";
import { newSendId } from "../sends/send-id.ts";
import { createAcceptAdmission, createAcceptBatch } from "./accept-batch.ts";
import type { QuotaCost } from "./quota-states.ts";
import { createQuotas } from "./quotas.ts";

const database = useTestDatabase();
const one: QuotaCost = { recipients: 1, queuedRecipients: 1, contentBytes: 6 };

const domainOf = (accountId: string) => `shop-${accountId}.test`;

async function anAccountWith(quotas: Partial<QuotaLimits>) {
  const { db } = database;
  const accountId = await anAccount(db);
  await aVerifiedDomain(db, accountId, domainOf(accountId));
  await change(
    db,
    "update accounts set limit_per_second = 1000, limit_per_10_seconds = 1000, limit_per_minute = 1000 where id = $1",
    [accountId],
  );
  await setQuotas(db, { accountId, mode: "live" }, quotas);
  return { accountId, mode: "live" as const };
}

/** Accepts as one API process does. */
async function aProcess(db: Queryable = database.db) {
  const clock = await openDatabaseClock(database.db);
  const quotas = createQuotas(db, clock);
  await quotas.refresh();
  const decide = createAcceptBatch(database.db, clock, createAcceptAdmission(), quotas);
  const accept = async (accountId: string, recipients = 1) => {
    const addresses = Array.from({ length: recipients }, (_, number) => `jane-${number}@example.test`);
    const decision = await decide(
      aCandidate({ id: newSendId(clock.now()), accountId, domain: domainOf(accountId), recipients: addresses }),
    );
    return decision.kind;
  };
  return { quotas, accept };
}

describe("the quotas of a process", () => {
  test("count what it stored at once, and what other processes stored after a refresh", async () => {
    const account = await anAccountWith({ recipientsPerDay: 4 });
    const [here, there] = [await aProcess(), await aProcess()];
    expect(await here.accept(account.accountId, 3)).toBe("stored");
    expect(await here.accept(account.accountId, 2)).toBe("over-quota");
    await there.quotas.refresh();
    expect(await there.accept(account.accountId, 2)).toBe("over-quota");
    expect(await there.accept(account.accountId)).toBe("stored");
    await here.quotas.refresh();
    expect(await here.accept(account.accountId)).toBe("over-quota");
    expect(here.quotas.statesOf(account)).toMatchObject([{ limit: 4, used: 4 }]);
  });

  test("count a send once whose statement ran while the usage was read", async () => {
    const account = await anAccountWith({ recipientsPerDay: 2 });
    const { quotas, accept } = await aProcess();
    const startedAt = performance.now();
    expect(await accept(account.accountId)).toBe("stored");
    await quotas.refresh();
    quotas.add(account, one, startedAt);
    expect(quotas.statesOf(account)).toMatchObject([{ used: 1 }]);
    quotas.add(account, one, performance.now());
    expect(quotas.statesOf(account)).toMatchObject([{ used: 2 }]);
  });

  test("have room again at 00:00 UTC by the clock of the database, without a refresh", async () => {
    const account = await anAccountWith({ recipientsPerDay: 1 });
    const now = Date.now();
    const clock = createDatabaseClock(now);
    const quotas = createQuotas(database.db, clock);
    await quotas.refresh();
    quotas.add(account, one, performance.now());
    expect(quotas.findExceeded(account, one)?.retryAfterSeconds).toBeGreaterThan(0);
    clock.observe(86_400_000 * (Math.floor(now / 86_400_000) + 1) - 1_500);
    expect(quotas.findExceeded(account, one)).toMatchObject({ retryAfterSeconds: 2 });
    clock.observe(86_400_000 * (Math.floor(now / 86_400_000) + 1));
    expect(quotas.findExceeded(account, one)).toBeUndefined();
    quotas.add(account, one, performance.now());
    expect(quotas.findExceeded(account, one)).toMatchObject({ used: 1 });
  });

  test("hold as last known while the database cannot be read, and count this process's sends on", async () => {
    const account = await anAccountWith({ recipientsPerDay: 2 });
    let isDown = false;
    const { quotas, accept } = await aProcess({
      query: (statement) => (isDown ? Promise.reject(new Error("down")) : database.db.query(statement)),
    });
    expect(await accept(account.accountId)).toBe("stored");
    await quotas.refresh();
    isDown = true;
    await expect(quotas.refresh()).rejects.toThrow("down");
    expect(await accept(account.accountId)).toBe("stored");
    expect(await accept(account.accountId)).toBe("over-quota");
  });

  test("apply a change of a quota, and forget a quota that was lifted, at the next refresh", async () => {
    const account = await anAccountWith({ recipientsPerDay: 0 });
    const { quotas, accept } = await aProcess();
    expect(await accept(account.accountId)).toBe("over-quota");
    await setQuotas(database.db, account, { recipientsPerDay: 1 });
    await quotas.refresh();
    expect(await accept(account.accountId)).toBe("stored");
    expect(await accept(account.accountId)).toBe("over-quota");
    await setQuotas(database.db, account, { recipientsPerDay: null });
    await quotas.refresh();
    expect(await accept(account.accountId)).toBe("stored");
    expect(quotas.statesOf(account)).toEqual([]);
  });

  test("read the usage of an account at its first request, and of idle accounts not at all", async () => {
    const account = await anAccountWith({ recipientsPerDay: 1 });
    const elsewhere = await aProcess();
    const read: string[] = [];
    const { quotas, accept } = await aProcess({
      query: (statement) => {
        read.push(statement.name);
        return database.db.query(statement);
      },
    });
    await elsewhere.accept(account.accountId);
    expect(read).toEqual(["list-quotas"]);
    expect(await accept(account.accountId)).toBe("over-quota");
    expect(await accept(account.accountId)).toBe("over-quota");
    expect(read).toEqual(["list-quotas", "recipients-today"]);
    await quotas.refresh();
    expect(read.slice(2)).toEqual(["list-quotas", "recipients-today"]);
  });

  test("delay a request by half a second at most when the usage does not arrive, and the next ones not at all", async () => {
    const account = await anAccountWith({ recipientsPerDay: 0 });
    const { accept } = await aProcess({
      query: (statement) =>
        statement.name === "list-quotas" ? database.db.query(statement) : new Promise(() => undefined),
    });
    const begun = performance.now();
    for (let count = 0; count < 3; count++) expect(await accept(account.accountId)).toBe("over-quota");
    expect(performance.now() - begun).toBeLessThan(1_400);
  });
});
