import { ApiError } from "../../../api/api-error.ts";
import type { ImportSuppressionsBody } from "../../../api/api-types.ts";
import { call } from "../../../api/call.ts";
import type { Mode } from "../../../frame/search-state.ts";
import type { FileRecord } from "./read-records.ts";

export interface ImportSettings {
  mode: Mode;
  from: NonNullable<ImportSuppressionsBody["from"]>;
  reason: NonNullable<ImportSuppressionsBody["reason"]>;
}

export interface ImportCounts {
  added: number;
  known: number;
  invalid: number;
  problems: { line: number; problem: string }[];
}

/** The most that the API takes in a request. */
const pageSize = 1_000;
const maxShown = 10;

/** Sends the records in pages and adds up the counts. `onProgress` gets the records that are done. */
export async function importRecords(
  records: readonly FileRecord[],
  settings: ImportSettings & { isDryRun: boolean },
  onProgress: (done: number) => void,
): Promise<ImportCounts> {
  const { mode, from, reason, isDryRun } = settings;
  const counts: ImportCounts = { added: 0, known: 0, invalid: 0, problems: [] };
  const wanted = isDryRun ? withoutRepeats(records) : records;
  counts.known = records.length - wanted.length;
  for (let start = 0; start < wanted.length; start += pageSize) {
    const page = wanted.slice(start, start + pageSize);
    const entries = page.map(({ fields }) => fields);
    const { data } = await whenAdmitted(() =>
      call("POST /api/v1/suppression/import", { query: { mode }, body: { entries, from, reason, dry_run: isDryRun } }),
    );
    counts.added += data.new;
    counts.known += data.known;
    counts.invalid += data.invalid;
    const shown = data.problems.map(({ index, problem }) => ({ line: page[index]?.line ?? 0, problem }));
    counts.problems.push(...shown.slice(0, maxShown - counts.problems.length));
    onProgress(start + page.length);
  }
  return counts;
}

const maxWaitSeconds = 60;

/** A long file exceeds the limit of the account for changes of the list: the import waits as long as the API says, and goes on. */
async function whenAdmitted<Result>(request: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const seconds = error instanceof ApiError && error.status === 429 ? error.retryAfterSeconds : undefined;
      if (seconds === undefined || seconds > maxWaitSeconds) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}

/** A dry run stores nothing, so the API would count an address as new again that a later page repeats. */
function withoutRepeats(records: readonly FileRecord[]): FileRecord[] {
  const seen = new Set<string>();
  return records.filter(({ fields }) => {
    const address = addressIn(fields)?.toLowerCase();
    if (address === undefined || address === "") return true;
    const isNew = !seen.has(address);
    seen.add(address);
    return isNew;
  });
}

function addressIn(fields: Record<string, string>): string | undefined {
  const isAddress = (name: string) =>
    ["email", "emailaddress", "address"].includes(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
  return Object.entries(fields).find(([name]) => isAddress(name))?.[1];
}
