import type { AccountDatabase } from "../../db/database.ts";
import type { Mode } from "../../mode.ts";
import type { ReadRecord } from "./import-reader.ts";
import type { ImportEntry } from "./import-sources.ts";
import { findSuppressed, importEntries } from "./import-store.ts";
import { createSeenAddresses } from "./seen-addresses.ts";

export const importBatchSize = 1_000;
const maxShownProblems = 10;

export interface ImportOptions {
  mode: Mode;
  /** Where the entries come from, for the audit. */
  source: string;
  /** Counts what an import would do, and changes nothing. */
  isDryRun: boolean;
  /** Called with each batch that was stored, for entries that come from the provider. */
  noteReported?: (entries: readonly ImportEntry[]) => Promise<void>;
}

export interface ImportCounts {
  added: number;
  /** Suppressed before, or repeated in the import. */
  known: number;
  invalid: number;
  /** The first invalid records. */
  problems: { line: number; problem: string }[];
}

/**
 * Imports records in batches of 1,000, each in a commit of its own, so an import can be interrupted at any moment. `onProgress` is called
 * after each batch.
 */
export async function importSuppressions(
  db: AccountDatabase,
  records: AsyncIterable<readonly ReadRecord[]>,
  options: ImportOptions,
  onProgress: (counts: ImportCounts) => void = () => undefined,
): Promise<ImportCounts> {
  const counts: ImportCounts = { added: 0, known: 0, invalid: 0, problems: [] };
  const seen = createSeenAddresses();
  let batch: ImportEntry[] = [];
  const finishBatch = async () => {
    const added = options.isDryRun ? await countNew(db, options.mode, batch, seen) : await store(db, options, batch);
    counts.added += added;
    counts.known += batch.length - added;
    batch = [];
    onProgress(counts);
  };
  for await (const page of records) {
    for (const record of page) {
      if ("problem" in record) {
        counts.invalid++;
        if (counts.problems.length < maxShownProblems) counts.problems.push(record);
        continue;
      }
      batch.push(record.entry);
      if (batch.length === importBatchSize) await finishBatch();
    }
  }
  if (batch.length > 0) await finishBatch();
  return counts;
}

async function store(
  db: AccountDatabase,
  { mode, source, noteReported }: ImportOptions,
  entries: ImportEntry[],
): Promise<number> {
  const added = await importEntries(db, mode, { source, entries });
  await noteReported?.(entries);
  return added;
}

async function countNew(
  db: AccountDatabase,
  mode: Mode,
  entries: ImportEntry[],
  seen: ReturnType<typeof createSeenAddresses>,
): Promise<number> {
  const suppressed = await findSuppressed(
    db,
    mode,
    entries.map(({ email }) => email),
  );
  return entries.filter(({ email }) => !suppressed.has(email) && seen.add(email)).length;
}
