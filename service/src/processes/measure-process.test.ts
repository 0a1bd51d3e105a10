import { Registry } from "prom-client";
import { expect, test, vi } from "vitest";
import { measureProcess } from "./measure-process.ts";

type Options = Parameters<typeof measureProcess>[1];

test("a process reports its version, its pools and the checks that it passes", async () => {
  const text = await served({
    readChecks: async () => ({ database: "ok", schema: "ok", partitions: { degraded: ["events ends soon"] } }),
    connections: () => ({ worker: { total: 5, idle: 2, waiting: 4 } }),
  });
  expect(text).toMatch(/^postern_build_info\{role="worker",version="[\d.]+[^"]*",migration="\d+"\} 1$/m);
  for (const line of [
    'postern_database_connections{pool="worker",state="busy"} 3',
    'postern_database_connections{pool="worker",state="idle"} 2',
    'postern_database_connections{pool="worker",state="waiting"} 4',
    'postern_ready{check="database"} 1',
    'postern_ready{check="schema"} 1',
    'postern_ready{check="partitions"} 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test("a check that fails is 0, and one that was not made is missing", async () => {
  const missing = { missing: ["0001_ids.sql"] };
  const text = await served({ readChecks: async () => ({ database: "ok", schema: missing, partitions: "unknown" }) });
  expect(text).toContain('postern_ready{check="schema"} 0\n');
  expect(text).not.toContain('check="partitions"');
});

test.for([
  ["refuses", () => Promise.reject(new Error("gone"))],
  ["hangs", () => new Promise<never>(() => undefined)],
] as const)(
  "a database that %s is not ready, and the metrics are served within the time of a scrape",
  async ([, readChecks]) => {
    vi.useFakeTimers();
    try {
      const serving = served({ readChecks });
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await serving).toContain('postern_ready{check="database"} 0\n');
    } finally {
      vi.useRealTimers();
    }
  },
);

function served(options: Partial<Options>): Promise<string> {
  const registry = new Registry();
  const readChecks = async () => ({ database: "ok", schema: "ok", partitions: "ok" }) as const;
  measureProcess({ registry }, { role: "worker", readChecks, connections: () => ({}), ...options });
  return registry.metrics();
}
