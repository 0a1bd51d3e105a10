import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stopLeftoverPostgres } from "./leftover-postgres.ts";

test("a postmaster.pid that names an unrelated process is deleted, and that process keeps running", async () => {
  const { data, file } = aData(process.pid);
  await stopLeftoverPostgres(data);
  expect(existsSync(file)).toBe(false);
});

test.for([2 ** 22 - 1, "not a number"])(
  "a postmaster.pid that names no process (%s) does not prevent a start",
  async (pid) => {
    const { data } = aData(pid);
    await expect(stopLeftoverPostgres(data)).resolves.toBeUndefined();
  },
);

test("a server that still runs on the data folder is stopped", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-leftover-"));
  const data = join(folder, "data");
  const server = spawn("sh", ["-c", "while :; do sleep 0.1; done", "postgres", "-D", data], { stdio: "ignore" });
  onTestFinished(() => void server.kill("SIGKILL"));
  const ended = once(server, "exit");
  mkdirSync(data);
  writeFileSync(join(data, "postmaster.pid"), `${server.pid}\n${data}\n`);
  await stopLeftoverPostgres(data);
  expect(await ended).toEqual([null, "SIGINT"]);
});

function aData(pid: number | string): { data: string; file: string } {
  const data = mkdtempSync(join(tmpdir(), "postern-leftover-"));
  const file = join(data, "postmaster.pid");
  writeFileSync(file, `${pid}\n${data}\n`);
  return { data, file };
}
