import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../src/db/database.ts";
import type { PrivatePostgres } from "../test/private-postgres.ts";
import { everyRow } from "./every-row.ts";
import { ask } from "./postgres-copies.ts";
import { tracedIn } from "./traces.ts";

export interface DiskSearch {
  files: number;
  mebibytes: number;
  rows: number;
  /** Texts that left a trace in a file or a row, with the place. */
  found: { text: string; place: string }[];
}

/** Has the server write all it has, then looks into each of its files, WAL included, and into each row as a dump has it. */
export async function searchDisk({ url, data }: PrivatePostgres, db: Database, texts: string[]): Promise<DiskSearch> {
  await ask(url, "checkpoint");
  await ask(url, "select pg_switch_wal() as answer");
  await ask(url, "checkpoint");
  const search: DiskSearch = { files: 0, mebibytes: 0, rows: 0, found: [] };
  for (const { parentPath, name } of readdirSync(data, { recursive: true, withFileTypes: true }).filter(isFile)) {
    const bytes = readIfThere(join(parentPath, name));
    search.files += 1;
    search.mebibytes += bytes.length / 2 ** 20;
    search.found.push(...tracedIn(bytes, texts).map((text) => ({ text, place: join(parentPath, name) })));
  }
  const rows = await everyRow(db);
  search.rows = rows.length;
  search.found.push(...tracedIn(Buffer.from(rows.join("\n")), texts).map((text) => ({ text, place: "a row" })));
  return search;
}

function isFile(entry: { isFile(): boolean }): boolean {
  return entry.isFile();
}

/** A server at work removes files that it no longer needs. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
