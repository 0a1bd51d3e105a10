import { type Environment, readStatusConfig } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { say } from "../plain-text.ts";
import { countLimitForPeople, readCellState } from "../status/cell-state.ts";
import { findProblems } from "../status/find-problems.ts";
import { colourMarks } from "./colour.ts";
import { describeCell } from "./describe-cell.ts";

export async function runStatus(environment: Environment, { isJson }: { isJson: boolean }): Promise<void> {
  const { database, feedback, databaseDiskBytes } = readStatusConfig(environment);
  const db = openDatabase({
    url: database.directUrl,
    poolSize: 2,
    applicationName: "postern-status",
    onIdleError: () => undefined,
  });
  try {
    const state = await readCellState(db, { ...feedback, databaseDiskBytes }, countLimitForPeople);
    const problems = findProblems(state);
    if (isJson) say(JSON.stringify({ ...state, problems }, null, 2));
    else say(describeCell(state, problems, { hasFeedbackQueue: feedback.hasFeedbackQueue }), colourMarks);
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await db.close();
  }
}
