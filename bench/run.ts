import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMeasurement } from "../scripts/evidence/measurement.ts";
import { embeddedBinaries } from "../service/src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../service/test/private-postgres.ts";
import { createTemplate } from "../service/test/template-database.ts";
import { benchClaim, benches } from "./benches.ts";
import { type Bench, fullSize, NotReady, type RunSize } from "./frame/bench.ts";
import { goalCheckText, hasReachedGoal, isWithinLimit, rounded } from "./frame/goal-check.ts";
import { describeMachine } from "./frame/machine.ts";
import { outcomeTable } from "./frame/outcome-table.ts";

const quickSize: RunSize = { rounds: 3, seconds: 4 };

const results = join(import.meta.dirname, "results");

const [what = "", chosenSize = "full"] = process.argv.slice(2);
const chosen = benches.filter(({ name, isLong }) => name === what || what === "full" || (what === "quick" && !isLong));
if (chosen.length === 0) {
  console.error(`Usage: npm run bench -- quick | full | ${benches.map(({ name }) => name).join(" | ")} [quick]`);
  process.exit(64);
}
const isQuick = what === "quick" || chosenSize === "quick";
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
  const size = isQuick ? quickSize : (bench.fullSize ?? fullSize);
  const outcome = await bench.run({ serverUrl: server.url, isQuick, ...size, progress });
  const found = Object.entries(outcome.findings ?? {}).map(([name, figure]) => `${name}: ${figure}`);
  const notes = [...found, ...(outcome.notes ?? [])].map((note) => `    ${note}`);
  console.log([outcomeTable(outcome), ...outcome.goals.map(goalCheckText), ...notes].join("\n"));
  const reached = outcome.goals.filter(hasReachedGoal).length;
  const verdict = outcome.goals.length === 0 ? "no goals" : `${reached} of ${outcome.goals.length} goals reached`;
  console.log(`${bench.name}: ${verdict}\n`);
  const isHeld = outcome.goals.every(isWithinLimit);
  if (!isHeld) process.exitCode = 1;
  if (record === undefined) return;
  mkdirSync(results, { recursive: true });
  const report = { bench: bench.name, machine, ...outcome };
  writeFileSync(join(results, `${bench.name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  await record({
    figure: outcome.goals.length === 0 ? found : [verdict],
    n: size.rounds,
    holds: isHeld,
    goals: outcome.goals.map(rounded),
  });
}

function explain(error: unknown): void {
  if (!(error instanceof NotReady)) throw error;
  console.error(error.message);
  process.exitCode = 69;
}
