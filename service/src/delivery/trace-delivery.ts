import type { Queryable } from "../db/database.ts";
import type { Claim, ClaimedSend } from "../queue/claim-sends.ts";
import { findTraces } from "../sends/find-traces.ts";
import { inLaterSpan, isTracing, recordLaterSpan } from "../tracing.ts";
import { type AttemptResult, statusAfter } from "./decide-move.ts";

/** The spans of a worker about one send: claim, submit, settle. Without an SDK each function only runs the work (docs/traces.md). */

/** One statement claims many sends, so each gets a span with the times of that statement. */
export async function traceClaim(db: Queryable, claim: () => Promise<Claim>): Promise<Claim> {
  if (!isTracing()) return claim();
  const startedAt = Date.now();
  const claimed = await claim();
  const times = { startedAt, endedAt: Date.now() };
  const traces = await findTraces(
    db,
    claimed.sends.map(({ id }) => id),
  );
  for (const send of claimed.sends) {
    send.trace = traces.get(send.id);
    if (send.trace === undefined) continue;
    const attributes = { ...attributesOf(send), "postern.claimed": claimed.sends.length };
    recordLaterSpan("claim", { kind: "CONSUMER", parent: send.trace, attributes }, times);
  }
  return claimed;
}

export function traceSubmit(send: ClaimedSend, submit: () => Promise<AttemptResult>): Promise<AttemptResult> {
  const describe = ({ outcome, requestId }: AttemptResult) => ({
    attributes: { "postern.outcome": outcome, ...(requestId !== undefined && { "aws.request_id": requestId }) },
    isError: outcome !== "accepted" && outcome !== "returned",
  });
  return inLaterSpan(
    "submit",
    { kind: "CLIENT", parent: send.trace, attributes: attributesOf(send), describe },
    submit,
  );
}

export function traceSettle(send: ClaimedSend, { move }: AttemptResult, settle: () => Promise<void>): Promise<void> {
  const attributes = { ...attributesOf(send), "postern.move": move.kind, "postern.status": statusAfter[move.kind] };
  return inLaterSpan("settle", { kind: "INTERNAL", parent: send.trace, attributes }, settle);
}

function attributesOf({ id, accountId, mode, attempt }: ClaimedSend) {
  return { "postern.send.id": id, "postern.account.id": accountId, "postern.mode": mode, "postern.attempt": attempt };
}
