import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { bothModes, type Mode } from "../../mode.ts";
import { aligned, amountText, countText, printable, say, timeText } from "../../plain-text.ts";
import { readTagUsage } from "../../usage/read-tag-usage.ts";
import { readUsage, type UsageCounts } from "../../usage/read-usage.ts";
import { rebuildUsageDay, type UsageDifference } from "../../usage/rebuild-usage.ts";
import { usageKinds } from "../../usage/usage-kinds.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export interface UsageOptions {
  account: string;
  since?: string;
  by?: "hour" | "day";
  group?: "domain" | "tag";
  rebuild?: boolean;
  yes?: boolean;
}

const dayMs = 86_400_000;
const maxLines = 10_000;
const shownDifferences = 20;

export async function runUsage(
  db: Database,
  { account, since, by = "day", group, rebuild, yes }: UsageOptions,
): Promise<void> {
  const { id: accountId, name } = await getAccountByIdOrEmail(db, account);
  const from = new Date(since ?? Date.now() - 30 * dayMs);
  if (by === "day" || rebuild === true) from.setUTCHours(0, 0, 0, 0);
  else from.setUTCMinutes(0, 0, 0);
  if (group === "tag" && by === "hour") {
    throw new AppError("VALIDATION_ERROR", "Tags are counted per day. Leave out --by hour, or --group tag.");
  }
  if (rebuild === true) return rebuildAll(db, { accountId, name, from, isCorrected: yes === true });
  for (const mode of bothModes) {
    const query = {
      from: from.toISOString(),
      to: new Date(Date.now() + dayMs).toISOString(),
      by,
      maxEntries: maxLines + 1,
    };
    const ofAccount = db.forAccount(accountId);
    const usage =
      group === "tag"
        ? (await readTagUsage(ofAccount, { ...query, modes: [mode] })).map((one) => ({ ...one, name: one.tag }))
        : (await readUsage(ofAccount, { ...query, modes: [mode], isByDomain: group === "domain" })).map((one) => ({
            ...one,
            name: one.domain,
          }));
    requireFewLines(mode, usage.length);
    say(tableOf(mode, usage, group === "tag" ? "TAG" : "DOMAIN"));
  }
}

function requireFewLines(mode: Mode, lines: number): void {
  if (lines <= maxLines) return;
  const range = `The range has more than ${countText(maxLines)} lines of ${mode} mail.`;
  throw new AppError("VALIDATION_ERROR", `${range} Give a later --since, or leave out --by hour or --group.`);
}

interface Line extends Omit<UsageCounts, "contentBytes"> {
  start: string;
  /** Of the domain or the tag; null for all domains together. */
  name: string | null;
}

function tableOf(mode: Mode, usage: Line[], nameTitle: "DOMAIN" | "TAG"): string {
  if (usage.length === 0) return `No ${mode} mail.`;
  const title = [
    mode === "live" ? "LIVE MAIL" : "TEST MAIL",
    nameTitle,
    "SENDS",
    "RECIPIENTS",
    "DELIVERED",
    "HARD",
    "SOFT",
  ];
  const rows = usage.map((one) => [
    timeText(one.start),
    one.name === null ? "all" : printable(one.name),
    ...[one.acceptedSends, one.acceptedRecipients, one.delivered, one.bouncedHard, one.bouncedSoft].map((count) =>
      countText(count),
    ),
    ...[one.complained, one.suppressed, one.failed, one.delayed].map((count) => countText(count)),
  ]);
  const header = [...title, "COMPLAINED", "SUPPRESSED", "FAILED", "DELAYED"];
  return aligned([header, ...rows], { right: [2, 3, 4, 5, 6, 7, 8, 9, 10] });
}

interface Rebuild {
  accountId: string;
  name: string;
  from: Date;
  isCorrected: boolean;
}

async function rebuildAll(db: Database, { accountId, name, from, isCorrected }: Rebuild): Promise<void> {
  let found = 0;
  let skippedBefore: number | undefined;
  for (let start = from.getTime(); start <= Date.now(); start += dayMs) {
    for (const mode of bothModes) {
      const day = new Date(start).toISOString();
      const differences = await rebuildUsageDay(db, { accountId, mode, day }, { isCorrected });
      if (differences === undefined) {
        skippedBefore = start + dayMs;
        continue;
      }
      for (const one of differences.slice(0, Math.max(0, shownDifferences - found))) say(describe(mode, one));
      found += differences.length;
    }
  }
  if (skippedBefore !== undefined) say(skippedText(from, skippedBefore));
  const since = `since ${timeText(new Date(skippedBefore ?? from).toISOString())}`;
  if (found === 0) return say(`The counters of ${name} ${since} agree with the record.`);
  const rest = found > shownDifferences ? ` The first ${shownDifferences} are shown.` : "";
  if (isCorrected) return say(`${amountText(found, "difference")} of ${name} ${since} corrected.${rest}`);
  say(
    `${amountText(found, "difference")} of ${name} ${since}.${rest} Nothing was changed. To correct the counters, add --yes.`,
  );
}

function skippedText(from: Date, before: number): string {
  const [start, end] = [from, new Date(before)].map((time) => timeText(time.toISOString()));
  return `Skipped: the days from ${start} to ${end}. The database no longer has all of their sends and events; their counters stay.`;
}

function describe(mode: Mode, { hour, domain, kind, amount, sends, contentBytes }: UsageDifference): string {
  const [what] = Object.entries(usageKinds).find(([, number]) => number === kind) ?? ["delivery time"];
  const signed = (count: number) => (count > 0 ? `+${countText(count)}` : countText(count));
  const parts = [`${signed(amount)} recipients`, `${signed(sends)} sends`, `${signed(contentBytes)} bytes of content`];
  const shown = kind === usageKinds.accepted ? parts : parts.slice(0, 1);
  return `${timeText(hour)}  ${mode}  ${printable(domain)}  ${what}: ${shown.join(", ")}`;
}
