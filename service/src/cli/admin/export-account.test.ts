import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { aUser } from "../../../test/builders.ts";
import { change } from "../../../test/send-rows.ts";
import { posternPath } from "../../../test/spawn-postern.ts";
import { anEnvironment } from "../../../test/test-config.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import type { Manifest } from "../../data-rights/export/export-folder.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();

test("it prints the rows and bytes of each file, and where they are", async () => {
  const { email, accountId } = await aUser(database.db);
  const folder = join(aFolder(), "new");
  const printed = await exportTo(email, folder);
  expect(printed).toMatch(/^ {2}FILE +ROWS +BYTES\n {2}account\.ndjson +1 +[\d,]+\n/);
  expect(printed).toContain(`is in ${folder}. It has addresses of people: keep it as safe as the database.`);
  expect(manifestOf(folder).account_id).toBe(accountId);
  await expect(exportTo(email, folder)).rejects.toThrow("Give another folder for a new one.");
  await expect(exportTo("nobody@b.test", aFolder())).rejects.toThrow("There is no account nobody@b.test.");
});

test("a process that is killed three times while it writes ends with the same files as one that is not", async () => {
  const { accountId } = await aUser(database.db);
  await change(
    database.db,
    `with stored as (
       insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
       select new_id_at(now() - interval '1 minute'), $1, 'live', 'sent', 'a@shop.test', array['to-' || n || '@x.test'], 1, 0, 'Hello ' || n
       from generate_series(1, 6000) as n
       returning id
     )
     insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
     select new_id_at(now() - interval '1 minute'), id, $1, 'live', 'Delivery', now(), 'x@x.test' from stored`,
    [accountId],
  );
  const [killed, whole] = [aFolder(), aFolder()];
  for (const [file, rows] of [
    ["sends.ndjson", 1],
    ["sends.ndjson", 3_000],
    ["events.ndjson", 2_000],
  ] as const) {
    await database.db.withTransaction(async (tx) => {
      // One of the last tables that the export reads: it cannot end before it is killed.
      await tx.query({ name: "lock-usage", text: "lock table usage_hours in access exclusive mode" });
      await killAfter(accountId, killed, file, rows);
    });
    expect(manifestOf(killed).finished_at).toBeNull();
  }
  expect(await exportTo(accountId, killed)).toContain("Continued an export that began at");
  await exportTo(accountId, whole);
  const contents = (folder: string) => manifestOf(folder).files.filter(({ table }) => table !== "audit_entries");
  expect(contents(killed)).toEqual(contents(whole));
  expect(contents(killed)).toContainEqual(expect.objectContaining({ file: "sends.ndjson", rows: 6_000 }));
}, 60_000);

/** Kills the process as soon as the manifest says that the file has so many rows. */
async function killAfter(accountId: string, folder: string, file: string, rows: number): Promise<void> {
  const child = spawn(process.execPath, [posternPath, "admin", "export-account", accountId, "--to", folder], {
    cwd: aFolder(),
    env: { ...anEnvironment(), DATABASE_URL: database.url },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  while (child.exitCode === null && rowsOf(folder, file) < rows) await sleep(1);
  child.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);
}

function rowsOf(folder: string, file: string): number {
  if (!existsSync(join(folder, "manifest.json"))) return 0;
  return manifestOf(folder).files.find((entry) => entry.file === file)?.rows ?? 0;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
}

const aFolder = () => mkdtempSync(join(tmpdir(), "postern-export-"));

async function exportTo(account: string, folder: string): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const program = createProgram(async () => ({ ...anEnvironment(), DATABASE_URL: database.url }));
    await program.parseAsync(["admin", "export-account", account, "--to", folder], { from: "user" });
    return write.mock.calls.map(([chunk]) => String(chunk)).join("");
  } finally {
    write.mockRestore();
  }
}
