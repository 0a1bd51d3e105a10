import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const expandFolder = fileURLToPath(new URL("../../migrations", import.meta.url));
export const contractFolder = join(expandFolder, "contract");

/**
 * A part of a step that has parts (docs/upgrades.md):
 * - `step`: one statement, in a transaction of its own unless it is `concurrently`.
 * - `repeat`: a batch of a backfill, repeated until it changes no row.
 * - `partitioned index`: an index of a partitioned table, built for one partition after the other and attached.
 */
export interface Part {
  kind: "step" | "repeat" | "partitioned index";
  about: string;
  sql: string;
}

/** A file of the folder. Without parts, all its statements and its record are one transaction. */
export interface SchemaStep {
  name: string;
  /** The four digits at the beginning of its name. */
  number: number;
  sql: string;
  parts: Part[];
}

const partLine = /^-- (step|repeat|partitioned index):(.*)$/m;

/** The names of the steps in a folder, oldest first. A folder that does not exist has none. */
export function stepNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
  return files
    .filter(({ name }) => name.endsWith(".sql"))
    .map(({ name }) => name.replace(/\.sql$/, ""))
    .toSorted();
}

export function readStep(folder: string, name: string): SchemaStep {
  const sql = readFileSync(join(folder, `${name}.sql`), "utf8");
  return { name, number: stepNumber(name), sql, parts: partsOf(sql) };
}

export function stepNumber(name: string): number {
  return Number(name.slice(0, 4));
}

export function partsOf(sql: string): Part[] {
  const [, ...found] = sql.split(partLine);
  const parts: Part[] = [];
  for (let index = 0; index + 2 < found.length; index += 3) {
    parts.push({
      kind: found[index] as Part["kind"],
      about: (found[index + 1] ?? "").trim(),
      sql: (found[index + 2] ?? "").trim(),
    });
  }
  return parts;
}
