import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tryExclusiveLock, trySharedLock, waitForExclusiveLock } from "./file-lock.ts";

test("a lock is refused while another process holds it, and granted once that process was killed", async () => {
  const path = aPath();
  const { holder, said } = await aHolder(path, "tryExclusiveLock");
  expect(said).toBe("held");
  expect(tryExclusiveLock(path)).toBeUndefined();
  expect(trySharedLock(path)).toBeUndefined();
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(tryExclusiveLock(path)).toBeDefined();
});

test("several processes can hold a shared lock, and an exclusive lock is granted only after all of them released it", async () => {
  const path = aPath();
  const own = trySharedLock(path);
  const { holder, said } = await aHolder(path, "trySharedLock");
  expect({ own, said }).toEqual({ own: expect.anything(), said: "held" });
  own?.release();
  expect(await waitForExclusiveLock(path, 100)).toBeUndefined();
  const waiting = waitForExclusiveLock(path, 5_000);
  holder.kill("SIGKILL");
  expect(await waiting).toBeDefined();
});

test("a released lock is granted again", () => {
  const path = aPath();
  tryExclusiveLock(path)?.release();
  expect(tryExclusiveLock(path)).toBeDefined();
});

function aPath(): string {
  return join(mkdtempSync(join(tmpdir(), "postern-lock-")), "lock");
}

async function aHolder(path: string, how: "tryExclusiveLock" | "trySharedLock") {
  const module = JSON.stringify(new URL("./file-lock.ts", import.meta.url).href);
  const source = `
    const { ${how} } = await import(${module});
    const lock = ${how}(${JSON.stringify(path)});
    console.log(lock === undefined ? "refused" : "held");
    setInterval(() => lock, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const [chunk] = await once(holder.stdout, "data");
  return { holder, said: String(chunk).trim() };
}
