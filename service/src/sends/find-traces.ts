import { setTimeout as sleep } from "node:timers/promises";
import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { readStoredTrace, type TraceParent } from "../traceparent.ts";
import { isTracing } from "../tracing.ts";

const readWithinMs = 1_000;

/** The traces of these sends, without those that have none. Serves all accounts. Without an SDK there is no query. */
export async function findTraces(db: Queryable, sendIds: string[]): Promise<Map<string, TraceParent>> {
  const rows = await readForSpans(sendIds, () =>
    db.query<{ id: string; stored: Buffer }>({
      name: "find-traces",
      text: `
        select given.id, s.trace_context as stored
        from unnest($1::uuid[]) as given (id)
        cross join lateral ${indexLookup(`
          select s.trace_context
          from sends s
          where s.id = given.id
            and s.trace_context is not null`)} as s`,
      values: [uuidArray(sendIds)],
    }),
  );
  return new Map(rows.map(({ id, stored }) => [id, readStoredTrace(stored)]));
}

/** Never rejects, and waits a second at most: without an answer the work goes on without spans. */
export async function readForSpans<Row>(ids: string[], read: () => Promise<Row[]>): Promise<Row[]> {
  if (ids.length === 0 || !isTracing()) return [];
  const answered = new AbortController();
  const late = sleep(readWithinMs, undefined, { signal: answered.signal }).catch(() => undefined);
  const rows = await Promise.race([read().catch(() => undefined), late]);
  answered.abort();
  return rows ?? [];
}
