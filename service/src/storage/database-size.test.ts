import { expect, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { listSizes, measureDatabase } from "./database-size.ts";

const database = useTestDatabase();
const clear = () => change(database.db, "delete from database_sizes");

test("the size is stored once an hour, however many processes measure it", async () => {
  await clear();
  await Promise.all(Array.from({ length: 8 }, () => measureDatabase(database.db)));
  // The test may run across the end of an hour.
  const samples = await listSizes(database.db);
  expect([1, 2]).toContain(samples.length);
  expect(samples.at(-1)?.bytes).toBeGreaterThan(1e6);
  expect(samples.at(-1)?.ageSeconds).toBeLessThan(60);
});

test("samples older than 30 days, and those of a clock that was set back, are deleted", async () => {
  await clear();
  await change(
    database.db,
    `insert into database_sizes (hour, measured_at, bytes)
     select now() - age, now() - age, bytes
     from (values (interval '31 days', 31), ('29 days', 29), ('-2 days', -2)) as samples (age, bytes)`,
  );
  await measureDatabase(database.db);
  const rows = await change(database.db, "select bytes from database_sizes order by hour limit 1");
  expect(rows).toEqual([{ bytes: 29 }]);
  expect(await change(database.db, "select count(*) as count from database_sizes")).toEqual([{ count: 2 }]);
});

test("the samples of the last eight days are listed, oldest first", async () => {
  await clear();
  await change(
    database.db,
    `insert into database_sizes (hour, measured_at, bytes)
     select now() - age, now() - age, extract(epoch from age)
     from (values (interval '9 days'), ('190 hours'), ('1 hour')) as samples (age)`,
  );
  expect(await listSizes(database.db)).toEqual([
    { ageSeconds: expect.closeTo(190 * 3600, -2), bytes: 190 * 3600 },
    { ageSeconds: expect.closeTo(3600, -2), bytes: 3600 },
  ]);
});
