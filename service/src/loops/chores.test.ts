import { Writable } from "node:stream";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { createEmptyDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { ChoreWatch } from "./chore-watch.ts";
import { type Chore, choreSchema, migrateChores, startChores } from "./chores.ts";

const database = useTestDatabase();

test("a chore runs repeatedly", async () => {
  const { chore, untilRuns } = aChore("again");
  await start([chore]);
  await untilRuns(3);
});

test("two processes never run the same chore at the same time", async () => {
  let inside = 0;
  let most = 0;
  let runs = 0;
  const chore: Chore = {
    name: "shared",
    pauseSeconds: 0,
    run: async () => {
      most = Math.max(most, ++inside);
      await database.db.query({ name: "take-a-while", text: "select pg_sleep(0.6)" });
      inside--;
      runs++;
    },
  };
  await start([chore]);
  await start([chore]);
  await until(() => runs >= 4);
  expect(most).toBe(1);
});

test("a chore that has nothing to do does not run, until there is something", async () => {
  const { chore, untilRuns, runs } = aChore("seldom");
  let isDue = false;
  const looks = { count: 0 };
  await start([
    {
      ...chore,
      isDue: async () => {
        looks.count++;
        return isDue;
      },
    },
  ]);
  // The run of the start.
  await untilRuns(1);
  await until(() => looks.count > 4);
  expect(runs()).toBe(1);
  isDue = true;
  await untilRuns(2);
});

test("a failed run is logged, and the chore runs again", async () => {
  const lines: string[] = [];
  let runs = 0;
  const chore: Chore = {
    name: "failing",
    pauseSeconds: 0,
    run: async () => {
      runs++;
      if (runs === 1) throw new Error("not today");
    },
  };
  await start([chore], lines);
  await until(() => runs >= 2);
  expect(lines.filter((line) => line.includes("chore.failed") && line.includes("not today"))).toHaveLength(1);
});

test("a failed run is repeated within a minute, however long the pause is", async () => {
  let runs = 0;
  const chore: Chore = {
    name: "hourly",
    pauseSeconds: 3600,
    run: async () => {
      runs++;
      throw new Error("not today");
    },
  };
  const watch = new ChoreWatch();
  const { stop } = await start([chore], [], watch);
  await until(() => runs === 1);
  await stop();
  const [next] = await database.db.query<{ seconds: number }>({
    name: "next-run",
    text: `
      select extract(epoch from start_after - now())::float8 as seconds
      from pgboss.job
      where name = 'hourly' and state = 'created'`,
  });
  expect(next?.seconds).toBeGreaterThan(30);
  expect(next?.seconds).toBeLessThanOrEqual(60);
  expect(watch.pauseSeconds()).toEqual({ hourly: 3600 });
});

test("the watch of a process knows the last run of each chore, and an unreadable queue", async () => {
  const watch = new ChoreWatch();
  const runs = { good: 0, bad: 0 };
  const good: Chore = { name: "good", pauseSeconds: 0, run: async () => void runs.good++ };
  const bad: Chore = {
    name: "bad",
    pauseSeconds: 0,
    run: async () => {
      runs.bad++;
      throw new Error("not today");
    },
  };
  await start([good, bad], [], watch);
  await until(() => runs.good > 0 && runs.bad > 0);
  const failed = new Map([...watch.takeEnds()].map(([name, { hasFailed }]) => [name, hasFailed]));
  expect(failed).toEqual(
    new Map([
      ["good", false],
      ["bad", true],
    ]),
  );
  expect(watch.queueFailingSeconds()).toBeNull();
  await rename("pgboss", "pgboss_hidden");
  await until(() => watch.queueFailingSeconds() !== null);
  await rename("pgboss_hidden", "pgboss");
  await until(() => watch.queueFailingSeconds() === null);
});

test("another process continues the chore of a stopped one", async () => {
  const stopped = aChore("continued");
  const first = await start([stopped.chore]);
  await stopped.untilRuns(1);
  await first.stop();
  const next = aChore("continued");
  await start([next.chore]);
  await next.untilRuns(1);
});

test("stopping waits for a running chore", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let isDone = false;
  const chores = await start([
    {
      name: "slow",
      pauseSeconds: 60,
      run: async () => {
        begin();
        await database.db.query({ name: "take-longer", text: "select pg_sleep(0.5)" });
        isDone = true;
      },
    },
  ]);
  await begun;
  await chores.stop();
  expect(isDone).toBe(true);
});

test("another version of pg-boss's tables has a schema of its own, and this one keeps the first name", () => {
  expect(choreSchema()).toBe("pgboss");
  expect(choreSchema(44)).toBe("pgboss_v44");
});

test("creating the tables waits at most 2 s for a lock, fails with the error of the server, and changes nothing", async () => {
  const { url, drop } = await createEmptyDatabase(inject("serverUrl"));
  onTestFinished(drop);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query("begin; create schema pgboss");
  const startedAt = performance.now();
  await expect(migrateChores(url)).rejects.toMatchObject({ code: "55P03" });
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  await other.query("rollback");
  await migrateChores(url);
  await migrateChores(url);
});

function aChore(name: string) {
  let runs = 0;
  const chore: Chore = {
    name,
    pauseSeconds: 0,
    run: async () => {
      runs++;
    },
  };
  return { chore, runs: () => runs, untilRuns: (count: number) => until(() => runs >= count) };
}

async function start(chores: Chore[], lines: string[] = [], watch?: ChoreWatch) {
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const running = await startChores(database.url, chores, createLog("debug", stream), watch);
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await running.stop();
  };
  onTestFinished(stop);
  return { stop };
}

async function rename(schema: string, name: string): Promise<void> {
  await database.db.query({ name: `rename-${schema}`, text: `alter schema ${schema} rename to ${name}` });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
