import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holdAlone, holdShared, waitToHoldAlone } from "./file-lock.ts";

test("a lock is refused while another process holds it, and free when that process was killed", async () => {
  const path = aPath();
  const { holder, said } = await aHolder(path, "holdAlone");
  expect(said).toBe("held");
  expect(holdAlone(path)).toBeUndefined();
  expect(holdShared(path)).toBeUndefined();
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(holdAlone(path)).toBeDefined();
});

test("several may share a lock; only when the last of them is gone may someone hold it alone", async () => {
  const path = aPath();
  const own = holdShared(path);
  const { holder, said } = await aHolder(path, "holdShared");
  expect({ own, said }).toEqual({ own: expect.anything(), said: "held" });
  own?.release();
  expect(await waitToHoldAlone(path, 100)).toBeUndefined();
  const waiting = waitToHoldAlone(path, 5_000);
  holder.kill("SIGKILL");
  expect(await waiting).toBeDefined();
});

test("a released lock is free", () => {
  const path = aPath();
  holdAlone(path)?.release();
  expect(holdAlone(path)).toBeDefined();
});

function aPath(): string {
  return join(mkdtempSync(join(tmpdir(), "postern-lock-")), "lock");
}

async function aHolder(path: string, how: "holdAlone" | "holdShared") {
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
