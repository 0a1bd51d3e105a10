import { useElementSize } from "@mantine/hooks";
import chart from "../../../parts/chart.module.css";
import { labelledBars } from "../../../parts/chart-scale.ts";
import { formatBytes } from "../../../parts/format-number.ts";
import { axisFormat, formatDate, formatWeekday, toMilliseconds } from "../../../parts/format-time.ts";
import styles from "../operator.module.css";
import type { OperatorStatus } from "../operator-queries.ts";

interface SizeChartProps {
  history: OperatorStatus["database"]["history"];
  limitBytes: number | null;
}

const left = 56;
const right = 4;
const height = 150;

/** The size at the end of each day, and the disk as a line when the size comes near it. */
export function SizeChart({ history, limitBytes }: SizeChartProps) {
  const { ref, width } = useElementSize();
  if (history.length < 2) {
    return <p className={styles.text}>A worker measures the size every hour. The chart needs two days.</p>;
  }
  const most = Math.max(...history.map(({ bytes }) => bytes));
  // A disk many times larger would flatten the line.
  const shownLimit = limitBytes !== null && limitBytes < 3 * most ? limitBytes : undefined;
  const top = Math.max(most * 1.1, shownLimit ?? 0);
  const times = history.map(({ at }) => toMilliseconds(at));
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  const x = (at: number) => left + ((at - first) / Math.max(1, last - first)) * Math.max(0, width - left - right);
  const y = (bytes: number) => 14 + height - (bytes / top) * height;
  const path = history.map(
    ({ bytes }, index) => `${index === 0 ? "M" : "L"}${x(times[index] ?? 0).toFixed(1)} ${y(bytes).toFixed(1)}`,
  );
  const format = axisFormat(times);
  const labelled = labelledBars(times, Math.max(2, Math.floor((width - left) / 84)), formatWeekday);
  const summary = `From ${formatBytes(history[0]?.bytes ?? 0)} on ${formatDate(first)} to ${formatBytes(history.at(-1)?.bytes ?? 0)} on ${formatDate(last)}`;
  return (
    <div className={chart.plot} ref={ref}>
      <svg width={width} height={height + 38} role="img" aria-label={summary}>
        {width > 0 && (
          <>
            {[0, most].map((bytes) => (
              <g key={bytes}>
                <line className={chart.grid} x1={left} x2={width - right} y1={y(bytes)} y2={y(bytes)} />
                <text className={chart.label} x={left - 8} y={y(bytes) + 4} textAnchor="end">
                  {formatBytes(bytes)}
                </text>
              </g>
            ))}
            {shownLimit !== undefined && (
              <g className={chart.pause}>
                <line x1={left} x2={width - right} y1={y(shownLimit)} y2={y(shownLimit)} />
                <text className={chart.lineLabel} x={width - right - 4} y={y(shownLimit) - 4} textAnchor="end">
                  Disk {formatBytes(shownLimit)}
                </text>
              </g>
            )}
            <path className={chart.rate} d={path.join("")} />
            {labelled.map((index) => (
              <text
                key={times[index]}
                className={chart.label}
                x={Math.max(left + 16, Math.min(x(times[index] ?? 0), width - 20))}
                y={height + 32}
                textAnchor="middle"
              >
                {format(times[index] ?? 0)}
              </text>
            ))}
          </>
        )}
      </svg>
    </div>
  );
}
