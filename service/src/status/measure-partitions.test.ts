import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { createMetrics } from "../metrics.ts";
import { measurePartitions } from "./measure-partitions.ts";

const database = useTestDatabase();

test("metrics report for each partitioned table how far ahead its partitions reach", async () => {
  const metrics = createMetrics();
  measurePartitions(metrics, database.db);
  const text = await metrics.registry.metrics();
  const values = [...text.matchAll(/^postern_partitions_ahead_seconds\{table="(\w+)"\} (\S+)$/gm)];
  expect(values.map(([, table]) => table)).toEqual([
    "sends",
    "send_contents",
    "attachment_chunks",
    "events",
    "audit_entries",
    "notifications",
    "webhook_deliveries",
    "webhook_attempts",
    "logged_requests",
  ]);
  for (const [, table, seconds] of values)
    expect(Number(seconds)).toBeGreaterThan((table === "logged_requests" ? 20 : 88) * 86_400);
});

test("while the database is unavailable, this metric is missing and all others are served", async () => {
  const metrics = createMetrics();
  measurePartitions(metrics, { query: () => Promise.reject(new AppError("UNAVAILABLE", "gone")) });
  const text = await metrics.registry.metrics();
  expect(text).not.toContain("postern_partitions_ahead_seconds{");
  expect(text).toContain("process_cpu_seconds_total");
});
