import { spawn } from "node:child_process";
import { mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listClaims } from "./claims.ts";
import { readResults } from "./evidence-file.ts";
import { repository } from "./measurement.ts";
import { outdatedClaims } from "./outdated-claims.ts";
import type { Claim } from "./result.ts";
import { stateOf } from "./state.ts";

const usage = `Usage: npm run evidence -- [--minutes N] [--list] [KIND or KIND/NAME ...]

Runs every command of docs/evidence.md whose row is not current again, at full size: one after the other, because their times
count, and the shortest first. KIND is prove, chaos, check or bench; without one, all. Starts no run after N minutes.`;

/** No command takes half as long. */
const maxSeconds = 3 * 3600;

const claims = await listClaims();
const { values, positionals, isValid } = parse();
if (!isValid || positionals.some((name) => !claims.some(({ key }) => key === name || key.startsWith(`${name}/`)))) {
  console.error(usage);
  process.exit(64);
}
const begun = performance.now();
const minutes = () => (performance.now() - begun) / 60_000;
const outdated = outdatedClaims(repository, claims, readResults(repository), positionals);
if (values.list) {
  for (const { command } of outdated) console.log(command);
  process.exit();
}
const logs = mkdtempSync(join(tmpdir(), "postern-evidence-"));
console.log(`${outdated.length} rows are not current; the output of each run is in ${logs}`);
for (const [index, claim] of outdated.entries()) {
  if (minutes() >= Number(values.minutes ?? Number.POSITIVE_INFINITY)) {
    console.log(`${values.minutes} minutes are over: ${outdated.length - index} rows are left`);
    break;
  } else await refresh(claim);
}

async function refresh(claim: Claim): Promise<void> {
  console.log(`→ ${claim.command} (${minutes().toFixed(0)} min)`);
  const before = readResults(repository)[claim.key];
  const exitCode = await run(claim);
  const result = readResults(repository)[claim.key];
  if (JSON.stringify(result) === JSON.stringify(before)) {
    console.log(`  ✗ recorded nothing; exit code ${exitCode}`);
    process.exitCode = 1;
    return;
  }
  const state = stateOf(repository, claim, result);
  if (state !== "current") process.exitCode = 1;
  console.log(`  ${state === "current" ? "✓" : "✗"} ${state}, ${result?.seconds} s: ${result?.figure.join("; ")}`);
}

function run({ key, command }: Claim): Promise<number | string> {
  const log = openSync(join(logs, `${key.replaceAll(/[^a-z-]+/g, "-")}.log`), "w");
  const stdio = ["ignore", log, log] as const;
  const child = spawn(command, { shell: true, cwd: repository, stdio: [...stdio], timeout: maxSeconds * 1000 });
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown")));
}

function parse() {
  try {
    const options = { minutes: { type: "string" }, list: { type: "boolean" } } as const;
    const parsed = parseArgs({ options, allowPositionals: true });
    return { ...parsed, isValid: !Number.isNaN(Number(parsed.values.minutes ?? 0)) };
  } catch {
    return { values: {} as { minutes?: string; list?: boolean }, positionals: [], isValid: false };
  }
}
