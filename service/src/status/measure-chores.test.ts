import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { createMetrics } from "../metrics.ts";
import { measureChores } from "./measure-chores.ts";
import { recordProcess } from "./process-store.ts";

const database = useTestDatabase();

test("metrics report the age and the failures of the chores that a living worker runs", async () => {
  await recordProcess(database.db, {
    id: "00000000-0000-4000-8000-000000000001",
    role: "worker",
    name: "host/1",
    version: "1.0.0",
    startedSecondsAgo: 90,
    claimsFailingSeconds: null,
    choresFailingSeconds: null,
    claimedSecondsAgo: { live: null, test: null },
    isClaimable: { live: false, test: false },
    chores: [
      { name: "fold-usage", endedSecondsAgo: 40, hasFailed: false },
      { name: "read-quota", endedSecondsAgo: 4, hasFailed: true },
      { name: "of-an-older-version", endedSecondsAgo: 4, hasFailed: false },
    ],
    chorePauseSeconds: { "fold-usage": 5, "read-quota": 60, "never-ran": 60 },
  });
  const text = await served(database.db);
  expect(text).toMatch(/^postern_chore_last_run_seconds\{chore="fold-usage"\} 4\d\.?\d*$/m);
  expect(text).toContain('postern_chore_failed_runs{chore="read-quota"} 1\n');
  expect(text).toContain('postern_chore_failed_runs{chore="fold-usage"} 0\n');
  expect(text).toContain('postern_chore_failed_runs{chore="never-ran"} 0\n');
  expect(text).not.toContain('postern_chore_last_run_seconds{chore="never-ran"}');
  expect(text).not.toContain("of-an-older-version");
});

test("while the database is unavailable, these metrics are missing and all others are served", async () => {
  const text = await served({ query: () => Promise.reject(new AppError("UNAVAILABLE", "gone")) });
  expect(text).not.toContain("postern_chore_last_run_seconds{");
  expect(text).toContain("process_cpu_seconds_total");
});

function served(db: Parameters<typeof measureChores>[1]): Promise<string> {
  const metrics = createMetrics();
  measureChores(metrics, db);
  return metrics.registry.metrics();
}
