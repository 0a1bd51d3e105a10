import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryValue } from "../../service/proofs/failover/postgres-copies.ts";
import { anAccount } from "../../service/test/builders.ts";
import { aQueuedSend } from "../../service/test/send-builders.ts";
import { copyTemplate, createTemplate, openTestDatabase } from "../../service/test/template-database.ts";
import { type ArchivedServer, startArchivedServer } from "../proofs/restore/archived-server.ts";

const isInstalled = existsSync("/usr/bin/pgbackrest") && existsSync("/usr/lib/postgresql/15/bin/postgres");

// Development machines may lack them; .ci/run installs both.
describe.skipIf(!isInstalled)("the shipped configuration of pgBackRest", { timeout: 600_000 }, () => {
  let server: ArchivedServer;
  let database = { name: "", url: "" };

  beforeAll(async () => {
    server = await startArchivedServer(2);
    await createTemplate(server.url);
    database = await copyTemplate(server.url);
    await server.backUp();
  }, 600_000);

  afterAll(() => server.stop());

  test("the drill fails while the backup has no sends, and prints what it found when it has some", async () => {
    await expect(server.drill(database.name)).rejects.toThrow("the restored database has no sends");
    await queueOne(database.url);
    await server.backUp();
    expect(await server.drill(database.name)).toMatchObject({ restored_to: "latest", sends: "1", queued: "1" });
  });

  test("a moment and the newest archived commit come back after the disk is lost", async () => {
    await queueOne(database.url);
    const moment = await queryValue(database.url, "select clock_timestamp()::text as answer");
    const before = await countSends(database.url);
    await queueOne(database.url);
    await queryValue(database.url, "select pg_switch_wal() as answer");
    await server.untilArchived();
    await server.destroy();
    await server.restore();
    expect(await countSends(database.url)).toBe(before + 1);
    await server.retire();
    await server.restore(moment);
    expect(await countSends(database.url)).toBe(before);
  });

  async function queueOne(url: string): Promise<void> {
    const db = openTestDatabase(url);
    await aQueuedSend(db, { accountId: await anAccount(db) });
    await db.close();
  }

  async function countSends(url: string): Promise<number> {
    return Number(await queryValue(url, "select count(*) as answer from sends"));
  }
});

test("the drill refuses an unknown option", () => {
  const run = () => execFileSync("bash", ["deploy/backup/restore-drill.sh", "--nothing", "x"], { stdio: "pipe" });
  expect(run).toThrow("unknown option --nothing");
});
