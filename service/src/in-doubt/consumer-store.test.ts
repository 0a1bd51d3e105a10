import { expect, test } from "vitest";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { noteAttended, noteReading } from "./consumer-store.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const readerId = "0190d3a0-0000-7000-8000-000000000001";

async function note(hasPolled: boolean) {
  const nothing = { leftId: undefined, emptySecondsAgo: undefined };
  await noteReading(database.db, { readerId, mode: "live", backSeconds: 60, hasPolled, ...nothing });
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

const times = ["attended_at", "attended_since", "polled_at", "polled_since", "reached_noted_at"];

/** As if so many seconds had passed since. */
const passed = (seconds: number) =>
  change(
    database.db,
    `update feedback_signs
     set ${times.map((time) => `${time} = ${time} - make_interval(secs => $1)`).join(", ")}
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
  // Who is there and has not asked yet ends the time as well.
  await note(false);
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

test("how far reading had come is settled when it was noted some time ago", async () => {
  const told = (secondsAgo: number) =>
    change(
      database.db,
      "update feedback_signs set told_at = now(), hand_over_at = now() - make_interval(secs => $1) where mode = 'live'",
      [secondsAgo],
    );
  const settled = async () => {
    const [row] = await database.db.query<{ settled: number | null }>({
      name: "settled",
      text: `select round(extract(epoch from now() - settled_at))::int as settled from feedback_signs where mode = 'live'`,
    });
    return row?.settled;
  };
  await told(1_000);
  await noteAttended(database.db, "live");
  await told(500);
  await passed(10);
  await noteAttended(database.db, "live");
  expect(await settled()).toBeNull();
  await passed(10);
  await noteAttended(database.db, "live");
  expect(await settled()).toBe(1_000);
  await passed(20);
  await noteAttended(database.db, "live");
  expect(await settled()).toBe(500);
});

test("a sign of life is renewed, and rows are forgotten a day after reading came past them, however old", async () => {
  await change(
    database.db,
    `insert into feedback_readers (id, mode, seen_at, back_at)
     select gen_random_uuid(), 'live', now() - age, now() - age
     from (values (interval '25 hours'), (interval '27 hours')) as of (age)`,
  );
  await note(true);
  await change(database.db, "update feedback_readers set seen_at = now() - interval '1 minute' where id = $1", [
    readerId,
  ]);
  const kept = () =>
    database.db.query({
      name: "kept",
      text: `select round(extract(epoch from now() - seen_at) / 60)::int as minutes from feedback_readers order by seen_at`,
    });
  expect(await kept()).toEqual([{ minutes: 1_620 }, { minutes: 1_500 }, { minutes: 1 }]);
  await change(database.db, "update feedback_signs set settled_at = now() - interval '2 hours' where mode = 'live'");
  await note(true);
  expect(await kept()).toEqual([{ minutes: 1_500 }, { minutes: 0 }]);
});
