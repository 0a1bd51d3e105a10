import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stepNames, stepNumber } from "../../service/src/db/schema-steps.ts";
import { lintExpandStep } from "./lint-step.ts";
import { parseSql } from "./parsed-sql.ts";

/** The steps up to this one are from before the first release: no older code runs on their schema. */
const lastExemptStep = 79;

/** The problems of all expand steps of a folder and of its folder `contract`. */
export async function lintFolder(folder: string): Promise<string[]> {
  const names = stepNames(folder);
  const problems: string[] = [];
  const partitioned = new Set<string>();
  for (const name of names) {
    const sql = readFileSync(join(folder, `${name}.sql`), "utf8");
    if (stepNumber(name) > lastExemptStep) {
      problems.push(...(await lintExpandStep(sql, { partitioned })).map((problem) => `${name}: ${problem}`));
    }
    for (const { CreateStmt: create } of await parseSql(sql)) {
      if (create?.partspec !== undefined) partitioned.add(create.relation.relname);
    }
  }
  return [...problems, ...lintContracts(join(folder, "contract"), Math.max(0, ...names.map(stepNumber)))];
}

function lintContracts(folder: string, newest: number): string[] {
  return stepNames(folder).flatMap((name) => [
    ...(/^\d{4}(_[a-z0-9]+)+$/.test(name) ? [] : [`contract/${name}: is not named NNNN_what_it_removes`]),
    ...(stepNumber(name) <= newest
      ? []
      : [
          `contract/${name}: its number is the oldest code that works without it, and there is no code newer than ${newest}`,
        ]),
    ...(readFileSync(join(folder, `${name}.sql`), "utf8").startsWith("-- Contracts. ")
      ? []
      : [`contract/${name}: the first line does not begin with \`-- Contracts. \``]),
  ]);
}
