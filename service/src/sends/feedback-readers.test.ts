import { expect, test } from "vitest";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { noteAttended, noteReading } from "./feedback-readers.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const readerId = "0190d3a0-0000-7000-8000-000000000001";

async function note(hasPolled: boolean) {
  await noteReading(database.db, { readerId, mode: "live", backSeconds: 60, hasPolled, emptySecondsAgo: undefined });
}

async function ages() {
  const [row] = await database.db.query<Record<string, number | null>>({
    name: "ages",
    text: `
      select round(extract(epoch from now() - attended_since))::int as attended,
        round(extract(epoch from now() - polled_since))::int as polled
      from feedback_signs
      where mode = 'live'`,
  });
  return row;
}

/** As if so many seconds had passed since. */
const passed = (seconds: number) =>
  change(
    database.db,
    `update feedback_signs
     set attended_at = attended_at - make_interval(secs => $1), attended_since = attended_since - make_interval(secs => $1),
       polled_at = polled_at - make_interval(secs => $1), polled_since = polled_since - make_interval(secs => $1)
     where mode = 'live'`,
    [seconds],
  );

test("the queue is read without a gap as long as nobody failed to for a minute", async () => {
  await note(true);
  expect(await ages()).toMatchObject({ polled: 0 });
  await passed(50);
  await note(true);
  await passed(50);
  await note(false);
  expect(await ages()).toMatchObject({ polled: 100 });
  await note(true);
  expect(await ages()).toMatchObject({ polled: 100 });
  await passed(50);
  await note(false);
  await passed(20);
  await note(true);
  expect(await ages()).toMatchObject({ polled: 0 });
});

test("somebody is there without a gap as long as nobody was away for a minute", async () => {
  await noteAttended(database.db, "live");
  expect(await ages()).toEqual({ attended: 0, polled: null });
  await passed(50);
  await noteAttended(database.db, "live");
  await passed(50);
  await noteAttended(database.db, "live");
  expect(await ages()).toMatchObject({ attended: 100 });
  await passed(70);
  await noteAttended(database.db, "live");
  expect(await ages()).toMatchObject({ attended: 0 });
});

test("a row is forgotten a day after it mattered", async () => {
  await change(
    database.db,
    `insert into feedback_readers (id, mode, seen_at, back_at)
     select gen_random_uuid(), 'live', now() - age, now() - age
     from (values (interval '23 hours'), (interval '25 hours')) as of (age)`,
  );
  await note(true);
  const rows = await database.db.query({ name: "kept", text: `select id from feedback_readers` });
  expect(rows).toHaveLength(2);
});
