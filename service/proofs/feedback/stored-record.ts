import type { Database } from "../../src/db/database.ts";
import type { FeedbackRecord } from "./expected-record.ts";

/** The state of the tables, as lines in the same format. */
export async function readRecord(db: Database): Promise<FeedbackRecord> {
  const events = await linesOf(
    db,
    "all-events",
    `select concat_ws(' ', send_id, event_type, recipient,
       to_char(event_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), coalesce(bounce_type, '-'),
       coalesce(bounce_subtype, '-'), coalesce(complaint_type, '-')) as line
     from events`,
  );
  const statuses = await linesOf(
    db,
    "all-statuses",
    `select concat_ws(' ', id, status, provider_message_id) as line from sends`,
  );
  const suppressions = await linesOf(
    db,
    "all-suppressions",
    `select concat_ws(' ', account_id, email, reason) as line from suppressions`,
  );
  const counts = await linesOf(
    db,
    "all-counts",
    `select concat_ws(' ', account_id, list, sum(count)) as line
     from (
       select account_id, list, count from list_counts
       union all
       select account_id, list, difference from list_changes
     ) as counted
     group by account_id, list
     having sum(count) <> 0`,
  );
  return { events, statuses, suppressions, counts };
}

async function linesOf(db: Database, name: string, text: string): Promise<string[]> {
  const rows = await db.query<{ line: string }>({ name, text });
  return rows.map(({ line }) => line).toSorted();
}

interface Difference {
  missing: string[];
  /** Not expected at all, or more often than expected. */
  extra: string[];
}

function compare(expected: string[], found: string[]): Difference {
  const unmatched = new Map<string, number>();
  for (const line of found) unmatched.set(line, (unmatched.get(line) ?? 0) + 1);
  const missing: string[] = [];
  for (const line of expected) {
    const count = unmatched.get(line) ?? 0;
    if (count === 0) missing.push(line);
    else unmatched.set(line, count - 1);
  }
  return { missing, extra: [...unmatched].flatMap(([line, count]) => Array.from({ length: count }, () => line)) };
}

/** The number of missing and extra lines in each part of the record, with examples. */
export function describeDifferences(expected: FeedbackRecord, found: FeedbackRecord) {
  const parts = (["events", "statuses", "suppressions", "counts"] as const).map((name) => {
    const { missing, extra } = compare(expected[name], found[name]);
    const examples = [
      ...missing.slice(0, 2).map((line) => `- ${line}`),
      ...extra.slice(0, 2).map((line) => `+ ${line}`),
    ];
    return { name, expected: expected[name].length, missing: missing.length, extra: extra.length, examples };
  });
  return {
    text:
      parts.map((part) => `${part.expected} ${part.name}: ${part.missing} missing, ${part.extra} extra`).join("; ") +
      parts.flatMap((part) => part.examples.map((example) => `\n${part.name} ${example}`)).join(""),
    isSame: parts.every((part) => part.missing + part.extra === 0),
  };
}
