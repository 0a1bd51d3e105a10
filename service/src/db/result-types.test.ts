import { hash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { openDatabase, type Queryable } from "./database.ts";
import { exactInteger, isoTimestamp } from "./result-types.ts";

const shared = useTestDatabase();

test("an int8 is returned as an exact number", async () => {
  const [row] = await ask(shared.db, "select 9007199254740991 as largest, (-9007199254740991)::int8 as smallest");
  expect(row).toEqual({ largest: Number.MAX_SAFE_INTEGER, smallest: Number.MIN_SAFE_INTEGER });
});

test("an int8 outside the exact range of a number throws", () => {
  expect(() => exactInteger("9007199254740992")).toThrow(RangeError);
  expect(() => exactInteger("-9007199254740993")).toThrow(RangeError);
});

test("an int8 outside the exact range fails its query and leaves the connection usable", async () => {
  const db = openDatabase({
    url: shared.url,
    poolSize: 1,
    applicationName: "postern-test",
    onIdleError: () => undefined,
  });
  onTestFinished(() => db.close());
  await expect(ask(db, "select 9007199254740993 as value")).rejects.toThrow(RangeError);
  expect(await ask(db, "select 1::int8 as value")).toEqual([{ value: 1 }]);
});

test.for(["UTC", "Asia/Kathmandu", "America/St_Johns"])(
  "a timestamptz is ISO 8601 in UTC when the session's time zone is %s",
  async (zone) => {
    const row = await shared.db.withTransaction(async (tx) => {
      await ask(tx, `set local timezone = '${zone}'`);
      const [first] = await ask(
        tx,
        "select '2026-02-03 04:05:06.789+00'::timestamptz as at, '1970-01-01 00:00+00'::timestamptz as epoch",
      );
      return first;
    });
    expect(row).toEqual({ at: "2026-02-03T04:05:06.789Z", epoch: "1970-01-01T00:00:00.000Z" });
  },
);

test.for(["06", "06.7", "06.78", "06.789", "06.7899", "06.789999", "59.999999"])(
  "a time of %s seconds is cut to milliseconds, as `Date` does",
  (seconds) => {
    const text = `2026-02-03 04:05:${seconds}+00`;
    expect(isoTimestamp(text)).toBe(new Date(text).toISOString());
  },
);

test("a time that is not a date throws", () => {
  expect(() => isoTimestamp("infinity")).toThrow(RangeError);
});

function ask(db: Queryable, text: string): Promise<Record<string, unknown>[]> {
  return db.query<Record<string, unknown>>({ name: hash("sha1", text), text });
}
