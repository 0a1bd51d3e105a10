import type { Database } from "../../db/database.ts";
import { parseMailbox } from "../../mail-address.ts";
import { aligned, amountText, countText, say, timeText } from "../../plain-text.ts";
import { type FailedFilter, type FailedSend, findFailed, type Retry, retryFailed } from "../../queue/retry-failed.ts";
import { type SendErrorCode, sendErrorCodes } from "../../queue/settle-sends.ts";
import { getAccountNamed, misused, readCommandLine } from "../command-options.ts";

const help = `Usage: postern admin retry --status failed --code CODE --since TIME [--account EMAIL-or-ID] [--yes]

Puts failed sends back into the queue. Without --yes it only tells how many and shows some. TIME is when they were accepted
at the earliest: 2026-11-15T09:00Z, or 90m, 12h, 3d for so long ago. CODE is one of
${sendErrorCodes.join(", ")}.
Sends whose content was dropped, and those that SES had taken, stay failed.`;

const kinds = {
  status: { type: "string" },
  code: { type: "string" },
  since: { type: "string" },
  account: { type: "string" },
  yes: { type: "boolean" },
} as const;

const examplesShown = 5;
const retriedAtOnce = 500;

export async function runRetry(db: Database, args: string[]): Promise<void> {
  const { options } = readCommandLine(args, kinds, help);
  if (options.status !== "failed") throw misused("Only failed sends can be put back: --status failed", help);
  const accountId = options.account === undefined ? undefined : (await getAccountNamed(db, options.account)).id;
  const filter = { code: readCode(options.code), since: readSince(options.since), accountId };
  const tally = await retryAll(db, filter, options.yes === true);
  say(describe(filter, tally, options.yes === true));
}

interface Tally {
  found: number;
  noContent: number;
  submitted: number;
  putBack: number;
  examples: FailedSend[];
}

async function retryAll(db: Database, filter: FailedFilter, isMeant: boolean): Promise<Tally> {
  const tally: Tally = { found: 0, noContent: 0, submitted: 0, putBack: 0, examples: [] };
  const places = new Map<string, number>();
  let after: string | undefined;
  do {
    const { failed, next } = await findFailed(db, filter, after);
    const possible = failed.filter(({ obstacle }) => obstacle === null);
    tally.found += failed.length;
    tally.noContent += failed.filter(({ obstacle }) => obstacle === "no content").length;
    tally.submitted += failed.filter(({ obstacle }) => obstacle === "handed over").length;
    tally.examples.push(...possible.slice(0, examplesShown - tally.examples.length));
    if (isMeant) tally.putBack += await putBack(db, filter.code, possible, places);
    after = next;
  } while (after !== undefined);
  return tally;
}

async function putBack(db: Database, code: SendErrorCode, failed: FailedSend[], places: Map<string, number>) {
  let moved = 0;
  for (let start = 0; start < failed.length; start += retriedAtOnce) {
    const retries = failed.slice(start, start + retriedAtOnce).flatMap((send) => retryOf(send, places));
    moved += (await retryFailed(db, code, retries)).length;
  }
  return moved;
}

/** The record has the sender as it was given; its domain is read from it as it was then. */
function retryOf({ id, accountId, fromAddress }: FailedSend, places: Map<string, number>): Retry[] {
  const sender = parseMailbox(fromAddress);
  if ("problem" in sender) return [];
  const place = (places.get(accountId) ?? 0) + 1;
  places.set(accountId, place);
  return [{ id, fromDomain: sender.address.domain, place }];
}

function describe({ code, since }: FailedFilter, tally: Tally, isMeant: boolean): string {
  const { found, noContent, submitted, examples } = tally;
  const possible = found - noContent - submitted;
  const rows = examples.map((send) => [
    send.id,
    timeText(send.queuedAt),
    `${send.toAddresses[0] ?? ""}${send.toAddresses.length > 1 ? ` +${send.toAddresses.length - 1}` : ""}`,
    send.errorMessage.length > 60 ? `${send.errorMessage.slice(0, 59)}…` : send.errorMessage,
  ]);
  return [
    `${amountText(found, "send")} accepted since ${timeText(since)} failed with ${code}.`,
    ...(noContent === 0 ? [] : [`${countText(noContent)} cannot be put back: the content was dropped.`]),
    ...(submitted === 0 ? [] : [`${countText(submitted)} cannot be put back: SES had taken them.`]),
    ...(rows.length === 0 || isMeant ? [] : ["", aligned(rows, { indent: "  " }), ""]),
    ...(code !== "PROVIDER_OUTCOME_UNKNOWN" || possible === 0 || isMeant
      ? []
      : ["Careful: SES may have taken some of these, and their recipients would get them a second time."]),
    isMeant ? putBackText(tally.putBack) : dryRunText(possible),
  ].join("\n");
}

function dryRunText(possible: number): string {
  if (possible === 0) return "There is nothing to put back.";
  return `Nothing was changed. The same command with --yes puts ${possible === 1 ? "it" : `these ${countText(possible)}`} back.`;
}

function putBackText(count: number): string {
  return count === 0 ? "None was put back." : `${amountText(count, "send")} put back; ready in 30 seconds.`;
}

function readCode(text: string | undefined): SendErrorCode {
  const code = sendErrorCodes.find((known) => known === text);
  if (code !== undefined) return code;
  throw misused(text === undefined ? "--code is missing." : `There is no code "${text}".`, help);
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readSince(text: string | undefined): string {
  if (text === undefined) throw misused("--since is missing.", help);
  const [, count, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = count === undefined ? Date.parse(isTime ? text : "") : Date.now() - Number(count) * (unitMs[unit] ?? 0);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw misused(`--since is a time such as 2026-11-15T09:00Z or 12h, not "${text}".`, help);
}
