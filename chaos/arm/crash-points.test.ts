import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { points, wirePoints } from "../matrix/points.ts";
import { armSource, findCrashPoints } from "./crash-points.ts";

const folder = fileURLToPath(new URL("../../service/src", import.meta.url));
const sources = globSync("**/*.ts", { cwd: folder })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => ({ file, source: readFileSync(join(folder, file), "utf8") }));

test("the source holds every crash point of the matrix exactly once and no others", () => {
  const inSource = sources.flatMap(({ source }) => findCrashPoints(source));
  const expected = points.map(({ name }) => name).filter((name) => !wirePoints.includes(name));
  expect(inSource.toSorted()).toEqual(expected.toSorted());
});

test("no comment mentions a crash point without being one", () => {
  const mentioned = sources.flatMap(({ source }) => source.match(/crash point/gi) ?? []);
  expect(mentioned).toHaveLength(points.length - wirePoints.length);
});

test.for(points.map(({ name }) => name).filter((name) => !wirePoints.includes(name)))(
  "arming %s changes one line of its file, and the file still parses",
  (name) => {
    const source = sources.find(({ source: text }) => findCrashPoints(text).includes(name))?.source ?? "";
    const armed = armSource(source, name);
    expect(() => stripTypeScriptTypes(armed)).not.toThrow();
    const changed = armed.split("\n").filter((line, index) => line !== source.split("\n")[index]);
    expect(changed.map((line) => line.trim())).toEqual(["globalThis.passCrashPoint();"]);
  },
);

test("a process is killed at an armed point; without the preload it continues", () => {
  const crashLog = join(mkdtempSync(join(tmpdir(), "postern-crash-")), "crashes");
  const probe = `
    const { makePartitionsAhead } = await import(${JSON.stringify(join(folder, "storage/partitions.ts"))});
    const names = ["p1"];
    await makePartitionsAhead({ query: async () => [{ name: names.shift() ?? null }] }, "month");
    console.log("passed");`;
  const arm = fileURLToPath(new URL("arm.ts", import.meta.url));
  const args = ["--input-type=module", "-e", probe];
  const env = { CRASH_AT: "partition-made", CRASH_LOG: crashLog };
  const armed = spawnSync(process.execPath, ["--import", arm, ...args], { env });
  expect({ signal: armed.signal, stdout: String(armed.stdout) }).toEqual({ signal: "SIGKILL", stdout: "" });
  expect(readFileSync(crashLog, "utf8")).toBe(`${armed.pid} partition-made\n`);
  expect(String(spawnSync(process.execPath, args, { env }).stdout)).toBe("passed\n");
});
