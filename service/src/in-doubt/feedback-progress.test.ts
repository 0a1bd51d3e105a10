import { expect, test } from "vitest";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { noteWorkersUp } from "./feedback-progress.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("workers_up_since is kept while no minute passes without a worker", async () => {
  await noteWorkersUp(database.db, "live");
  expect(await readAges()).toEqual({ workersUp: 0, polled: null, confirmedReadUpTo: null });
  await letPass(50);
  await noteWorkersUp(database.db, "live");
  await letPass(50);
  await noteWorkersUp(database.db, "live");
  expect(await readAges()).toMatchObject({ workersUp: 100 });
  await letPass(70);
  await noteWorkersUp(database.db, "live");
  expect(await readAges()).toMatchObject({ workersUp: 0 });
});

test("read_up_to becomes confirmed_read_up_to only after 15 seconds", async () => {
  await reportSubmission(1_000);
  await noteWorkersUp(database.db, "live");
  await reportSubmission(500);
  await letPass(10);
  await noteWorkersUp(database.db, "live");
  expect(await readAges()).toMatchObject({ confirmedReadUpTo: null });
  await letPass(10);
  await noteWorkersUp(database.db, "live");
  expect(await readAges()).toMatchObject({ confirmedReadUpTo: 1_000 });
  await letPass(20);
  await noteWorkersUp(database.db, "live");
  expect(await readAges()).toMatchObject({ confirmedReadUpTo: 500 });
});

async function reportSubmission(secondsAgo: number) {
  await change(
    database.db,
    "update feedback_progress set last_report_at = now(), reported_submission_at = now() - make_interval(secs => $1) where mode = 'live'",
    [secondsAgo],
  );
}

/** The age of each time in seconds; null when it is not set. */
async function readAges() {
  const [row] = await database.db.query<Record<"workersUp" | "polled" | "confirmedReadUpTo", number | null>>({
    name: "feedback-progress-ages",
    text: `
      select round(extract(epoch from now() - workers_up_since))::int as "workersUp",
        round(extract(epoch from now() - polled_since))::int as polled,
        round(extract(epoch from now() - confirmed_read_up_to))::int as "confirmedReadUpTo"
      from feedback_progress
      where mode = 'live'`,
  });
  return row;
}

/** Simulates that time passes for the workers: moves the times of their notes into the past, not those of events. */
async function letPass(seconds: number) {
  await change(
    database.db,
    `update feedback_progress
     set workers_up_at = workers_up_at - make_interval(secs => $1),
       workers_up_since = workers_up_since - make_interval(secs => $1),
       read_up_to_noted_at = read_up_to_noted_at - make_interval(secs => $1)
     where mode = 'live'`,
    [seconds],
  );
}
