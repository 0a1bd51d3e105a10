import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { plantedSteps } from "../../test/planted-steps.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { copyTemplate, openTestDatabase } from "../../test/template-database.ts";
import { codeLevel } from "./code-range.ts";
import { contract } from "./contract.ts";

const stepName = `${String(codeLevel).padStart(4, "0")}_drop_planted`;

test("without a contract step nothing changes", async () => {
  const { run, state } = await aDatabase({});
  expect(await run()).toEqual([]);
  expect(await state()).toEqual({ oldest_code: 79, planted: true, contracts: 0 });
});

test("a contract step raises the oldest code, runs once and is listed in a table of its own", async () => {
  const { run, state } = await aDatabase();
  expect(await run()).toEqual([stepName]);
  expect(await state()).toEqual({ oldest_code: codeLevel, planted: false, contracts: 1 });
  expect(await run()).toEqual([]);
});

test("while a process of older code runs, the command names it and changes nothing", async () => {
  const { db, run, state } = await aDatabase();
  const old = await aProcess(db, null);
  await expect(run()).rejects.toThrow(
    /process mail-1\/7 \(worker, version 0\.0\.9, code from before 80, heartbeat \d+ s ago\)\nNothing was changed/,
  );
  expect(await state()).toEqual({ oldest_code: 79, planted: true, contracts: 0 });
  await db.query("update processes set stopped_at = now() where id = $1", [old]);
  await aProcess(db, codeLevel);
  expect(await run()).toEqual([stepName]);
});

test("a session of older code without a heartbeat is named too, whatever it does; one of this code is not", async () => {
  const { run, session, state } = await aDatabase();
  await session(`postern-api/${codeLevel}`);
  const frozen = await session("postern-worker");
  await expect(run()).rejects.toThrow(/session \d+ \(postern-worker, idle, since/);
  expect(await state()).toMatchObject({ oldest_code: 79, planted: true });
  await frozen.end();
  await until(async () => (await run().catch(() => [])).length === 1);
});

test("sessions of a pooler, of a probe and of the search for a primary say nothing about a version; the heartbeat does", async () => {
  const { db, run, session, state } = await aDatabase();
  for (const name of ["postern-pooled", "postern-probe", "postern-host-choice", "postern-liveness/79"])
    await session(name);
  const old = await aProcess(db, codeLevel - 1);
  const refusal = await run().catch((error: Error) => error.message);
  expect(refusal).toMatch(/process mail-1\/7 \(worker, /);
  expect(refusal).not.toContain("session");
  expect(await state()).toMatchObject({ oldest_code: 79, planted: true });
  await db.query("update processes set stopped_at = now() where id = $1", [old]);
  expect(await run({ withinMs: 5_000 })).toEqual([stepName]);
});

test("the oldest code is raised before the wait for leases, which ends when they end; a deadline leaves it raised and runs nothing", async () => {
  const { db, run, state, lines, url } = await aDatabase();
  const own = openTestDatabase(url);
  onTestFinished(() => own.close());
  const id = await aQueuedSend(own, { accountId: await anAccount(own) });
  await db.query(
    "update send_queue set state = 'leased', attempt = 1, attempted_at = now(), due_at = now() + interval '60 s' where id = $1",
    [id],
  );
  await expect(run({ withinMs: 1_500 })).rejects.toThrow(/1 submission that began before\n.*stays raised/s);
  expect(await state()).toEqual({ oldest_code: codeLevel, planted: true, contracts: 0 });
  expect(lines.some((line) => /^waiting \(\d s\) for 1 submission that began before$/.test(line))).toBe(true);
  const running = run();
  await sleep(1_500);
  expect(await state()).toMatchObject({ planted: true });
  await db.query("update send_queue set due_at = now() where id = $1", [id]);
  expect(await running).toEqual([stepName]);
});

test("an older process that starts while the command waits is waited for, and named at the deadline", async () => {
  const { db, run, state } = await aDatabase();
  await db.query(
    "create function appear() returns trigger language plpgsql as 'begin insert into processes (id, role, name, version, started_at, seen_at, alive_since, chores) values (gen_random_uuid(), $$api$$, $$mail-2/8$$, $$0.0.9$$, now(), now(), now(), $${}$$); return new; end'; create trigger appear after update on schema_range for each row execute function appear()",
  );
  await expect(run({ withinMs: 1_500 })).rejects.toThrow(/process mail-2\/8 \(api, .*stays raised/s);
  expect(await state()).toEqual({ oldest_code: codeLevel, planted: true, contracts: 0 });
});

test("a schema that lacks an expand step is refused with the order of the commands", async () => {
  const { db, run } = await aDatabase();
  await db.query("delete from schema_migrations where name like '0080%'");
  await expect(run()).rejects.toThrow(/lacks 0080_code_range\. Run `postern migrate`, restart all processes/);
});

async function aDatabase(steps: Record<string, string> = { [stepName]: "-- Contracts.\ndrop table planted;" }) {
  const { url, drop } = await copyTemplate(inject("serverUrl"));
  onTestFinished(drop);
  const folder = plantedSteps(steps);
  const lines: string[] = [];
  const session = async (name: string) => {
    const client = new pg.Client({ connectionString: url, application_name: name });
    client.on("error", () => undefined);
    await client.connect();
    onTestFinished(() => client.end().catch(() => undefined));
    return client;
  };
  const db = await session("postern-test");
  await db.query("create table planted ()");
  const run = ({ withinMs = 60_000 } = {}) =>
    contract(url, (line) => void lines.push(line), { steps: { folder, table: "schema_contracts" }, withinMs });
  const state = async () => {
    const { rows } = await db.query(
      "select oldest_code, to_regclass('planted') is not null as planted, (select count(*)::integer from schema_contracts) as contracts from schema_range",
    );
    return rows[0];
  };
  return { url, db, run, state, lines, session };
}

async function aProcess(db: pg.Client, level: number | null): Promise<string> {
  const id = randomUUID();
  await db.query(
    `insert into processes (id, role, name, version, started_at, seen_at, alive_since, chores, code_level)
     values ($1, 'worker', 'mail-1/7', '0.0.9', now(), now(), now(), '{}', $2)`,
    [id, level],
  );
  return id;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(100);
}
