import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
