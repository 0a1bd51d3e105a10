import { expect, test } from "vitest";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { recordHeartbeat } from "./consumer-store.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const consumerId = "0190d3a0-0000-7000-8000-000000000001";

test("polled_since is kept while no minute passes without a receive", async () => {
  await heartbeat({ hasPolled: true });
  expect(await polledForSeconds()).toBe(0);
  await letPass(50);
  await heartbeat({ hasPolled: true });
  await letPass(50);
  await heartbeat({ hasPolled: false });
  expect(await polledForSeconds()).toBe(100);
  await heartbeat({ hasPolled: true });
  expect(await polledForSeconds()).toBe(100);
  await letPass(50);
  await heartbeat({ hasPolled: false });
  await letPass(20);
  // A consumer that runs but has not received for a minute resets it as well.
  await heartbeat({ hasPolled: false });
  expect(await polledForSeconds()).toBe(0);
});

test("a heartbeat renews its row and deletes only rows that were visible again a day before confirmed_read_up_to", async () => {
  await change(
    database.db,
    `insert into feedback_consumers (id, mode, heartbeat_at, visible_again_at)
     select gen_random_uuid(), 'live', now() - age, now() - age
     from (values (interval '25 hours'), (interval '27 hours')) as ages (age)`,
  );
  await heartbeat({ hasPolled: true });
  await change(database.db, "update feedback_consumers set heartbeat_at = now() - interval '1 minute' where id = $1", [
    consumerId,
  ]);
  const heartbeatAges = () =>
    database.db.query({
      name: "heartbeat-ages",
      text: `select round(extract(epoch from now() - heartbeat_at) / 60)::int as minutes from feedback_consumers order by heartbeat_at`,
    });
  expect(await heartbeatAges()).toEqual([{ minutes: 1_620 }, { minutes: 1_500 }, { minutes: 1 }]);
  await change(
    database.db,
    "update feedback_progress set confirmed_read_up_to = now() - interval '2 hours' where mode = 'live'",
  );
  await heartbeat({ hasPolled: true });
  expect(await heartbeatAges()).toEqual([{ minutes: 1_500 }, { minutes: 0 }]);
});

async function heartbeat({ hasPolled }: { hasPolled: boolean }) {
  const unknown = { leftId: undefined, emptySecondsAgo: undefined };
  await recordHeartbeat(database.db, { consumerId, mode: "live", visibleAgainSeconds: 60, hasPolled, ...unknown });
}

async function polledForSeconds() {
  const [row] = await database.db.query<{ seconds: number | null }>({
    name: "polled-for-seconds",
    text: `select round(extract(epoch from now() - polled_since))::int as seconds from feedback_progress where mode = 'live'`,
  });
  return row?.seconds;
}

/** Simulates that time passes: moves the stored times into the past. */
async function letPass(seconds: number) {
  await change(
    database.db,
    `update feedback_progress
     set polled_at = polled_at - make_interval(secs => $1), polled_since = polled_since - make_interval(secs => $1)
     where mode = 'live'`,
    [seconds],
  );
}
