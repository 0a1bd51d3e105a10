import { commandLineActor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import { parseMailbox } from "../../mail-address.ts";
import { aligned, amountText, countText, say, timeText } from "../../plain-text.ts";
import {
  type FailedFilter,
  type FailedSend,
  findFailed,
  type Retry,
  type RetryableCode,
  retryFailed,
} from "../../queue/retry-failed.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export interface RetryOptions {
  code: RetryableCode;
  since: string;
  account?: string;
  yes?: boolean;
}

const shownExamples = 5;
const batchSize = 500;

export async function runRetry(db: Database, { code, since, account, yes = false }: RetryOptions): Promise<void> {
  const accountId = account === undefined ? undefined : (await getAccountByIdOrEmail(db, account)).id;
  const filter = { code, since, accountId };
  const counts = await retryAll(db, filter, yes);
  say(describe(filter, counts, yes));
}

interface RetryCounts {
  found: number;
  noContent: number;
  submitted: number;
  requeued: number;
  examples: FailedSend[];
}

async function retryAll(db: Database, filter: FailedFilter, isConfirmed: boolean): Promise<RetryCounts> {
  const counts: RetryCounts = { found: 0, noContent: 0, submitted: 0, requeued: 0, examples: [] };
  const positions = new Map<string, number>();
  let after: string | undefined;
  do {
    const { failed, next } = await findFailed(db, filter, after);
    const possible = failed.filter(({ obstacle }) => obstacle === null);
    counts.found += failed.length;
    counts.noContent += failed.filter(({ obstacle }) => obstacle === "no content").length;
    counts.submitted += failed.filter(({ obstacle }) => obstacle === "submitted").length;
    counts.examples.push(...possible.slice(0, shownExamples - counts.examples.length));
    if (isConfirmed) counts.requeued += await requeue(db, filter.code, possible, positions);
    after = next;
  } while (after !== undefined);
  return counts;
}

async function requeue(db: Database, code: RetryableCode, failed: FailedSend[], positions: Map<string, number>) {
  let moved = 0;
  for (let start = 0; start < failed.length; start += batchSize) {
    const retries = failed.slice(start, start + batchSize).flatMap((send) => retryOf(send, positions));
    moved += (await retryFailed(db, code, retries, commandLineActor())).length;
  }
  return moved;
}

/** Reads the domain from the sender in the record, as accept did. */
function retryOf({ id, accountId, fromAddress }: FailedSend, positions: Map<string, number>): Retry[] {
  const sender = parseMailbox(fromAddress);
  if ("problem" in sender) return [];
  const position = (positions.get(accountId) ?? 0) + 1;
  positions.set(accountId, position);
  return [{ id, fromDomain: sender.address.domain, position }];
}

function describe({ code, since }: FailedFilter, counts: RetryCounts, isConfirmed: boolean): string {
  const { found, noContent, submitted, examples } = counts;
  const possible = found - noContent - submitted;
  const rows = examples.map((send) => [
    send.id,
    timeText(send.queuedAt),
    `${send.toAddresses[0] ?? ""}${send.toAddresses.length > 1 ? ` +${send.toAddresses.length - 1}` : ""}`,
    send.errorMessage.length > 60 ? `${send.errorMessage.slice(0, 59)}…` : send.errorMessage,
  ]);
  return [
    `${amountText(found, "send")} accepted since ${timeText(since)} failed with ${code}.`,
    ...(noContent === 0 ? [] : [`${countText(noContent)} cannot be retried: the content was deleted.`]),
    ...(submitted === 0 ? [] : [`${countText(submitted)} cannot be retried: SES has accepted them.`]),
    ...(rows.length === 0 || isConfirmed ? [] : ["", aligned(rows, { indent: "  " }), ""]),
    ...(code !== "PROVIDER_OUTCOME_UNKNOWN" || possible === 0 || isConfirmed
      ? []
      : ["Warning: SES may have accepted some of these. Their recipients would get the mail a second time."]),
    isConfirmed ? requeuedText(counts.requeued) : dryRunText(possible),
  ].join("\n");
}

function dryRunText(possible: number): string {
  if (possible === 0) return "No send can be retried.";
  return `Nothing was changed. To retry ${possible === 1 ? "it" : `these ${countText(possible)}`}, add --yes.`;
}

function requeuedText(count: number): string {
  return count === 0
    ? "No send was put back into the queue."
    : `${amountText(count, "send")} put back into the queue; ready in 30 seconds.`;
}
