import { useElementSize } from "@mantine/hooks";
import styles from "./chart.module.css";
import { labelledBars } from "./chart-scale.ts";
import { formatNumber, formatPercent } from "./format-number.ts";
import { axisFormat, formatDateTime, formatWeekday, toMilliseconds } from "./format-time.ts";

export type RatePoint = { at: string; rate: number | null };

export type RateChartProps = {
  /** Describes the line for screen readers: "Hard bounce rate". */
  title: string;
  /** A rate of null, below 200 outcomes, interrupts the line. */
  points: RatePoint[];
  /** Ratios: 0.05 and 0.1. */
  review: number;
  pause: number;
  height?: number;
};

const left = 46;
const right = 4;

export function RateChart({ title, points, review, pause, height = 120 }: RateChartProps) {
  // Zero until the browser has laid out the page; lines drawn for that would leave the panel.
  const { ref, width } = useElementSize();
  const top = Math.max(pause, ...points.map((point) => point.rate ?? 0));
  const y = (rate: number) => 18 + height - (rate / top) * height;
  const times = points.map((point) => toMilliseconds(point.at));
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  const x = (at: number) => left + ((at - first) / Math.max(1, last - first)) * Math.max(0, width - left - right);
  const rates = points.flatMap((point) => (point.rate === null ? [] : [point.rate]));
  const latest = rates.at(-1);
  const summary =
    latest === undefined
      ? `${title}: too few outcomes for a rate`
      : `${title}: ${formatPercent(latest, 2)} now, highest ${formatPercent(Math.max(...rates), 2)}. SES reviews at ${percent(review)} and pauses at ${percent(pause)}.`;
  const most = Math.max(2, Math.floor((width - left) / 84));
  const format = axisFormat(times);
  const labelled = labelledBars(times, most, formatWeekday);
  return (
    <div className={styles.plot} ref={ref}>
      <svg width={width} height={height + 42} role="img" aria-label={summary}>
        {width > 0 && (
          <>
            <text className={styles.label} x={left - 8} y={y(0) + 4} textAnchor="end">
              0&nbsp;%
            </text>
            <Line label="SES review" rate={review} y={y(review)} width={width} kind="review" />
            <Line label="SES pause" rate={pause} y={y(pause)} width={width} kind="pause" />
            <path className={styles.rate} d={linePath(points, x, y)} />
            {latest !== undefined && rates.length === 1 && (
              <circle cx={x(last)} cy={y(latest)} r={2.5} fill="var(--ink)" />
            )}
            {labelled.map((index) => {
              const at = times[index] ?? 0;
              return (
                <text
                  key={at}
                  className={styles.label}
                  x={Math.min(x(at), width - 20)}
                  y={height + 36}
                  textAnchor="middle"
                >
                  {format(at)}
                </text>
              );
            })}
          </>
        )}
      </svg>
      <div className="visually-hidden">
        <table>
          <caption>{title}</caption>
          <tbody>
            {points.map((point) => (
              <tr key={point.at}>
                <th scope="row">{formatDateTime(toMilliseconds(point.at))}</th>
                <td>{point.rate === null ? "under 200 outcomes" : formatPercent(point.rate, 2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** "5 %" and "0.1 %" without idle zeros. */
function percent(ratio: number): string {
  const value = Number((ratio * 100).toPrecision(3));
  return `${formatNumber(value, Number.isInteger(value) ? 0 : 1)}\u00a0%`;
}

type LineProps = { label: string; rate: number; y: number; width: number; kind: "review" | "pause" };

function Line({ label, rate, y, width, kind }: LineProps) {
  return (
    <g className={styles[kind]}>
      <text className={styles.label} x={left - 8} y={y + 4} textAnchor="end">
        {percent(rate)}
      </text>
      <line x1={left} x2={width - right} y1={y} y2={y} />
      <text className={styles.lineLabel} x={width - right - 4} y={y - 4} textAnchor="end">
        {label} {percent(rate)}
      </text>
    </g>
  );
}

function linePath(points: RatePoint[], x: (at: number) => number, y: (rate: number) => number): string {
  let isDown = false;
  return points
    .map((point) => {
      if (point.rate === null) {
        isDown = false;
        return "";
      }
      const step = `${isDown ? "L" : "M"}${x(toMilliseconds(point.at)).toFixed(1)} ${y(point.rate).toFixed(1)}`;
      isDown = true;
      return step;
    })
    .join("");
}
