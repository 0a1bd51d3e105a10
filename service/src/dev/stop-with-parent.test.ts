import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { processesIn, untilNoneIn } from "../../test/dev-run.ts";
import { tryExclusiveLock } from "./file-lock.ts";
import { processesLock } from "./state-folder.ts";

const preload = new URL("./stop-with-parent.ts", import.meta.url).href;

test("a process shuts down cleanly when its parent is killed, and holds the lock until it has ended", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "postern-orphan-")));
  const child = `
    process.on("SIGTERM", () => { console.log("stopping"); process.exit(0); });
    setInterval(() => undefined, 1000);
    console.log("child");`;
  const parent = `
    const { spawn } = require("node:child_process");
    spawn(process.execPath, ["--import", ${JSON.stringify(preload)} + "?parent=" + process.pid, "-e", ${JSON.stringify(child)}],
      { cwd: ${JSON.stringify(folder)}, detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    setInterval(() => undefined, 1000);`;
  const started = spawn(process.execPath, ["-e", parent], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void started.kill("SIGKILL"));
  let said = "";
  started.stdout.on("data", (chunk) => {
    said += String(chunk);
  });
  await once(started.stdout, "data");
  expect(processesIn(folder)).toHaveLength(1);
  expect(tryExclusiveLock(join(folder, processesLock))).toBeUndefined();
  started.kill("SIGKILL");
  await once(started, "close");
  expect(await untilNoneIn(folder, 10_000)).toEqual([]);
  expect(said).toBe("child\nstopping\n");
  expect(tryExclusiveLock(join(folder, processesLock))).toBeDefined();
});

test("a process that starts after its parent has died exits without running its code", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-orphan-"));
  const child = spawn(process.execPath, ["--import", `${preload}?parent=1`, "-e", "console.log('running')"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += String(chunk);
  });
  expect(await once(child, "close")).toEqual([1, null]);
  expect(said).toBe("");
});
