import type { Mode } from "../../frame/search-state.ts";
import { activityHref, modeSearch, pageHref } from "../../parts/activity-href.ts";
import { Figure, FigureStrip } from "../../parts/figure.tsx";
import { findRate, formatNumber, formatPercent } from "../../parts/format-number.ts";
import { Bone } from "../../parts/loading.tsx";
import type { UsageAnswer } from "../../parts/usage-query.ts";
import { beforeText, selectionSearch, type UsageRange } from "../../parts/usage-range.ts";
import { findQuantile, formatAtMost, outcomesOf, sumUsage } from "../../parts/usage-sums.ts";

interface FiguresProps {
  usage: UsageAnswer | undefined;
  before: UsageAnswer | undefined;
  range: UsageRange;
  mode: Mode;
}

/** Each figure leads to the sends behind it. */
export function OverviewFigures({ usage, before, range, mode }: FiguresProps) {
  const { from, to } = range;
  const href = (status?: string) => activityHref({ ...(status !== undefined && { status }), from, to }, mode);
  const now = usage && sumUsage(usage.usage);
  const earlier = before && sumUsage(before.usage);
  const was = (count: number | undefined) =>
    count === undefined ? undefined : `${formatNumber(count)} ${beforeText(range)}`;
  const count = (value: number | undefined) =>
    value === undefined ? <Bone width={64} height={16} /> : formatNumber(value);
  return (
    <FigureStrip>
      <Figure
        label="Accepted"
        value={count(now?.acceptedRecipients)}
        note={was(earlier?.acceptedRecipients)}
        href={href()}
        title="Recipients of accepted mail. Opens the sends of this range."
      />
      <Figure
        label="Delivered"
        {...deliveredValue(now, count(undefined))}
        note={deliveredNote(now, earlier)}
        href={href("delivered")}
        title="Of all recipients whose mail was delivered or bounced in this range. Opens the delivered sends."
      />
      <Figure
        label="Bounced, hard"
        value={count(now?.bouncedHard)}
        note={was(earlier?.bouncedHard)}
        href={href("bounced")}
        title="Recipients whose mail bounced permanently in this range. Opens the bounced sends."
      />
      <Figure
        label="Complained"
        value={count(now?.complained)}
        note={was(earlier?.complained)}
        href={href("complained")}
        title="Recipients who reported the mail as spam in this range. Opens these sends."
      />
      <Figure
        label="Time to delivery, p95"
        value={usage === undefined ? count(undefined) : (timeText(usage, 0.95) ?? "–")}
        note={timeNote(usage, before)}
        href={pageHref("/usage", { ...selectionSearch(from, to), ...modeSearch(mode) })}
        title="From submission to SES to the answer of the recipient's server. Postern counts deliveries by ranges of time, so the value is at most this. Opens the usage of this range."
      />
    </FigureStrip>
  );
}

type Sum = ReturnType<typeof sumUsage>;

/** A share needs 200 outcomes; below that the count is the figure. */
function deliveredValue(sum: Sum | undefined, waiting: React.ReactNode) {
  if (sum === undefined) return { value: waiting };
  const rate = findRate(sum.delivered, outcomesOf(sum));
  if (rate === undefined) return { value: formatNumber(sum.delivered) };
  return { value: formatNumber(rate * 100, 1), unit: "%" };
}

function deliveredNote(sum: Sum | undefined, earlier: Sum | undefined): string | undefined {
  if (sum === undefined) return undefined;
  const outcomes = outcomesOf(sum);
  if (outcomes === 0) return "no outcomes";
  const hasRate = findRate(sum.delivered, outcomes) !== undefined;
  const count = hasRate
    ? `${formatNumber(sum.delivered)} of ${formatNumber(outcomes)}`
    : `of ${formatNumber(outcomes)} outcomes`;
  const rate = earlier && findRate(earlier.delivered, outcomesOf(earlier));
  return rate === undefined ? count : `${count}, before ${formatPercent(rate)}`;
}

function timeText(usage: UsageAnswer, share: number): string | undefined {
  const bounds = usage.delivery_time_bounds_ms;
  const ms = findQuantile(sumUsage(usage.usage).deliveryTimes, bounds, share);
  return ms === undefined ? undefined : formatAtMost(ms, bounds.at(-1) ?? 0);
}

function timeNote(usage: UsageAnswer | undefined, before: UsageAnswer | undefined): string | undefined {
  if (usage === undefined) return undefined;
  const median = timeText(usage, 0.5);
  if (median === undefined) return "no deliveries";
  const earlier = before && timeText(before, 0.95);
  return `median ${median}${earlier === undefined ? "" : `, p95 before ${earlier}`}`;
}
