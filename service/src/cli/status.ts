import { loadEnvironment, readStatusConfig } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { say } from "../plain-text.ts";
import { countedForPeople, readCellState } from "../status/cell-state.ts";
import { findProblems } from "../status/find-problems.ts";
import { misused, readCommandLine } from "./command-options.ts";
import { describeCell } from "./describe-cell.ts";

const help = `Usage: postern status [--json]

Tells how the installation stands: queues, holds, pace, feedback, quarantine, partitions, schema. It asks the database only.
Ends with 0 when all is well and with 1 when something needs attention.`;

export async function runStatus(args: string[]): Promise<void> {
  const kinds = { json: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { options, words } = readCommandLine(args, kinds, help);
  if (options.help === true) return say(help);
  if (words.length > 0) throw misused(`\`postern status\` takes no "${words[0]}".`, help);
  const { database, feedback } = readStatusConfig(loadEnvironment());
  const db = openDatabase({
    ...database,
    poolSize: 2,
    applicationName: "postern-status",
    onIdleError: () => undefined,
  });
  try {
    const state = await readCellState(db, feedback, countedForPeople);
    const problems = findProblems(state);
    say(options.json === true ? JSON.stringify({ ...state, problems }, null, 2) : describeCell(state, problems));
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await db.close();
  }
}
