import { z } from "zod";
import { maxNamedTags, otherTags } from "../../../usage/named-tags.ts";
import type { KeyUsage } from "../../../usage/read-key-usage.ts";
import type { TagUsage } from "../../../usage/read-tag-usage.ts";
import type { Usage, UsageCounts, UsageUnit } from "../../../usage/read-usage.ts";
import { deliveryTimeBoundsMs } from "../../../usage/usage-kinds.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { readingModeParameter, timeParameter } from "../list-wire.ts";

export const usageQuery = z.strictObject({
  from: timeParameter
    .optional()
    .describe(
      "Start of the range; default 24 hours before `to`, with `by=day` and `by=range` 30 days. Rounded down to the hour, or to the day with " +
        "`by=day` and `group=tag`",
    ),
  to: timeParameter.optional().describe("End of the range, default now. Rounded up in the same way"),
  by: z
    .enum(["hour", "day", "range"])
    .optional()
    .describe(
      "Length of each entry; days are in UTC, `range` is all of the range. Default `hour`, with `group=tag` `day`, because tags are " +
        "counted per day",
    )
    .meta({ "x-default": "hour" }),
  group: z
    .enum(["domain", "api_key", "tag"])
    .optional()
    .describe(
      "Separate entries for each sending domain or each tag, or sends and refusals of each API key; one entry for all if absent. A send " +
        `counts for each of its tags. Tags beyond ${maxNamedTags.toLocaleString("en")} of a mode and month are counted together, as \`${otherTags}\``,
    ),
  mode: readingModeParameter,
});

const counted = (text: string) => z.int().describe(text);

export const usageEntry = z
  .object({
    start: wireTimestamp.describe("Start of the hour, day or range"),
    domain: z
      .string()
      .optional()
      .describe("Only with `group=domain`: the domain of the sender")
      .meta({ example: "example.com" }),
    tag: z
      .string()
      .optional()
      .describe(`Only with \`group=tag\`: the tag, or \`${otherTags}\` for those that are counted together`)
      .meta({ example: "receipt" }),
    api_key_id: z.uuid().optional().describe("Only with `group=api_key`"),
    accepted_sends: counted("Sends that the API accepted"),
    accepted_recipients: counted("Their recipients, suppressed ones included"),
    delivered: counted("`Delivery` events").optional(),
    bounced_hard: counted("Permanent `Bounce` events").optional(),
    bounced_soft: counted("Transient `Bounce` events").optional(),
    complained: counted("`Complaint` events").optional(),
    suppressed: counted("`Suppression` events").optional(),
    failed: counted("Recipients of sends that are `failed` now, in the hour of their acceptance").optional(),
    delayed: counted("Times that the provider could not deliver yet").optional(),
    delivery_times: z
      .array(z.int())
      .optional()
      .describe(
        "Deliveries by the time from submission to delivery: one number for each bound, and one for longer times",
      ),
    refusals: z
      .array(z.object({ code: z.string().meta({ example: "DOMAIN_NOT_VERIFIED" }), count: z.int() }))
      .optional()
      .describe("Only with `group=api_key`: refused requests to send, by error code; approximate after a crash"),
  })
  .meta({ id: "Usage", description: "What an account used in an hour, day or range" });

export const usageResponse = z
  .object({
    success: z.literal(true),
    data: z.object({
      from: wireTimestamp,
      to: wireTimestamp,
      by: z.enum(["hour", "day", "range"]),
      delivery_time_bounds_ms: z
        .array(z.int())
        .describe("The longest time of each number in `delivery_times` but the last"),
      usage: z.array(usageEntry).describe("Oldest first. An hour or day without usage has no entry"),
    }),
  })
  .describe("Usage of the account");

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const units = {
  hour: { defaultMs: dayMs, maxDays: 31 },
  day: { defaultMs: 30 * dayMs, maxDays: 92 },
  range: { defaultMs: 30 * dayMs, maxDays: 92 },
};

interface AskedRange {
  from: string;
  to: string;
  by: UsageUnit;
}

/** Whole hours or days. Longer ranges are refused, so that one request reads a bounded number of hours. */
export function toRange({ from, to, group, ...given }: z.infer<typeof usageQuery>, nowMs: number): AskedRange {
  const by = given.by ?? (group === "tag" ? "day" : "hour");
  if (group === "tag" && by === "hour") {
    const message = "must be day or range with group=tag: tags are counted per day";
    throw invalidRequest([{ field: "by", code: "contradiction", message }]);
  }
  const { defaultMs, maxDays } = units[by];
  const ms = by === "day" || group === "tag" ? dayMs : hourMs;
  const end = Math.ceil((to === undefined ? nowMs : Date.parse(to)) / ms) * ms;
  const start = from === undefined ? end - defaultMs : Math.floor(Date.parse(from) / ms) * ms;
  if (end <= start) throw invalidRequest([{ field: "to", code: "contradiction", message: "must be later than from" }]);
  if (end - start > maxDays * dayMs) {
    const message = `is more than ${maxDays} days after from, the most with by=${by}; ask for parts of the range`;
    throw invalidRequest([{ field: "to", code: "too_large", message }]);
  }
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString(), by };
}

export const maxEntries = 5_000;

export function requireFewEntries(entries: number): void {
  if (entries <= maxEntries) return;
  const message = `the range has more than ${maxEntries} entries; ask for a shorter range, a longer by or no group`;
  throw invalidRequest([{ field: "from", code: "too_large", message }]);
}

export function toUsageEntry({ start, domain, ...counts }: Usage): z.input<typeof usageEntry> {
  return { start, ...(domain !== null && { domain }), ...toCounts(counts) };
}

export function toTagUsageEntry({ start, tag, ...counts }: TagUsage): z.input<typeof usageEntry> {
  return { start, tag, ...toCounts(counts) };
}

function toCounts(counts: Omit<UsageCounts, "contentBytes">) {
  return {
    accepted_sends: counts.acceptedSends,
    accepted_recipients: counts.acceptedRecipients,
    delivered: counts.delivered,
    bounced_hard: counts.bouncedHard,
    bounced_soft: counts.bouncedSoft,
    complained: counts.complained,
    suppressed: counts.suppressed,
    failed: counts.failed,
    delayed: counts.delayed,
    delivery_times: counts.deliveryTimes,
  };
}

export function toKeyUsageEntry({
  start,
  apiKeyId,
  sends,
  recipients,
  refusals,
}: KeyUsage): z.input<typeof usageEntry> {
  return {
    start,
    api_key_id: apiKeyId,
    accepted_sends: sends,
    accepted_recipients: recipients,
    refusals: Object.entries(refusals).map(([code, count]) => ({ code, count })),
  };
}

export const boundsMs = deliveryTimeBoundsMs;
