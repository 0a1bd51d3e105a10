import { describe, expect, test } from "vitest";
import { auditRows } from "../../../test/audit-rows.ts";
import { anAccount } from "../../../test/builders.ts";
import { aSuppression } from "../../../test/send-builders.ts";
import { change } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import type { SuppressionReason } from "../../suppression-reason.ts";
import type { ReadRecord } from "./import-reader.ts";
import { importSuppressions } from "./import-suppressions.ts";

const database = useTestDatabase();

const entry = (email: string, reason: SuppressionReason = "manual", note?: string): ReadRecord => ({
  line: 1,
  entry: { email, reason, note },
});

async function* pagesOf(...pages: ReadRecord[][]): AsyncGenerator<ReadRecord[]> {
  yield* pages;
}

function run(accountId: string, isDryRun: boolean, ...pages: ReadRecord[][]) {
  const own = database.db.forAccount(accountId);
  return importSuppressions(own, pagesOf(...pages), { mode: "live", source: "csv", isDryRun });
}

function rowsOf(accountId: string) {
  return change(
    database.db,
    "select mode, email, reason, note from suppressions where account_id = $1 order by mode, email",
    [accountId],
  );
}

const many = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, number) => entry(`n${String(from + number).padStart(5, "0")}@x.test`));

describe("an import", () => {
  test("adds what is new, counts what is known, repeated or invalid, and does the same again", async () => {
    const accountId = await anAccount(database.db);
    await aSuppression(database.db, { accountId, email: "n00000@x.test" });
    await aSuppression(database.db, { accountId, email: "n00001@x.test", mode: "test" });
    const problem: ReadRecord = { line: 7, problem: "has no address" };
    const pages = [[...many(0, 1_500), problem], many(1_000, 2_500), [entry("n00002@x.test")]];
    const counts = { added: 2_499, known: 502, invalid: 1, problems: [problem] };
    expect(await run(accountId, true, ...pages)).toEqual(counts);
    expect(await rowsOf(accountId)).toHaveLength(2);
    expect(await auditRows(database.db, accountId, "suppression.import")).toEqual([]);
    expect(await run(accountId, false, ...pages)).toEqual(counts);
    expect(await rowsOf(accountId)).toHaveLength(2_501);
    const audited = await auditRows(database.db, accountId, "suppression.import");
    expect(audited.map(({ after }) => Number(after?.added)).toSorted((one, other) => one - other)).toEqual([
      500, 999, 1_000,
    ]);
    expect(await run(accountId, false, ...pages)).toEqual({ ...counts, added: 0, known: 3_001 });
    expect(await auditRows(database.db, accountId, "suppression.import")).toHaveLength(3);
  });

  test("keeps the first ten invalid records and counts all", async () => {
    const accountId = await anAccount(database.db);
    const wrong = Array.from({ length: 25 }, (_, line): ReadRecord => ({ line, problem: "has no address" }));
    expect(await run(accountId, false, wrong)).toEqual({
      added: 0,
      known: 0,
      invalid: 25,
      problems: wrong.slice(0, 10),
    });
  });

  test("makes a reason stronger and never weaker, also within one file", async () => {
    const accountId = await anAccount(database.db);
    const reasons = ["complaint", "hard_bounce", "manual"] as const;
    for (const reason of reasons) {
      for (const other of reasons) {
        await aSuppression(database.db, { accountId, email: `${reason}-${other}@x.test`, reason });
      }
    }
    const given = reasons.flatMap((reason) => reasons.map((other) => entry(`${reason}-${other}@x.test`, other)));
    const repeated = [entry("twice@x.test", "manual", "first"), entry("twice@x.test", "complaint", "second")];
    expect(await run(accountId, false, [...given, ...repeated])).toMatchObject({ added: 1, known: 10 });
    const stored = new Map((await rowsOf(accountId)).map(({ email, reason }) => [email, reason]));
    for (const [index, reason] of reasons.entries()) {
      for (const [position, other] of reasons.entries()) {
        expect(stored.get(`${reason}-${other}@x.test`)).toBe(reasons[Math.min(index, position)]);
      }
    }
    expect(stored.get("twice@x.test")).toBe("complaint");
  });

  test("of eight processes with the same addresses in opposite orders adds each once", async () => {
    const accountId = await anAccount(database.db);
    const all = many(0, 3_000);
    const runs = Array.from({ length: 8 }, (_, index) => run(accountId, false, index % 2 ? all : all.toReversed()));
    const counts = await Promise.all(runs);
    expect(counts.reduce((sum, { added }) => sum + added, 0)).toBe(3_000);
    expect(await rowsOf(accountId)).toHaveLength(3_000);
  });
});
