import { closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { answerAsPlanned, type Phase } from "./source-plan.ts";

/** The program that an AWS profile names as `credential_process`. Its argument is the file with its plan. */
const [file = ""] = process.argv.slice(2);
// The proof removes the file at its end. The shell that the SDK starts outlives a killed worker, so the parent says nothing.
setInterval(() => existsSync(file) || process.exit(1), 500);

const phases = JSON.parse(readFileSync(file, "utf8")) as Phase[];
const startMs = firstUse(`${file}.used`);
const answer = await answerAsPlanned({ startMs, phases });
if (answer === undefined) process.exit(1);
const { Token, ...rest } = answer;
process.stdout.write(JSON.stringify({ Version: 1, ...rest, SessionToken: Token }), () => process.exit(0));

/** The first process creates the file. */
function firstUse(marker: string): number {
  try {
    closeSync(openSync(marker, "wx"));
  } catch {
    // It exists.
  }
  return statSync(marker).mtimeMs;
}
