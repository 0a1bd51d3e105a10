import { loadEnvironment, readStatusConfig } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { say } from "../plain-text.ts";
import { countLimitForPeople, readCellState } from "../status/cell-state.ts";
import { findProblems } from "../status/find-problems.ts";
import { readCommandLine, usageError } from "./command-options.ts";
import { describeCell } from "./describe-cell.ts";

const help = `Usage: postern status [--json]

Shows the state of this installation: queues, holds, sending rate, feedback, quarantine, partitions, failovers and schema. It
reads only the database. Exit code: 0 when it finds no problem, 1 when it finds one.`;

export async function runStatus(args: string[]): Promise<void> {
  const kinds = { json: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { options, positionals } = readCommandLine(args, kinds, help);
  if (options.help === true) return say(help);
  if (positionals.length > 0) throw usageError(`\`postern status\` does not take "${positionals[0]}".`, help);
  const { database, feedback } = readStatusConfig(loadEnvironment());
  const db = openDatabase({
    ...database,
    poolSize: 2,
    applicationName: "postern-status",
    onIdleError: () => undefined,
  });
  try {
    const state = await readCellState(db, feedback, countLimitForPeople);
    const problems = findProblems(state);
    say(options.json === true ? JSON.stringify({ ...state, problems }, null, 2) : describeCell(state, problems));
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await db.close();
  }
}
