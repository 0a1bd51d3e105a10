import type { Webhook } from "../api/api-types.ts";
import { formatNumber, formatPercent, minimumOutcomes } from "./format-number.ts";

type Measured = Pick<Webhook, "success_rate" | "measured_deliveries">;

/** "99.8 %" of many deliveries, "41 of 43" of few: one failure would move a rate by too much. */
export function successText({ success_rate: rate, measured_deliveries: count }: Measured): string | undefined {
  if (rate === null || count === 0) return undefined;
  if (count < minimumOutcomes) return `${formatNumber(Math.round(rate * count))} of ${formatNumber(count)}`;
  // 99.96 % is not all of them.
  return formatPercent(rate === 1 ? 1 : Math.floor(rate * 1000) / 1000);
}

export function SuccessRate({ webhook }: { webhook: Measured }) {
  const text = successText(webhook);
  if (text === undefined) return <span className="quiet">no deliveries</span>;
  return <span className="tabular">{text}</span>;
}
