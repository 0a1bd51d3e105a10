import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { startApiProcess, startTcpProxy } from "../../test/api-process.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";

const database = useTestDatabase();
vi.setConfig({ testTimeout: 120_000 });

/** The scrape_timeout of deploy/monitoring is 10 s. The deadline is 4 s; the rest is for a busy machine. */
const servedWithinMs = 6_000;
/** The deadline is 5 s; the rest is for a busy machine. */
const healthServedWithinMs = 7_000;
const fromDatabase = ["postern_partitions_ahead_seconds", "postern_webhook_endpoints", "postern_unclaimed_seconds"];

test("a database that hangs delays no scrape beyond its deadline, and only the metrics from it are missing", async () => {
  const proxy = await startTcpProxy(database.url);
  const api = await startApiProcess(anEnvironment({ DATABASE_URL: proxy.url }));
  const scrape = async () => {
    const begun = performance.now();
    const text = await (await fetch(`${api.operationsUrl}/metrics`)).text();
    return { text, tookMs: performance.now() - begun };
  };
  const before = await scrape();
  expect(before.text).toContain('postern_ready{check="database"} 1\n');
  for (const name of fromDatabase) expect(before.text).toMatch(new RegExp(`^${name}\\{`, "m"));

  proxy.freeze();
  // The scrapes of a second share what was read.
  await sleep(1_100);
  for (let scrapes = 0; scrapes < 3; scrapes++) {
    const { text, tookMs } = await scrape();
    expect(tookMs).toBeLessThan(servedWithinMs);
    expect(text).toContain('postern_ready{check="database"} 0\n');
    expect(text).toMatch(/^postern_build_info\{/m);
    for (const name of fromDatabase) expect(text).not.toMatch(new RegExp(`^${name}\\{`, "m"));
  }
});

test("a database that hangs delays /health by five seconds, and it says that the database does not answer", async () => {
  const proxy = await startTcpProxy(database.url);
  const api = await startApiProcess(anEnvironment({ DATABASE_URL: proxy.url }));
  const health = async () => {
    const begun = performance.now();
    const answer = await fetch(`${api.operationsUrl}/health`);
    return { status: answer.status, body: await answer.json(), tookMs: performance.now() - begun };
  };
  expect(await health()).toMatchObject({ status: 200, body: { checks: { database: "ok" } } });

  proxy.freeze();
  await sleep(1_100);
  for (let looks = 0; looks < 2; looks++) {
    const { status, body, tookMs } = await health();
    expect(tookMs).toBeLessThan(healthServedWithinMs);
    expect(status).toBe(503);
    expect(body).toMatchObject({ isReady: false, checks: { database: "unreachable" } });
  }
});
