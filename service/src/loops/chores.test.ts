import { Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { ChoreWatch } from "./chore-watch.ts";
import { type Chore, startChores } from "./chores.ts";

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
  const others = aChore("always");
  await database.db.query({ name: "make-work", text: "create table work (id integer)" });
  onTestFinished(() => void database.db.query({ name: "drop-work", text: "drop table work" }));
  await start([{ ...chore, dueWhen: "select from work" }, others.chore]);
  await others.untilRuns(3);
  expect(runs()).toBe(0);
  await database.db.query({ name: "add-work", text: "insert into work values (1)" });
  await untilRuns(1);
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
      select extract(epoch from due_at - now())::float8 as seconds
      from chore_runs
      where name = 'hourly' and leased_until is null`,
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
  await rename("chore_runs", "hidden_chore_runs");
  await until(() => watch.queueFailingSeconds() !== null);
  await rename("hidden_chore_runs", "chore_runs");
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

test("the chore of a crashed process runs again when its lease has passed", async () => {
  const { chore, untilRuns, runs } = aChore("crashed");
  const other = aChore("other");
  await lease("crashed", "3 seconds", 7);
  await start([chore, other.chore]);
  await other.untilRuns(2);
  expect(runs()).toBe(0);
  await untilRuns(1);
});

test("a run that lost its lease does not end the run of another process", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { stop } = await start([
    {
      name: "overtaken",
      pauseSeconds: 3600,
      run: async () => {
        begin();
        await released;
      },
    },
  ]);
  await begun;
  await lease("overtaken", "20 seconds", 2);
  release();
  await stop();
  const row = await runRow("overtaken");
  expect(row).toMatchObject({ isDue: true, run: 2 });
  expect(row?.remaining).toBeGreaterThan(0);
});

test("a long run keeps its lease", async () => {
  const { promise: renewed, resolve: isRenewed } = Promise.withResolvers<void>();
  const chore: Chore = {
    name: "long",
    pauseSeconds: 3600,
    run: async () => {
      await lease("long", "8 seconds", 1);
      const remaining = async () => (await runRow("long"))?.remaining ?? 0;
      while ((await remaining()) < 10) await new Promise((resolve) => setTimeout(resolve, 200));
      isRenewed();
    },
  };
  await start([chore]);
  await renewed;
});

test("a chore whose pause became shorter runs after that, and one is due when the clock of the server was set back", async () => {
  const [shorter, back] = [aChore("shorter"), aChore("set-back")];
  await database.db.query({
    name: "runs-in-the-future",
    text: `
      insert into chore_runs (name, due_at, leased_until)
      values ('shorter', now() + interval '1 hour', null), ('set-back', now(), now() + interval '1 hour')`,
  });
  await start([
    { ...shorter.chore, pauseSeconds: 1 },
    { ...back.chore, pauseSeconds: 3600 },
  ]);
  await shorter.untilRuns(1);
  await back.untilRuns(1);
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
  const db = openTestDatabase(database.url);
  const running = await startChores({ db, log: createLog("debug", stream), watch }, chores);
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await running.stop();
    await db.close();
  };
  onTestFinished(stop);
  return { stop };
}

async function lease(name: string, rest: string, run: number): Promise<void> {
  await database.db.query({
    name: "lease-chore",
    text: `
      insert into chore_runs (name, due_at, leased_until, run)
      values ($1, now(), now() + $2::interval, $3)
      on conflict (name) do update
      set leased_until = excluded.leased_until, run = excluded.run`,
    values: [name, rest, run],
  });
}

async function runRow(name: string) {
  const [row] = await database.db.query<{ remaining: number; isDue: boolean; run: number }>({
    name: "chore-run",
    text: `
      select extract(epoch from leased_until - now())::float8 as remaining, due_at <= now() as "isDue", run
      from chore_runs
      where name = $1`,
    values: [name],
  });
  return row;
}

async function rename(table: string, name: string): Promise<void> {
  await database.db.query({ name: `rename-${table}`, text: `alter table ${table} rename to ${name}` });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
