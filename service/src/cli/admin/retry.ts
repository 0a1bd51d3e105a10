import type { Database } from "../../db/database.ts";
import { parseMailbox } from "../../mail-address.ts";
import { aligned, amountText, countText, say, timeText } from "../../plain-text.ts";
import { type FailedFilter, type FailedSend, findFailed, type Retry, retryFailed } from "../../queue/retry-failed.ts";
import { type SendErrorCode, sendErrorCodes } from "../../queue/settle-sends.ts";
import { getAccountByIdOrEmail, readCommandLine, usageError } from "../command-options.ts";

const help = `Usage: postern admin retry --status failed --code CODE --since TIME [--account EMAIL-or-ID] [--yes]

Puts failed sends back into the queue. Without --yes it only counts them and shows examples.

TIME selects sends that the API accepted at that time or later: 2026-11-15T09:00Z, or 90m, 12h, 3d before now.
CODE is one of ${sendErrorCodes.join(", ")}.

A send stays failed when its content was deleted or when SES has accepted it.`;

const kinds = {
  status: { type: "string" },
  code: { type: "string" },
  since: { type: "string" },
  account: { type: "string" },
  yes: { type: "boolean" },
} as const;

const shownExamples = 5;
const batchSize = 500;

export async function runRetry(db: Database, args: string[]): Promise<void> {
  const { options } = readCommandLine(args, kinds, help);
  if (options.status !== "failed")
    throw usageError("--status failed is required: only failed sends can be retried.", help);
  const accountId = options.account === undefined ? undefined : (await getAccountByIdOrEmail(db, options.account)).id;
  const filter = { code: readCode(options.code), since: readSince(options.since), accountId };
  const isConfirmed = options.yes === true;
  const counts = await retryAll(db, filter, isConfirmed);
  say(describe(filter, counts, isConfirmed));
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

async function requeue(db: Database, code: SendErrorCode, failed: FailedSend[], positions: Map<string, number>) {
  let moved = 0;
  for (let start = 0; start < failed.length; start += batchSize) {
    const retries = failed.slice(start, start + batchSize).flatMap((send) => retryOf(send, positions));
    moved += (await retryFailed(db, code, retries)).length;
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

function readCode(text: string | undefined): SendErrorCode {
  const code = sendErrorCodes.find((known) => known === text);
  if (code !== undefined) return code;
  throw usageError(text === undefined ? "--code is missing." : `There is no error code "${text}".`, help);
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readSince(text: string | undefined): string {
  if (text === undefined) throw usageError("--since is missing.", help);
  const [, count, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = count === undefined ? Date.parse(isTime ? text : "") : Date.now() - Number(count) * (unitMs[unit] ?? 0);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw usageError(`--since must be a time such as 2026-11-15T09:00Z or 12h, not "${text}".`, help);
}
