import { isDeepStrictEqual } from "node:util";
import type { Account } from "../account.ts";
import type { Check } from "../check.ts";
import { eventTypes } from "../fields.ts";
import { type ListPath, listAll, readPage } from "../list-all.ts";
import type { TestContext, Tests } from "../suite.ts";
import { until } from "../until.ts";

/** The number of entries that the fixture `manySuppressed` adds to each list. */
const added = 60;
/** A test counts the entries of a list up to this length. */
const maxCounted = 900;

export const pageTests: Tests = {
  "4.10-05": (check, context) => checkPages(check, context, "/api/v1/suppression"),
  "4.10-06": async (check, context) => {
    const { total, counted } = await readTotals(context, "/api/v1/suppression", []);
    check.integer("total", total);
    check.holds(`total is at least ${added}`, total >= added, total);
    if (total <= maxCounted) check.equal("total and the number of entries on all pages", total, counted);
  },
  "4.12-07": (check, context) => checkPages(check, context, "/api/v1/events"),
  "4.12-08": async (check, context) => {
    await Promise.all([context.fixtures.complained(), context.fixtures.fullySuppressed()]);
    const { total, counted, byType } = await readTotals(context, "/api/v1/events", eventTypes);
    check.integer("total", total);
    check.holds(`total of bounces is at least ${added}`, (byType.Bounce ?? 0) >= added, byType);
    for (const type of eventTypes)
      check.holds(`total with type=${type} is at least 1`, (byType[type] ?? 0) >= 1, byType);
    const sum = Object.values(byType).reduce((one, next) => one + next, 0);
    check.equal("the sum of the totals of all types", sum, total);
    if (total <= maxCounted) check.equal("total and the number of events on all pages", total, counted);
  },
};

/** Compares three pages of 20 with one page of 60. */
async function checkPages(check: Check, { admin, fixtures }: TestContext, path: ListPath): Promise<void> {
  await fixtures.manySuppressed();
  const idsOn = async (query: Record<string, number>) =>
    (await readPage(admin, path, query)).entries.map(({ id }) => String(id));
  const { long, short } = await readUnchanged(
    () => idsOn({ limit: added }),
    async (whole) => ({
      long: whole,
      short: [
        ...(await idsOn({ limit: 20 })),
        ...(await idsOn({ limit: 20, page: 2 })),
        ...(await idsOn({ limit: 20, page: 3 })),
      ],
    }),
  );
  check.equal("the number of different entries on a page of 60", new Set(long).size, added);
  check.equal("the entries of three pages of 20 and of one page of 60", short, long);
}

async function readTotals({ admin, fixtures }: TestContext, path: ListPath, types: string[]) {
  await fixtures.manySuppressed();
  return readUnchanged(
    () => totalOf(admin, path),
    async (total) => {
      const byType: Record<string, number> = {};
      for (const type of types) byType[type] = await totalOf(admin, path, { type });
      return { total, byType, counted: total > maxCounted ? undefined : (await listAll(admin, path)).length };
    },
  );
}

async function totalOf(account: Account, path: ListPath, query: Record<string, string> = {}): Promise<number> {
  return (await readPage(account, path, { limit: 1, ...query })).pagination?.total;
}

/** Repeats several reads until none of the concurrent tests changed the list while they ran. */
async function readUnchanged<State, Result>(
  readState: () => Promise<State>,
  read: (state: State) => Promise<Result>,
): Promise<Result> {
  const readAll = async () => {
    const before = await readState();
    const result = await read(before);
    return { result, isUnchanged: isDeepStrictEqual(await readState(), before) };
  };
  return (await until(readAll, ({ isUnchanged }) => isUnchanged, 30)).result;
}
