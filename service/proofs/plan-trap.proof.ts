import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { openDatabase } from "../src/db/database.ts";
import { type Growth, makeGrowths } from "../test/grown-tables.ts";
import { type HotStatement, makeHotStatements } from "../test/hot-statements.ts";
import { copyTemplate } from "../test/template-database.ts";

const fullSize = 50_000;
const maxRatio = 1.5;
const maxSmallRatio = 5;
const measured = ["accept", "claim"];
/** PostgreSQL chooses a generic plan at the sixth execution. */
const executionsBefore = 10;

export const proof: Proof = {
  promise: "Accept and claim stay as fast when every table grows after they were planned, without new statistics",
  covers: [
    "service/migrations",
    "service/src/accept",
    "service/src/db",
    "service/src/feedback",
    "service/src/queue",
    "service/test/grown-tables.ts",
    "service/test/hot-statements.ts",
  ],
  size: { small: 3_000, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withFixture(serverUrl, (grown) => withFixture(serverUrl, (empty) => compare({ grown, empty }, size, progress))),
};

interface Fixture {
  statements: HotStatement[];
  growths: Growth[];
}

/** A database whose hot statements are planned while its tables are empty. */
async function withFixture<Result>(serverUrl: string, work: (fixture: Fixture) => Promise<Result>): Promise<Result> {
  const copy = await copyTemplate(serverUrl);
  const db = openDatabase({
    url: copy.url,
    // One connection, because each connection has its own plans.
    poolSize: 1,
    applicationName: "postern-proof",
    onIdleError: () => undefined,
    statementTimeoutMs: 120_000,
  });
  try {
    const hot = await makeHotStatements(db);
    const growths = await makeGrowths(db, hot);
    for (let execution = 0; execution < executionsBefore; execution++) {
      for (const { run } of hot.statements) await run();
    }
    return await work({ statements: hot.statements, growths });
  } finally {
    await db.close();
    await copy.drop();
  }
}

async function compare(
  { grown, empty }: { grown: Fixture; empty: Fixture },
  size: number,
  progress: ProofTools["progress"],
): Promise<Finding> {
  for (const [position, { name, grow }] of grown.growths.entries()) {
    progress(`${position + 1} of ${grown.growths.length}: ${name}`);
    await grow(size);
  }
  const cycles = size === fullSize ? 300 : 20;
  const times = { grown: new Map<string, number[]>(), empty: new Map<string, number[]>() };
  // In turns, because other load on the machine changes from second to second.
  for (let cycle = 0; cycle < cycles; cycle++) {
    progress(`${cycle} of ${cycles} measurements`);
    await measure(grown.statements, times.grown);
    await measure(empty.statements, times.empty);
  }
  const results = measured.map((name) => {
    const [was, is] = [medianOf(times.empty.get(name)), medianOf(times.grown.get(name))];
    return { name, was, is, ratio: is / was };
  });
  const compared = results.map(
    ({ name, was, is, ratio }) =>
      `a lone ${name} ${is.toFixed(2)} against ${was.toFixed(2)} ms (${ratio.toFixed(2)} times)`,
  );
  return {
    figure:
      `planned on empty tables, then ${grown.growths.length} kinds of rows grown by ${size} each without analyze, against a database that ` +
      `did not grow: ${compared.join(", ")}, medians of ${cycles}`,
    // Times measured beside other tests prove little; with a trap they are more than ten times as long.
    holds: results.every(({ ratio }) => ratio <= (size === fullSize ? maxRatio : maxSmallRatio)),
  };
}

async function measure(statements: HotStatement[], times: Map<string, number[]>): Promise<void> {
  for (const { name, run } of statements) {
    const started = performance.now();
    await run();
    const known = times.get(name) ?? [];
    known.push(performance.now() - started);
    times.set(name, known);
  }
}

function medianOf(values: number[] = []): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
