import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedBinaries } from "../service/src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../service/test/private-postgres.ts";
import { createTemplate } from "../service/test/template-database.ts";
import { accept } from "./accept/accept.ts";
import { cells } from "./cells/cells.ts";
import { drain } from "./drain/drain.ts";
import { engines } from "./engines/engines.ts";
import { feedback } from "./feedback/feedback.ts";
import { type Bench, NotReady } from "./frame/bench.ts";
import { goalCheckText, hasReachedGoal, isWithinLimit } from "./frame/goal-check.ts";
import { describeMachine } from "./frame/machine.ts";
import { outcomeTable } from "./frame/outcome-table.ts";
import { growth } from "./growth/growth.ts";
import { latency } from "./latency/latency.ts";
import { writeReport } from "./report/write-report.ts";
import { writeCapacityTable } from "./scale/write-table.ts";

const benches: Bench[] = [accept, drain, feedback, latency, engines, cells, growth];
const sizes = { quick: { rounds: 3, seconds: 4 }, full: { rounds: 5, seconds: 15 } };

const results = join(import.meta.dirname, "results");

const [what = "", size = "full"] = process.argv.slice(2);
if (what === "report") {
  try {
    writeDocuments();
  } catch (error) {
    explain(error);
  }
  process.exit();
}
const chosen = benches.filter(({ name, isLong }) => name === what || what === "full" || (what === "quick" && !isLong));
if (chosen.length === 0) {
  console.error(
    `Usage: npm run bench -- quick | full | report | ${benches.map(({ name }) => name).join(" | ")} [quick]`,
  );
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
  const progress = (text: string) => console.log(`  … ${text}`);
  const outcome = await bench.run({ serverUrl: server.url, isQuick, ...sizes[isQuick ? "quick" : "full"], progress });
  const found = Object.entries(outcome.findings ?? {}).map(([name, figure]) => `${name}: ${figure}`);
  const notes = [...found, ...(outcome.notes ?? [])].map((note) => `    ${note}`);
  console.log([outcomeTable(outcome), ...outcome.goals.map(goalCheckText), ...notes].join("\n"));
  const reached = outcome.goals.filter(hasReachedGoal).length;
  console.log(`${bench.name}: ${reached} of ${outcome.goals.length} goals reached\n`);
  if (!outcome.goals.every(isWithinLimit)) process.exitCode = 1;
  if (isQuick) return;
  mkdirSync(results, { recursive: true });
  const report = { bench: bench.name, machine, ...outcome };
  writeFileSync(join(results, `${bench.name}.json`), `${JSON.stringify(report, null, 2)}\n`);
}

function writeDocuments(): void {
  const docs = join(import.meta.dirname, "../docs");
  writeReport(results, docs);
  const missing = writeCapacityTable(join(docs, "scale.md"), results);
  if (missing.length > 0) console.log(`docs/scale.md has no capacity table: no results yet for ${missing.join(", ")}`);
}

function explain(error: unknown): void {
  if (!(error instanceof NotReady)) throw error;
  console.error(error.message);
  process.exitCode = 69;
}
