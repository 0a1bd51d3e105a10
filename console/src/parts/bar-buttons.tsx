import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import type { ChartBar, ChartSeries } from "./bar-chart.tsx";
import styles from "./chart.module.css";
import { formatNumber } from "./format-number.ts";
import { formatClock, formatDateTime, toMilliseconds } from "./format-time.ts";

type BarButtonsProps = {
  bars: ChartBar[];
  series: ChartSeries[];
  left: number;
  band: number;
  height: number;
  onSelect: ((from: string, to: string) => void) | undefined;
};

type Range = { anchor: number; end: number };

/**
 * One transparent button for each bar, one of them in the tab order. Arrow keys move, Shift and arrow keys extend the range,
 * Enter selects it; a pointer drags over the buttons.
 */
export function BarButtons({ bars, series, left, band, height, onSelect }: BarButtonsProps) {
  const area = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<Range>();
  const [isDragging, setDragging] = useState(false);
  const [shown, setShown] = useState<number>();
  const [tabStop, setTabStop] = useState(bars.length - 1);
  const inRange = (index: number) =>
    range !== undefined && index >= Math.min(range.anchor, range.end) && index <= Math.max(range.anchor, range.end);

  function select(chosen: Range) {
    setRange(undefined);
    const first = bars[Math.min(chosen.anchor, chosen.end)];
    const last = bars[Math.max(chosen.anchor, chosen.end)];
    if (first && last) onSelect?.(first.from, last.to);
  }
  function barAt(event: PointerEvent): number {
    const box = area.current?.getBoundingClientRect();
    const index = Math.floor((event.clientX - (box?.left ?? 0)) / band);
    return Math.max(0, Math.min(bars.length - 1, index));
  }
  function handleKey(event: KeyboardEvent, index: number) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") setRange(undefined);
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(bars.length - 1, index + step));
    setRange(event.shiftKey ? { anchor: range?.anchor ?? index, end: next } : undefined);
    setTabStop(next);
    area.current?.querySelectorAll("button")[next]?.focus();
  }
  return (
    <div
      ref={area}
      className={styles.buttons}
      style={{ left, height }}
      data-selectable={onSelect ? "" : undefined}
      onPointerLeave={() => setShown(undefined)}
      onPointerDown={(event) => {
        if (!onSelect || event.button !== 0) return;
        const index = barAt(event);
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragging(true);
        setRange({ anchor: index, end: index });
      }}
      onPointerMove={(event) => {
        const index = barAt(event);
        setShown(index);
        if (isDragging) setRange((before) => before && { ...before, end: index });
      }}
      onPointerUp={() => {
        setDragging(false);
        if (isDragging && range) select(range);
      }}
      onPointerCancel={() => {
        setDragging(false);
        setRange(undefined);
      }}
    >
      {bars.map((bar, index) => (
        <button
          key={bar.from}
          type="button"
          tabIndex={index === Math.min(tabStop, bars.length - 1) ? 0 : -1}
          aria-label={describe(bar, series)}
          data-chosen={inRange(index) || undefined}
          onFocus={() => setShown(index)}
          onBlur={() => setShown(undefined)}
          onKeyDown={(event) => handleKey(event, index)}
          // The pointer events above serve the mouse; a click without a pointer comes from Enter or a screen reader.
          onClick={(event) => event.detail === 0 && select(range ?? { anchor: index, end: index })}
        />
      ))}
      {shown !== undefined && <BarCard bar={bars[shown]} series={series} index={shown} band={band} />}
    </div>
  );
}

function period(bar: ChartBar): string {
  return `${formatDateTime(toMilliseconds(bar.from))} to ${formatClock(toMilliseconds(bar.to))}`;
}

function describe(bar: ChartBar, series: ChartSeries[]): string {
  const values = series.map((each) => `${each.label} ${formatNumber(bar.values[each.key] ?? 0)}`);
  return `${period(bar)}: ${values.join(", ")}`;
}

type BarCardProps = { bar: ChartBar | undefined; series: ChartSeries[]; index: number; band: number };

function BarCard({ bar, series, index, band }: BarCardProps) {
  if (bar === undefined) return null;
  const isLeft = index * band > 260;
  const x = isLeft ? index * band - 8 : (index + 1) * band + 8;
  return (
    <div className={styles.card} style={{ left: x, transform: isLeft ? "translateX(-100%)" : undefined }}>
      <b>{period(bar)}</b>
      {series.map((each) => (
        <span key={each.key} className={styles.cardLine}>
          <i style={{ background: `var(--chart-${each.colour})` }} />
          {each.label}
          <span className="tabular">{formatNumber(bar.values[each.key] ?? 0)}</span>
        </span>
      ))}
    </div>
  );
}
