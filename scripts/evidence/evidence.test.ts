import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { coveredFiles } from "./covered-code.ts";
import { readResults } from "./evidence-file.ts";
import { evidenceText } from "./evidence-text.ts";
import { figureLines, startMeasurement } from "./measurement.ts";
import { outdatedClaims } from "./outdated-claims.ts";
import type { Claim } from "./result.ts";

const folders: string[] = [];
beforeAll(() => void vi.spyOn(console, "log").mockReturnValue());
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const claim: Claim = {
  key: "prove/jwt",
  promise: "No forged token is accepted",
  command: "npm run prove -- jwt",
  covers: ["src/auth"],
};
const found = { figure: ["0 of 5,000 accepted"], n: 5_000, holds: true };

describe("a recorded result", () => {
  test("is current while promise and covered code are unchanged", async () => {
    const root = await aMeasuredTree();
    expect(rowIn(root)).toMatch(
      /^\| `jwt` \| No forged token is accepted \| 0 of 5,000 accepted \| 5,000 \| .* \| current \|$/,
    );
    expect(pageOf(root)).toContain("**1 rows: 1 current.**");
  });

  test("is stale when the promise changed", async () => {
    const root = await aMeasuredTree();
    expect(rowIn(root, { ...claim, promise: "No forged or expired token is accepted" })).toMatch(
      /\| \*\*stale\*\* \|$/,
    );
  });

  test("is stale when a covered file changed, was added or was removed", async () => {
    const changes: ((root: string) => void)[] = [
      (root) => writeFileSync(join(root, "src/auth/token.ts"), "changed"),
      (root) => writeFileSync(join(root, "src/auth/new.ts"), ""),
      (root) => rmSync(join(root, "src/auth/deep/key.ts")),
    ];
    for (const change of changes) {
      const root = await aMeasuredTree();
      change(root);
      expect(rowIn(root)).toMatch(/\| \*\*stale\*\* \|$/);
    }
  });

  test("stays current when a test, a document or a file outside of the covered code changed", async () => {
    const root = await aMeasuredTree();
    for (const file of ["src/auth/token.test.ts", "src/auth/README.md", "src/other.ts"]) write(root, file, "changed");
    expect(rowIn(root)).toMatch(/\| current \|$/);
  });

  test("is stale when the code changed during the run", async () => {
    const root = aTree();
    const record = startMeasurement(claim, root);
    writeFileSync(join(root, "src/auth/token.ts"), "changed");
    await record(found);
    expect(rowIn(root)).toMatch(/\| \*\*stale\*\* \|$/);
  });

  test("of a run that broke its promise replaces the good one and is shown as broken", async () => {
    const root = await aMeasuredTree();
    await startMeasurement(claim, root)({ figure: ["1 of 5,000 accepted"], n: 5_000, holds: false });
    expect(rowIn(root)).toMatch(/\| 1 of 5,000 accepted \| 5,000 \| .* \| \*\*did not hold\*\* \|$/);
    expect(pageOf(root)).toContain("**1 rows: 1 did not hold.**");
  });
});

test("a claim without a result is shown as not measured", () => {
  expect(rowIn(aTree())).toMatch(/\| \*\*not measured\*\* \|$/);
});

test("a figure of a bench that could not be measured has not reached its goal", async () => {
  const root = aTree();
  const bench = { ...claim, key: "bench/accept" };
  const goals = [{ what: "p99", measured: Number.NaN, better: "less" as const, goal: 60, limit: 60 }];
  await startMeasurement(bench, root)({ ...found, holds: false, goals });
  expect(pageOf(root, bench)).toContain("| accept | p99 | at most 60 | NaN | not reached |");
});

test("what is not current is run again, the shortest first", async () => {
  const root = await aMeasuredTree();
  const [current] = Object.values(readResults(root));
  if (current === undefined) throw new Error("nothing was recorded");
  const claims = ["current", "new", "long", "short", "broken"].map((name) => ({ ...claim, key: `prove/${name}` }));
  const results = {
    "prove/current": current,
    "prove/long": { ...current, covered: "changed", seconds: 60 },
    "prove/short": { ...current, covered: null, seconds: 1 },
    "prove/broken": { ...current, holds: false, seconds: 30 },
  };
  const keysOf = (chosen: string[]) => outdatedClaims(root, claims, results, chosen).map(({ key }) => key.slice(6));
  expect(keysOf([])).toEqual(["short", "broken", "long", "new"]);
  expect(keysOf(["prove", "chaos"])).toEqual(["short", "broken", "long", "new"]);
  expect(keysOf(["prove/new"])).toEqual(["new"]);
  expect(keysOf(["chaos"])).toEqual([]);
});

test("a result that no command measures any more is refused", async () => {
  const root = await aMeasuredTree();
  expect(() => evidenceText(root, [], readResults(root))).toThrow("No command measures prove/jwt");
});

test("processes that record at the same time keep each other's results, sorted by key", async () => {
  const root = aTree();
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  await Promise.all(
    ["one", "two", "three"].map((name) =>
      recordInProcess(
        root,
        numbers.map((number) => `prove/${name}-${number}`),
      ),
    ),
  );
  const keys = ["one", "two", "three"].flatMap((name) => numbers.map((number) => `prove/${name}-${number}`));
  expect(Object.keys(readResults(root))).toEqual(keys.toSorted());
});

/** Within one process, reading and writing the file cannot interleave. */
async function recordInProcess(root: string, keys: string[]): Promise<void> {
  const program = `
    import { startMeasurement } from ${JSON.stringify(join(import.meta.dirname, "measurement.ts"))};
    const { root, keys, claim, found } = JSON.parse(process.argv[1]);
    for (const key of keys) await startMeasurement({ ...claim, key }, root)(found);`;
  const input = JSON.stringify({ root, keys, claim, found });
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program, input]);
}

test("a long figure becomes lines, and its quantities are grouped", async () => {
  const root = aTree();
  const figure = figureLines("0 of 100000 accepted (seed 1234567; 5000 more); 1.234567 times; p99 12.5 ms");
  await startMeasurement(claim, root)({ ...found, figure });
  expect(rowIn(root)).toContain("| 0 of 100,000 accepted (seed 1234567; 5000 more)<br>1.234567 times<br>p99 12.5 ms |");
});

test("a test or a document that is named itself counts as covered", () => {
  const root = aTree();
  expect(coveredFiles(root, ["src/auth"])).toEqual(["src/auth/deep/key.ts", "src/auth/token.ts"]);
  expect(coveredFiles(root, ["src/auth/token.test.ts", "src/auth/README.md"])).toEqual([
    "src/auth/README.md",
    "src/auth/token.test.ts",
  ]);
});

function pageOf(root: string, now: Claim = claim): string {
  return evidenceText(root, [now], readResults(root));
}

function rowIn(root: string, now?: Claim): string | undefined {
  return pageOf(root, now)
    .split("\n")
    .find((line) => line.startsWith("| `jwt` |"));
}

async function aMeasuredTree(): Promise<string> {
  const root = aTree();
  await startMeasurement(claim, root)(found);
  return root;
}

function aTree(): string {
  const root = mkdtempSync(join(tmpdir(), "postern-evidence-"));
  folders.push(root);
  mkdirSync(join(root, "docs"));
  for (const file of ["token.ts", "deep/key.ts", "token.test.ts", "README.md"]) write(root, `src/auth/${file}`, file);
  return root;
}

function write(root: string, file: string, content: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
}
