import type { Webhook } from "../../api/api-types.ts";
import { Figure, FigureStrip } from "../../parts/figure.tsx";
import { formatCount, formatNumber } from "../../parts/format-number.ts";
import { formatDateTime, formatDuration, formatRelative } from "../../parts/format-time.ts";
import { useTick } from "../../parts/use-tick.ts";
import { successText } from "../../parts/webhook-health.tsx";

/** The API counts no further. */
const maxCounted = 1_000;

export function WebhookFigures({ webhook }: { webhook: Webhook }) {
  useTick();
  const { measured_deliveries: count, waiting_deliveries: waiting, p95_ms: p95, failing_since: since } = webhook;
  const measured =
    count === 0 ? "none ended in 24 h" : `of ${formatCount(count, "delivery", "deliveries")} that ended, 24 h`;
  const failedAt = since === null ? undefined : Date.parse(since);
  return (
    <FigureStrip small>
      <Figure
        label="Accepted"
        value={successText(webhook) ?? "–"}
        note={measured}
        title="Of the deliveries of the last 24 hours that ended, at most the newest 1,000"
      />
      <Figure
        label="Answer time, p95"
        value={p95 === null ? "–" : formatDuration(p95)}
        note={p95 === null ? undefined : "95 of 100 were faster"}
      />
      <Figure
        label="Waiting"
        value={waiting >= maxCounted ? `${formatNumber(maxCounted)}+` : formatNumber(waiting)}
        note={waiting === 0 ? "nothing is late" : "for their next attempt"}
      />
      <Figure
        label="Failing since"
        value={failedAt === undefined ? "–" : formatRelative(failedAt)}
        note={failedAt === undefined ? "the last attempt succeeded" : formatDateTime(failedAt)}
      />
    </FigureStrip>
  );
}
