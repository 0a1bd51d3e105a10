import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "../../test/a-folder.ts";
import { lockFolder } from "./folder-lock.ts";

test("a second simulator on the same folder is refused while the first one runs", () => {
  const folder = aFolder();
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(/already uses the data folder/);
  unlock();
  lockFolder(folder)();
});

test("the lock of a killed process is taken over, also by one with the same process id", () => {
  const folder = aFolder();
  // The first is larger than any process id Linux hands out.
  for (const pid of [4194305, process.pid]) {
    writeFileSync(join(folder, "lock"), JSON.stringify({ pid, startedAt: 1 }));
    expect(() => lockFolder(folder)()).not.toThrow();
  }
});

test.runIf(existsSync("/proc/self/stat"))(
  "so is that of one that has ended and whose parent never asked how",
  async () => {
    const folder = aFolder();
    // `sleep` has the child that the shell started, and does not wait for it.
    const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void parent.kill());
    const [said] = await once(parent.stdout, "data");
    const pid = Number(String(said));
    writeFileSync(join(folder, "lock"), JSON.stringify({ pid, startedAt: 1 }));
    await expect.poll(() => lockFolder(folder)).toBeDefined();
    expect(process.kill(pid, 0)).toBe(true);
  },
);
