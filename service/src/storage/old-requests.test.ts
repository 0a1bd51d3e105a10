import { expect, test } from "vitest";
import { aDatabase, inDays, storeEveryHour, value } from "../../test/partitioned-database.ts";
import { copyTemplate } from "../../test/template-database.ts";
import type { Database } from "../db/database.ts";
import { dropOldRequests } from "./old-requests.ts";

const rowsOf = (db: Database) => value(db, "select count(*) from logged_requests");

test("whole days of the request log are dropped 7 days after their end, so no entry is kept for more than 8 days", async () => {
  const { db } = await aDatabase(copyTemplate);
  await value(db, storeEveryHour("logged_requests", "now()", "now()"));
  await dropOldRequests(db, inDays(7));
  expect(await rowsOf(db)).toBe(1);
  expect(await dropOldRequests(db, inDays(8))).not.toHaveLength(0);
  expect(await rowsOf(db)).toBe(0);
  expect(await dropOldRequests(db, inDays(8))).toEqual([]);
});

test("entries that arrived without a partition and counts of hours are deleted after 7 days", async () => {
  const { db } = await aDatabase(copyTemplate);
  for (const age of ["169 hours", "167 hours"]) {
    await value(db, storeEveryHour("logged_requests", `now() - interval '${age}'`, `now() - interval '${age}'`));
    await value(
      db,
      `insert into logged_request_hours (account_id, hour, code, entries)
       values (gen_random_uuid(), now() - interval '${age}', 'NOT_FOUND', 1)`,
    );
  }
  await dropOldRequests(db);
  expect(await rowsOf(db)).toBe(1);
  expect(await value(db, "select count(*) from logged_request_hours")).toBe(1);
});
