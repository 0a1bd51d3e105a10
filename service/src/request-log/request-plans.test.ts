import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { listRequests, type RequestFilter } from "./list-requests.ts";

const database = useTestDatabase();
let accountId = "";
const maxScanned = 10_000;

beforeAll(async () => {
  const { db } = database;
  accountId = await anAccount(db);
  await stopAutovacuum(db, "logged_requests");
  const owners = [accountId, await anAccount(db)];
  for (const [owner, first] of owners.flatMap((one) => [0, 4_000, 8_000].map((from) => [one, from] as const))) {
    await change(
      db,
      `insert into logged_requests (id, account_id, mode, method, route, status, error_code, request_id)
       select new_id_at(now() - n * interval '40 seconds'), $1, 'live', 'POST', '/api/v1/send', 422, 'VALIDATION_ERROR', 'request-' || n
       from generate_series($2::integer + 4000, $2::integer + 1, -1) as n`,
      [owner, first],
    );
  }
});

describe("without statistics", describePages);

describe("with fresh statistics", () => {
  beforeAll(async () => {
    await change(database.db, "analyze logged_requests");
  });
  describePages();
});

function describePages(): void {
  const readBy = (filter: Omit<RequestFilter, "limit">) =>
    costOf(database.db.forAccount(accountId), (db) => listRequests(db, ["live", "test"], { ...filter, limit: 50 }));

  test.for([
    ["the newest page", {}],
    ["a page of an earlier time", { until: new Date(Date.now() - 3_600_000).toISOString() }],
    ["one request by its id", { requestId: "request-11000" }],
    ["a request id that nobody used", { requestId: "nobody" }],
  ] as const)("%s reads a few rows", async ([, filter]) => {
    const { rowsRead, pagesRead } = await readBy(filter);
    expect(rowsRead).toBeLessThanOrEqual(150);
    expect(pagesRead).toBeLessThanOrEqual(300);
  });

  test("a filter that finds nothing reads 10,000 entries of the account at most", async () => {
    const { rowsRead } = await readBy({ errorCode: "CONFLICT" });
    expect(rowsRead).toBeLessThanOrEqual(maxScanned + 150);
  });
}
