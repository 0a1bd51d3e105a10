import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "../../test/a-folder.ts";
import { lockFolder } from "./folder-lock.ts";

test("the lock refuses a second simulator on the same folder while the first one runs", () => {
  const folder = aFolder();
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(/already uses the data folder/);
  unlock();
  lockFolder(folder)();
});

test("a new process takes over the lock of a killed process, even with the same process id", () => {
  const folder = aFolder();
  // The first id is larger than any process id of Linux.
  for (const pid of [4194305, process.pid]) {
    writeFileSync(join(folder, "lock"), JSON.stringify({ pid, startedAt: 1 }));
    expect(() => lockFolder(folder)()).not.toThrow();
  }
});

test.runIf(existsSync("/proc/self/stat"))(
  "a new process takes over the lock of an ended process whose parent never read its exit status",
  async () => {
    const folder = aFolder();
    // `exec sleep` inherits the child of the shell and does not wait for it. The child must not end before: the shell would wait for it.
    const parent = spawn("sh", ["-c", "sleep 1 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void parent.kill());
    const [output] = await once(parent.stdout, "data");
    const pid = Number(String(output));
    writeFileSync(join(folder, "lock"), JSON.stringify({ pid, startedAt: 1 }));
    await expect.poll(() => lockFolder(folder), { timeout: 10_000 }).toBeDefined();
    expect(process.kill(pid, 0)).toBe(true);
  },
);
