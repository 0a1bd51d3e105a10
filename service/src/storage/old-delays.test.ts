import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { dropOldDelays } from "./old-delays.ts";

const database = useTestDatabase();

test("delays are deleted after 90 days, more than one batch of them, and younger ones stay", async () => {
  const { db } = database;
  await db.query({
    name: "store-delays",
    text: `
      insert into delivery_delays (id, send_id, account_id, mode, delayed_at, recipient, delay_type)
      select new_id_at(at), gen_random_uuid(), gen_random_uuid(), 'live', at, 'jane@x.test', 'General'
      from (
        select now() - interval '91 days' as at from generate_series(1, 4500)
        union all
        select now() - interval '89 days' from generate_series(1, 3)
      ) as times`,
  });
  expect(await dropOldDelays(db, 20_000)).toBe(4_500);
  const [row] = await db.query<{ rows: number }>({
    name: "count-delays",
    text: `select count(*) as rows from delivery_delays`,
  });
  expect(row?.rows).toBe(3);
  expect(await dropOldDelays(db, 20_000)).toBe(0);
});
