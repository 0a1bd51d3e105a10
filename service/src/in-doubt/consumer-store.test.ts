import { expect, test } from "vitest";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { noteWorkersUp, recordHeartbeat } from "./consumer-store.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const consumerId = "0190d3a0-0000-7000-8000-000000000001";

async function note(hasPolled: boolean) {
  const nothing = { leftId: undefined, emptySecondsAgo: undefined };
  await recordHeartbeat(database.db, { consumerId, mode: "live", visibleAgainSeconds: 60, hasPolled, ...nothing });
}

async function ages() {
  const [row] = await database.db.query<Record<string, number | null>>({
    name: "ages",
    text: `
      select round(extract(epoch from now() - workers_up_since))::int as attended,
        round(extract(epoch from now() - polled_since))::int as polled
      from feedback_progress
      where mode = 'live'`,
  });
  return row;
}

const times = ["workers_up_at", "workers_up_since", "polled_at", "polled_since", "read_up_to_noted_at"];

/** As if so many seconds had passed since. */
const passed = (seconds: number) =>
  change(
    database.db,
    `update feedback_progress
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
  await noteWorkersUp(database.db, "live");
  expect(await ages()).toEqual({ attended: 0, polled: null });
  await passed(50);
  await noteWorkersUp(database.db, "live");
  await passed(50);
  await noteWorkersUp(database.db, "live");
  expect(await ages()).toMatchObject({ attended: 100 });
  await passed(70);
  await noteWorkersUp(database.db, "live");
  expect(await ages()).toMatchObject({ attended: 0 });
});

test("how far reading had come is settled when it was noted some time ago", async () => {
  const told = (secondsAgo: number) =>
    change(
      database.db,
      "update feedback_progress set last_report_at = now(), reported_submission_at = now() - make_interval(secs => $1) where mode = 'live'",
      [secondsAgo],
    );
  const settled = async () => {
    const [row] = await database.db.query<{ settled: number | null }>({
      name: "settled",
      text: `select round(extract(epoch from now() - confirmed_read_up_to))::int as settled from feedback_progress where mode = 'live'`,
    });
    return row?.settled;
  };
  await told(1_000);
  await noteWorkersUp(database.db, "live");
  await told(500);
  await passed(10);
  await noteWorkersUp(database.db, "live");
  expect(await settled()).toBeNull();
  await passed(10);
  await noteWorkersUp(database.db, "live");
  expect(await settled()).toBe(1_000);
  await passed(20);
  await noteWorkersUp(database.db, "live");
  expect(await settled()).toBe(500);
});

test("a sign of life is renewed, and rows are forgotten a day after reading came past them, however old", async () => {
  await change(
    database.db,
    `insert into feedback_consumers (id, mode, heartbeat_at, visible_again_at)
     select gen_random_uuid(), 'live', now() - age, now() - age
     from (values (interval '25 hours'), (interval '27 hours')) as of (age)`,
  );
  await note(true);
  await change(database.db, "update feedback_consumers set heartbeat_at = now() - interval '1 minute' where id = $1", [
    consumerId,
  ]);
  const kept = () =>
    database.db.query({
      name: "kept",
      text: `select round(extract(epoch from now() - heartbeat_at) / 60)::int as minutes from feedback_consumers order by heartbeat_at`,
    });
  expect(await kept()).toEqual([{ minutes: 1_620 }, { minutes: 1_500 }, { minutes: 1 }]);
  await change(
    database.db,
    "update feedback_progress set confirmed_read_up_to = now() - interval '2 hours' where mode = 'live'",
  );
  await note(true);
  expect(await kept()).toEqual([{ minutes: 1_500 }, { minutes: 0 }]);
});
