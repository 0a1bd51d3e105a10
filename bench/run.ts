import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMeasurement } from "../scripts/evidence/measurement.ts";
import { embeddedBinaries } from "../service/src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../service/test/private-postgres.ts";
import { createTemplate } from "../service/test/template-database.ts";
import { benchClaim, benches } from "./benches.ts";
import { type Bench, NotReady } from "./frame/bench.ts";
import { goalCheckText, hasReachedGoal, isWithinLimit, rounded } from "./frame/goal-check.ts";
import { describeMachine } from "./frame/machine.ts";
import { outcomeTable } from "./frame/outcome-table.ts";

const sizes = { quick: { rounds: 3, seconds: 4 }, full: { rounds: 5, seconds: 15 } };

const results = join(import.meta.dirname, "results");

const [what = "", size = "full"] = process.argv.slice(2);
const chosen = benches.filter(({ name, isLong }) => name === what || what === "full" || (what === "quick" && !isLong));
if (chosen.length === 0) {
  console.error(`Usage: npm run bench -- quick | full | ${benches.map(({ name }) => name).join(" | ")} [quick]`);
  process.exit(64);
}
const isQuick = what === "quick" || size === "quick";
const server = await startPrivatePostgres(await embeddedBinaries());
try {
  await createTemplate(server.url);
  for (const bench of chosen) await runOne(bench).catch(explain);
} finally {
  await server.stop();
}

async function runOne(bench: Bench): Promise<void> {
  console.log(`${bench.name}: ${bench.description}`);
  const machine = describeMachine("18.4");
  const record = isQuick ? undefined : startMeasurement(benchClaim(bench));
  const progress = (text: string) => console.log(`  … ${text}`);
  const outcome = await bench.run({ serverUrl: server.url, isQuick, ...sizes[isQuick ? "quick" : "full"], progress });
  const found = Object.entries(outcome.findings ?? {}).map(([name, figure]) => `${name}: ${figure}`);
  const notes = [...found, ...(outcome.notes ?? [])].map((note) => `    ${note}`);
  console.log([outcomeTable(outcome), ...outcome.goals.map(goalCheckText), ...notes].join("\n"));
  const reached = outcome.goals.filter(hasReachedGoal).length;
  console.log(`${bench.name}: ${reached} of ${outcome.goals.length} goals reached\n`);
  const isHeld = outcome.goals.every(isWithinLimit);
  if (!isHeld) process.exitCode = 1;
  if (record === undefined) return;
  mkdirSync(results, { recursive: true });
  const report = { bench: bench.name, machine, ...outcome };
  writeFileSync(join(results, `${bench.name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  const figure = [`${reached} of ${outcome.goals.length} goals reached`];
  await record({ figure, n: sizes.full.rounds, holds: isHeld, goals: outcome.goals.map(rounded) });
}

function explain(error: unknown): void {
  if (!(error instanceof NotReady)) throw error;
  console.error(error.message);
  process.exitCode = 69;
}
