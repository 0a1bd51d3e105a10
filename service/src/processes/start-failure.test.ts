import { expect, test, vi } from "vitest";
import { startWithCut } from "../../test/start-with-cut.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";

const database = useTestDatabase();
vi.setConfig({ testTimeout: 300_000 });

/** Cuts per process, spread over its start-up steps; `npm run prove -- stuck-worker` cuts at many more. */
const cuts = { api: 2, worker: 5, serve: 2 };

test.for(["api", "worker", "serve"] as const)(
  "%s exits with code 1 when its database is cut at any start-up step, and leaves no session behind",
  async (name) => {
    const environment = { ...anEnvironment(), DATABASE_URL: database.url };
    const whole = await startWithCut(name, environment, Number.POSITIVE_INFINITY);
    expect(whole).toMatchObject({ outcome: "started" });
    // Loops that already run send statements too, more of them on a slow machine: a start that ends before its cut had fewer steps.
    let steps = whole.statements;
    let failed = 0;
    for (let tries = 0; failed < cuts[name] && tries < 3 * cuts[name]; tries++) {
      const at = 1 + Math.floor((failed * steps * 0.9) / cuts[name]);
      const { outcome, statements, message } = await startWithCut(name, environment, at);
      await expect.poll(sessionsOfProcesses, { timeout: 10_000 }).toEqual([]);
      if (outcome === "started" && statements <= at) {
        steps = Math.min(steps, statements);
        continue;
      }
      expect({ at, outcome, message }).toMatchObject({
        outcome: "failed",
        message: expect.stringContaining("ended with code 1 "),
      });
      failed += 1;
    }
    expect(failed).toBe(cuts[name]);
  },
);

function sessionsOfProcesses() {
  return database.db.query({
    name: "sessions-of-processes",
    text: `
      select application_name
      from pg_stat_activity
      where datname = current_database() and application_name like 'postern-%' and application_name <> 'postern-test'`,
  });
}
