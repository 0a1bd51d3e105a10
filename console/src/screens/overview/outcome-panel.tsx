import { Button } from "@mantine/core";
import { BarChart, type ChartBar, type ChartSeries } from "../../parts/bar-chart.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount } from "../../parts/format-number.ts";
import { Loading } from "../../parts/loading.tsx";
import { Panel } from "../../parts/panel.tsx";
import type { UsageAnswer } from "../../parts/usage-query.ts";
import { barStarts, hoursPerBar, isoHour, type UsageRange } from "../../parts/usage-range.ts";
import { outcomesOf, sumBars, sumUsage } from "../../parts/usage-sums.ts";
import styles from "./overview.module.css";

interface OutcomeProps {
  usage: UsageAnswer | undefined;
  range: UsageRange;
  /** Whether the account ever sent mail in this mode. */
  hasSent: boolean | undefined;
  onSelect: (from: string, to: string) => void;
  onWiden: () => void;
}

const through: ChartSeries[] = [{ key: "delivered", label: "Delivered", colour: "delivered" }];
const notDelivered: ChartSeries[] = [
  { key: "bounced", label: "Bounced", colour: "bounced" },
  { key: "suppressed", label: "Suppressed", colour: "suppressed" },
  { key: "failed", label: "Failed", colour: "failed" },
  { key: "complained", label: "Complained", colour: "complained" },
];

/** Two charts with one time axis. Mail that was not delivered would be invisible on the scale of delivered mail. */
export function OutcomePanel({ usage, range, hasSent, onSelect, onWiden }: OutcomeProps) {
  const sum = usage && sumUsage(usage.usage);
  const hasOutcomes = sum !== undefined && outcomesOf(sum) + sum.suppressed + sum.failed + sum.complained > 0;
  const hours = hoursPerBar(range);
  const width = hours === 24 ? "1\u00a0day a bar" : `${hours}\u00a0h a bar`;
  return (
    <Panel
      heading="Recipients by outcome"
      aside={
        <span title="Arrow keys move between bars, Shift extends, Enter selects.">{`${width}, counted by UTC hours; drag to select a range`}</span>
      }
    >
      <div className={styles.charts}>
        {usage === undefined ? (
          <Loading label="Loading the outcomes" lines={6} height={294} />
        ) : hasOutcomes ? (
          <Charts usage={usage} range={range} onSelect={onSelect} />
        ) : (
          <NoOutcomes hasSent={hasSent} accepted={sum?.acceptedRecipients ?? 0} range={range} onWiden={onWiden} />
        )}
      </div>
    </Panel>
  );
}

function Charts({
  usage,
  range,
  onSelect,
}: {
  usage: UsageAnswer;
  range: UsageRange;
  onSelect: OutcomeProps["onSelect"];
}) {
  const starts = barStarts(range);
  const bars: ChartBar[] = sumBars(usage.usage, starts).map((sum, index) => ({
    from: isoHour(starts[index] ?? range.from),
    to: isoHour(starts[index + 1] ?? range.to),
    values: {
      delivered: sum.delivered,
      bounced: sum.bouncedHard + sum.bouncedSoft,
      suppressed: sum.suppressed,
      failed: sum.failed,
      complained: sum.complained,
    },
  }));
  return (
    <>
      <BarChart title="Getting through" series={through} bars={bars} height={124} axis={false} onSelect={onSelect} />
      <BarChart
        title="Not delivered"
        aside="own scale"
        series={notDelivered}
        bars={bars}
        height={94}
        onSelect={onSelect}
      />
    </>
  );
}

type NoOutcomesProps = Pick<OutcomeProps, "hasSent" | "range" | "onWiden"> & { accepted: number };

function NoOutcomes({ hasSent, accepted, range, onWiden }: NoOutcomesProps) {
  if (accepted > 0) {
    return (
      <EmptyState title="No outcomes yet">
        {formatCount(accepted, "recipient")} accepted. Outcomes appear within seconds after SES reports them.
      </EmptyState>
    );
  }
  if (hasSent !== true) {
    return <EmptyState title="No mail yet">The outcomes of your mail appear here, hour by hour.</EmptyState>;
  }
  return (
    <EmptyState
      title="No mail in this range"
      action={range.preset === "30d" ? undefined : <Button onClick={onWiden}>Show 30 days</Button>}
    >
      The account sent mail before, but none in this range.
    </EmptyState>
  );
}
