import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aCandidate } from "../../test/a-candidate.ts";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type QuotaLimits, setQuotas } from "../accounts/quota-store.ts";
import { type DatabaseClock, openDatabaseClock } from "../db/database-clock.ts";
import { AppError } from "../errors.ts";
import { newSendId } from "../sends/send-id.ts";
import { type Candidate, createAcceptAdmission, createAcceptRoundTrips, type Decide } from "./accept-batch.ts";
import { decideOrFind } from "./decide-or-find.ts";
import { createQuotas } from "./quotas.ts";

const database = useTestDatabase();

async function aProcess() {
  const clock = await openDatabaseClock(database.db);
  const quotas = createQuotas(database.db, clock);
  await quotas.refresh();
  return { clock, decide: createAcceptRoundTrips(database.db, clock, createAcceptAdmission(), quotas) };
}

interface TestAccount {
  accountId: string;
  domain: string;
}

async function anAccountWith(limits: number[], quotas?: Partial<QuotaLimits>): Promise<TestAccount> {
  const accountId = await anAccount(database.db);
  const domain = await aVerifiedDomain(database.db, accountId, `shop-${randomBytes(5).toString("hex")}.io`);
  await change(
    database.db,
    "update accounts set limit_per_second = $2, limit_per_10_seconds = $3, limit_per_minute = $4 where id = $1",
    [accountId, ...limits],
  );
  if (quotas !== undefined) await setQuotas(database.db, { accountId, mode: "live" }, quotas);
  return { accountId, domain };
}

interface TestMail {
  recipients?: number;
  /** A letter. */
  key?: string;
  domain?: string;
  payload?: string;
}

function aMail(clock: DatabaseClock, account: TestAccount, { recipients = 1, key, domain, payload }: TestMail = {}) {
  const candidate = aCandidate({
    id: newSendId(clock.now()),
    ...account,
    domain: domain ?? account.domain,
    recipients: Array.from({ length: recipients }, (_, number) => `jane-${number}@example.test`),
  });
  if (candidate.send === undefined) throw new Error("the candidate has no send");
  candidate.send.fingerprint = Buffer.from((payload ?? "payload").padEnd(64, "."));
  if (key !== undefined) {
    candidate.send.idempotencyHash = Buffer.from(
      account.accountId.replaceAll("-", "").slice(0, 30) + hexOf(key),
      "hex",
    );
  }
  return candidate;
}

const hexOf = (letter: string) => (letter.codePointAt(0) ?? 0).toString(16);

const wide = [1000, 1000, 60_000];

async function rateWindow(accountId: string) {
  const [row] = await database.db.query<{ admitted: number; fairSeconds: number }>({
    name: "rate-window-of-test",
    text: `
      select totals[cardinality(totals)] as admitted, extract(epoch from fair_at - fair_before)::float8 as "fairSeconds"
      from rate_windows
      where account_id = $1`,
    values: [accountId],
  });
  return row;
}

async function storedSends(accountId: string) {
  return database.db.query<{ id: string; transaction: string; fairSeconds: number }>({
    name: "stored-sends-of-test",
    text: `
      select s.id, s.xmin::text as transaction,
        extract(epoch from q.fair_at - w.fair_before)::float8 as "fairSeconds"
      from sends s
      join send_queue q using (id)
      join rate_windows w on w.account_id = s.account_id and w.mode = s.mode
      where s.account_id = $1
      order by q.fair_at`,
    values: [accountId],
  });
}

describe("the rate limit of requests with several mails", () => {
  test("counts each request once, and all its mails share its admission, when batches and single sends share a statement", async () => {
    const requests = fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 9,
    });
    const { clock, decide } = await aProcess();
    await fc.assert(
      fc.asyncProperty(requests, fc.integer({ min: 1, max: 8 }), async (sizes, limit) => {
        const limits = [limit, 20, 600];
        const [account, other] = [await anAccountWith(limits), await anAccountWith(limits)];
        const decisions = await Promise.all(
          sizes.flatMap((mails) => [
            decide(mails.map((recipients) => aMail(clock, account, { recipients }))),
            decide([aMail(clock, other)]),
          ]),
        );
        const granted = Math.min(limit, sizes.length);
        const admitted = sizes.slice(0, granted).flat();
        for (const [index] of sizes.entries()) {
          const position = Math.min(index + 1, granted);
          const kinds = new Set(decisions[index * 2]?.map(({ kind }) => kind));
          expect([...kinds]).toEqual([index < granted ? "stored" : "over-limit"]);
          for (const decision of decisions[index * 2] ?? []) {
            const remaining = limits.map((each) => each - position);
            expect(decision).toMatchObject({ usage: { limits, remaining } });
          }
        }
        const sends = await storedSends(account.accountId);
        expect(sends).toHaveLength(admitted.length);
        expect(new Set(sends.map(({ transaction }) => transaction)).size).toBe(1);
        // Each recipient moves the next mail back by a minute divided by the limit per minute.
        const sums = admitted.map((_, index) => 0.1 * admitted.slice(0, index + 1).reduce((sum, each) => sum + each));
        expect(sends.map(({ fairSeconds }) => fairSeconds)).toEqual(sums.map((sum) => expect.closeTo(sum, 4)));
        const window = await rateWindow(account.accountId);
        expect(window).toEqual({ admitted: granted, fairSeconds: expect.closeTo(sums.at(-1) ?? 0, 4) });
      }),
      { numRuns: 40 },
    );
  });

  test("a full window refuses the whole request and stores none of its mails", async () => {
    const account = await anAccountWith([1, 20, 100]);
    const { clock, decide } = await aProcess();
    const mails = () => Array.from({ length: 3 }, () => aMail(clock, account));
    expect((await decide(mails())).map(({ kind }) => kind)).toEqual(["stored", "stored", "stored"]);
    const refused = await decide(mails());
    expect(refused).toMatchObject(
      Array.from({ length: 3 }, () => ({ kind: "over-limit", usage: { remaining: [0, 19, 99] } })),
    );
    expect(await storedSends(account.accountId)).toHaveLength(3);
  });

  test("100 mails that arrive behind 150 single sends are stored in one commit", async () => {
    const account = await anAccountWith(wide);
    const { clock, decide } = await aProcess();
    const single = Array.from({ length: 150 }, () => decide([aMail(clock, account)]));
    const mails = Array.from({ length: 100 }, () => aMail(clock, account));
    await Promise.all([...single, decide(mails)]);
    const ids = new Set(mails.map(({ send }) => send?.id));
    const sends = await storedSends(account.accountId);
    expect(sends).toHaveLength(250);
    expect(new Set(sends.filter(({ id }) => ids.has(id)).map(({ transaction }) => transaction)).size).toBe(1);
  });
});

describe("equal idempotency keys in one request", () => {
  test("the first mail is stored, and the others are repeats of it", async () => {
    const account = await anAccountWith(wide);
    const { clock, decide } = await aProcess();
    const mails = ["a", "b", "a"].map((key) => aMail(clock, account, { key }));
    const decisions = await decide(mails);
    expect(decisions).toMatchObject([
      { kind: "stored" },
      { kind: "stored" },
      {
        kind: "repeat",
        answer: { sendId: mails[0]?.send?.id },
        original: { fingerprint: mails[0]?.send?.fingerprint },
      },
    ]);
    expect(await storedSends(account.accountId)).toHaveLength(2);
  });
});

describe("the quotas of requests with several mails", () => {
  const kindsOf = async (decide: Decide, mails: Candidate[]) => (await decide(mails)).map(({ kind }) => kind);

  test("count the recipients of all mails in order: one that does not fit is refused, and a smaller one behind it fits", async () => {
    const account = await anAccountWith(wide, { recipientsPerDay: 10 });
    const { clock, decide } = await aProcess();
    const mails = [4, 4, 3, 2, 1].map((recipients) => aMail(clock, account, { recipients }));
    const decisions = await decide(mails);
    expect(decisions.map(({ kind }) => kind)).toEqual(["stored", "stored", "over-quota", "stored", "over-quota"]);
    expect(decisions[2]).toMatchObject({ quota: { limit: 10, used: 8 } });
    expect(decisions[4]).toMatchObject({ quota: { limit: 10, used: 10 } });
  });

  test("do not count repeats and mails from domains that are not verified", async () => {
    const account = await anAccountWith(wide, { recipientsPerDay: 8 });
    const { clock, decide } = await aProcess();
    const mail = (key: string) => aMail(clock, account, { recipients: 2, key });
    expect(await kindsOf(decide, [mail("a"), mail("b")])).toEqual(["stored", "stored"]);
    const unverified = aMail(clock, account, { recipients: 2, domain: "other.test" });
    const mails = [mail("a"), mail("b"), unverified, mail("c"), mail("c"), mail("d"), mail("e")];
    const expected = ["repeat", "repeat", "domain-not-verified", "stored", "repeat", "stored", "over-quota"];
    expect(await kindsOf(decide, mails)).toEqual(expected);
  });
});

describe("a lost answer for a request with several mails", () => {
  /** Loses the first answer of the database, either after the commit or before the statement ran. */
  function losingFirstAnswer(decide: Decide, isCommitted: boolean): Decide & { calls: number[] } {
    const calls: number[] = [];
    const losing: Decide = async (candidates) => {
      calls.push(candidates.length);
      if (calls.length > 1) return decide(candidates);
      if (isCommitted) await decide(candidates);
      throw new AppError("UNAVAILABLE", "The connection was cut.", { cause: new Error("reset") });
    };
    return Object.assign(losing, { calls });
  }

  test("after the commit, stored mails are found by their ids, and the others are decided again, with and without keys", async () => {
    const account = await anAccountWith(wide);
    const { clock, decide } = await aProcess();
    await decide([aMail(clock, account, { key: "r" })]);
    const losing = losingFirstAnswer(decide, true);
    const outcomes = await decideOrFind({ db: database.db, decide: losing }, [
      aMail(clock, account),
      aMail(clock, account, { key: "r" }),
      aMail(clock, account, { domain: "other.test" }),
      aMail(clock, account, { key: "k" }),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["stored", "repeat", "domain-not-verified", "stored"]);
    expect(losing.calls).toEqual([4, 2]);
    expect(await storedSends(account.accountId)).toHaveLength(3);
  });

  test("the second decision does not count the request again: with one request a second, each refused mail gets its verdict", async () => {
    const account = await anAccountWith([1, 20, 600]);
    const { clock, decide } = await aProcess();
    const outcomes = await decideOrFind({ db: database.db, decide: losingFirstAnswer(decide, true) }, [
      aMail(clock, account),
      aMail(clock, account, { domain: "other.test" }),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["stored", "domain-not-verified"]);
    expect(outcomes[1]).toMatchObject({ usage: { remaining: [0, 19, 599] } });
    expect(await rateWindow(account.accountId)).toMatchObject({ admitted: 1 });
  });

  test("the second decision shares a statement with new requests of the account, and the window counts only those", async () => {
    const account = await anAccountWith([2, 20, 600]);
    const { clock, decide } = await aProcess();
    await decide([aMail(clock, account)]);
    const counted = () => [
      { ...aMail(clock, account), isCounted: true },
      { ...aMail(clock, account), isCounted: true },
    ];
    const decisions = await Promise.all(
      [counted(), [aMail(clock, account)], counted(), [aMail(clock, account)]].map(decide),
    );
    expect(decisions.map((request) => request.map(({ kind }) => kind))).toEqual([
      ["stored", "stored"],
      ["stored"],
      ["stored", "stored"],
      ["over-limit"],
    ]);
    expect(await rateWindow(account.accountId)).toMatchObject({ admitted: 2 });
  });

  test("before the commit, only mails with keys are decided again, and the others stay unknown", async () => {
    const account = await anAccountWith(wide);
    const { clock, decide } = await aProcess();
    const losing = losingFirstAnswer(decide, false);
    const outcomes = await decideOrFind({ db: database.db, decide: losing }, [
      aMail(clock, account),
      aMail(clock, account, { key: "k" }),
    ]);
    expect(outcomes).toMatchObject([{ kind: "unknown", error: { code: "UNAVAILABLE" } }, { kind: "stored" }]);
    expect(losing.calls).toEqual([2, 1]);
    expect(await storedSends(account.accountId)).toHaveLength(1);
  });
});
