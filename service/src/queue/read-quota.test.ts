import { expect, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useSesProvider } from "../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { providerChores } from "./read-quota.ts";

const database = useTestDatabase();
const { simulator, sesProvider } = useSesProvider();

test("the chore stores the rate that SES allows and follows its changes", async () => {
  await change(database.db, "update control_budget set spacing = '1 microsecond'");
  const [chore] = providerChores(database.db, sesProvider());
  expect(chore).toMatchObject({ name: "read-quota", pauseSeconds: 60 });
  for (const maxSendRate of [14, 50]) {
    await simulator.control("PATCH", "account", { maxSendRate });
    await chore?.run();
    expect(await change(database.db, "select mode, max_per_second from provider_state order by mode")).toEqual([
      { mode: "live", max_per_second: maxSendRate },
      { mode: "test", max_per_second: 1000 },
    ]);
  }
});

test("the chore stores what SES thinks of the AWS account, and when it read it", async () => {
  await change(database.db, "update control_budget set spacing = '1 microsecond'");
  const [chore] = providerChores(database.db, sesProvider());
  for (const enforcementStatus of ["PROBATION", "HEALTHY"]) {
    await simulator.control("PATCH", "account", { enforcementStatus });
    await change(database.db, "update provider_state set enforcement_read_at = null");
    await chore?.run();
    const [live] = await change(
      database.db,
      "select enforcement_status, enforcement_read_at <= now() as is_read from provider_state where mode = 'live'",
    );
    expect(live).toEqual({ enforcement_status: enforcementStatus, is_read: true });
  }
});

test("the chore leaves the rate to its next run, and does not fail, when its control-call token would take too long", async () => {
  await change(database.db, "update provider_state set max_per_second = 7 where mode = 'live'");
  await change(database.db, "update control_budget set next_at = now() + interval '10 seconds'");
  const [chore] = providerChores(database.db, sesProvider());
  await chore?.run();
  expect(await change(database.db, "select max_per_second from provider_state where mode = 'live'")).toEqual([
    { max_per_second: 7 },
  ]);
});
