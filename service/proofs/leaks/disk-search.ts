import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../src/db/database.ts";
import type { PrivatePostgres } from "../../test/private-postgres.ts";
import { queryValue } from "../failover/postgres-copies.ts";
import { readAllRows } from "./all-rows.ts";
import { findTexts } from "./find-texts.ts";

export interface DiskSearch {
  files: number;
  mebibytes: number;
  rows: number;
  /** Texts that occur in a file or a row, with the location. */
  found: { text: string; location: string }[];
}

/** Makes the server write everything to disk, then searches all its files, including the WAL, and all rows. */
export async function searchDisk({ url, data }: PrivatePostgres, db: Database, texts: string[]): Promise<DiskSearch> {
  await queryValue(url, "checkpoint");
  await queryValue(url, "select pg_switch_wal() as answer");
  await queryValue(url, "checkpoint");
  const search: DiskSearch = { files: 0, mebibytes: 0, rows: 0, found: [] };
  for (const { parentPath, name } of readdirSync(data, { recursive: true, withFileTypes: true }).filter(isFile)) {
    const bytes = readIfPresent(join(parentPath, name));
    search.files += 1;
    search.mebibytes += bytes.length / 2 ** 20;
    search.found.push(...findTexts(bytes, texts).map((text) => ({ text, location: join(parentPath, name) })));
  }
  const rows = await readAllRows(db);
  search.rows = rows.length;
  search.found.push(...findTexts(Buffer.from(rows.join("\n")), texts).map((text) => ({ text, location: "a row" })));
  return search;
}

function isFile(entry: { isFile(): boolean }): boolean {
  return entry.isFile();
}

/** A running server removes files that it no longer needs. */
function readIfPresent(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
