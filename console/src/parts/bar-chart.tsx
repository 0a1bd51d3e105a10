import { useElementSize } from "@mantine/hooks";
import type { ReactNode } from "react";
import { BarButtons } from "./bar-buttons.tsx";
import styles from "./chart.module.css";
import { countScale, labelledBars } from "./chart-scale.ts";
import { formatNumber, formatShort } from "./format-number.ts";
import { axisFormat, formatDateTime, formatWeekday, toMilliseconds } from "./format-time.ts";

export type ChartColour = "delivered" | "open" | "bounced" | "suppressed" | "failed" | "complained";
export type ChartSeries = { key: string; label: string; colour: ChartColour };
export type ChartBar = { from: string; to: string; values: Record<string, number> };

export type BarChartProps = {
  title: string;
  /** Right of the legend: "own scale". */
  aside?: ReactNode;
  /** Stacked from the bottom up. */
  series: ChartSeries[];
  bars: ChartBar[];
  /** Of the plot, without title and axis. */
  height?: number;
  /** Labels below the bars; off for the upper one of two charts. */
  axis?: boolean;
  /** A drag over bars, a click on one, or Enter. */
  onSelect?: (from: string, to: string) => void;
};

const marginLeft = 40;

export function BarChart(props: BarChartProps) {
  const { title, aside, series, bars, height = 130, axis = true, onSelect } = props;
  const { ref, width } = useElementSize();
  const totals = bars.map((bar) => series.reduce((sum, each) => sum + (bar.values[each.key] ?? 0), 0));
  const { top, ticks } = countScale(Math.max(0, ...totals));
  const band = Math.max(0, width - marginLeft) / Math.max(1, bars.length);
  const barWidth = Math.max(1, Math.min(18, band * 0.72));
  const y = (value: number) => 6 + height - (value / top) * height;
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.caption}>
        <b>{title}</b>
        {series.map((each) => (
          <span key={each.key} className={styles.legend}>
            <i style={{ background: `var(--chart-${each.colour})` }} />
            {each.label}
          </span>
        ))}
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </figcaption>
      <div className={styles.plot} ref={ref}>
        <svg width={width} height={height + (axis ? 26 : 12)} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick}>
              <line className={styles.grid} x1={marginLeft} x2={width} y1={y(tick)} y2={y(tick)} />
              <text className={styles.label} x={marginLeft - 8} y={y(tick) + 4} textAnchor="end">
                {formatShort(tick)}
              </text>
            </g>
          ))}
          {bars.map((bar, index) => (
            <Stack
              key={bar.from}
              bar={bar}
              series={series}
              x={marginLeft + band * index + (band - barWidth) / 2}
              width={barWidth}
              y={y}
            />
          ))}
          {axis && <Axis bars={bars} left={marginLeft} band={band} y={height + 22} />}
        </svg>
        <BarButtons bars={bars} series={series} left={marginLeft} band={band} height={height + 6} onSelect={onSelect} />
      </div>
      <ChartTable title={title} series={series} bars={bars} />
    </figure>
  );
}

type StackProps = { bar: ChartBar; series: ChartSeries[]; x: number; width: number; y: (value: number) => number };

function Stack({ bar, series, x, width, y }: StackProps) {
  let below = 0;
  return series.map((each) => {
    const value = bar.values[each.key] ?? 0;
    if (value === 0) return null;
    const bottom = y(below);
    below += value;
    // A single bounce among thousands of mails still gets a visible line.
    const height = Math.max(1, bottom - y(below));
    return (
      <rect
        key={each.key}
        x={x}
        y={bottom - height}
        width={width}
        height={height}
        fill={`var(--chart-${each.colour})`}
      />
    );
  });
}

function Axis({ bars, left, band, y }: { bars: ChartBar[]; left: number; band: number; y: number }) {
  const starts = bars.map((bar) => toMilliseconds(bar.from));
  const most = Math.max(2, Math.floor((band * bars.length) / 64));
  const labelled = labelledBars(starts, most, formatWeekday);
  const format = axisFormat(starts);
  return labelled.map((index) => {
    const at = starts[index] ?? 0;
    const x = left + band * (index + 0.5);
    const isAtEdge = x < left + 20;
    return (
      <text
        key={at}
        className={styles.label}
        x={isAtEdge ? left - 4 : x}
        y={y}
        textAnchor={isAtEdge ? "start" : "middle"}
      >
        {format(at)}
      </text>
    );
  });
}

/** The same figures for screen readers. */
function ChartTable({ title, series, bars }: { title: string; series: ChartSeries[]; bars: ChartBar[] }) {
  return (
    <div className="visually-hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map((each) => (
              <th scope="col" key={each.key}>
                {each.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.from}>
              <th scope="row">{formatDateTime(toMilliseconds(bar.from))}</th>
              {series.map((each) => (
                <td key={each.key}>{formatNumber(bar.values[each.key] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
