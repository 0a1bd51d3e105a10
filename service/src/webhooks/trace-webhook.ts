import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { readForSpans } from "../sends/find-traces.ts";
import { readStoredTrace } from "../traceparent.ts";
import { inLaterSpan } from "../tracing.ts";
import type { AttemptAnswer } from "./attempt-delivery.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";

interface TraceRow {
  id: string;
  sendId: string;
  type: string;
  stored: Buffer;
}

/** Adds the trace of its send to each claimed delivery. Serves all accounts. Without an SDK there is no query (docs/traces.md). */
export async function findDeliveryTraces(db: Queryable, claimed: ClaimedDelivery[]): Promise<void> {
  const ids = claimed.map(({ id }) => id);
  const rows = await readForSpans(ids, () =>
    db.query<TraceRow>({
      name: "find-delivery-traces",
      text: `
        select given.id, delivery.send_id as "sendId", delivery.type, send.trace_context as stored
        from unnest($1::uuid[]) as given (id)
        cross join lateral ${indexLookup(`
          select d.send_id, d.type
          from webhook_deliveries d
          where d.id = given.id
            and d.send_id is not null`)} as delivery
        cross join lateral ${indexLookup(`
          select s.trace_context
          from sends s
          where s.id = delivery.send_id
            and s.trace_context is not null`)} as send`,
      values: [uuidArray(ids)],
    }),
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  for (const delivery of claimed) {
    const row = found.get(delivery.id);
    if (row === undefined) continue;
    delivery.trace = { parent: readStoredTrace(row.stored), sendId: row.sendId, type: row.type };
  }
}

/** One POST to an endpoint. Its URL stays out of the span, because it can hold a credential. */
export function traceAttempt(delivery: ClaimedDelivery, post: () => Promise<AttemptAnswer>): Promise<AttemptAnswer> {
  const { id, accountId, endpointId, attempt, trace } = delivery;
  if (trace === undefined) return post();
  const attributes = {
    "postern.send.id": trace.sendId,
    "postern.account.id": accountId,
    "postern.delivery.id": id,
    "postern.endpoint.id": endpointId,
    "postern.notification.type": trace.type,
    "postern.attempt": attempt,
  };
  const describe = ({ result, status }: AttemptAnswer) => ({
    attributes: { "postern.result": result, ...(status !== undefined && { "http.response.status_code": status }) },
    isError: result !== "success",
  });
  return inLaterSpan("webhook", { kind: "CLIENT", parent: trace.parent, attributes, describe }, post);
}
