import { useId, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { formatAge, formatDateTime, formatFull, formatRelative, formatUtc, toMilliseconds } from "./format-time.ts";
import styles from "./time.module.css";
import { useTick } from "./use-tick.ts";

export type TimeProps = {
  at: string | number | Date | null | undefined;
  /** "12 Nov, 16:40" also within 24 hours. */
  absolute?: boolean;
  /** Shown when there is no time. */
  empty?: string;
};

/** A time in words. Hover or focus shows local time, UTC and age. */
export function Time({ at, absolute = false, empty = "never" }: TimeProps) {
  useTick();
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  if (at === null || at === undefined) return <span className="quiet">{empty}</span>;
  const ms = toMilliseconds(at);
  if (Number.isNaN(ms)) return <span className="quiet">{empty}</span>;
  return (
    <>
      <button
        ref={anchor}
        type="button"
        className={styles.time}
        data-time=""
        aria-describedby={isOpen ? id : undefined}
        onMouseEnter={() => setOpen(true)}
        onMouseLeave={() => setOpen(false)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
      >
        <time dateTime={formatUtc(ms)}>{absolute ? formatDateTime(ms) : formatRelative(ms)}</time>
      </button>
      {isOpen && <TimeCard id={id} ms={ms} anchor={anchor.current} />}
    </>
  );
}

/** Exists only while it is shown: a table has a hundred times. */
function TimeCard({ id, ms, anchor }: { id: string; ms: number; anchor: HTMLElement | null }) {
  const card = useRef<HTMLDivElement>(null);
  const [position, setPosition] = useState({ left: -9999, top: 0 });
  useLayoutEffect(() => {
    if (!anchor || !card.current) return;
    const from = anchor.getBoundingClientRect();
    const { width, height } = card.current.getBoundingClientRect();
    const left = Math.max(8, Math.min(from.right - width + 6, window.innerWidth - width - 8));
    const fitsBelow = from.bottom + 8 + height < window.innerHeight;
    setPosition({ left, top: fitsBelow ? from.bottom + 6 : from.top - height - 6 });
  }, [anchor]);
  return createPortal(
    <div ref={card} id={id} role="tooltip" className={styles.card} style={position}>
      <span>Local</span>
      <b className="tabular">{formatFull(ms)}</b>
      <span>UTC</span>
      <b className="mono">{formatUtc(ms)}</b>
      <span>Relative</span>
      <b className="tabular">{formatAge(ms)}</b>
    </div>,
    // Inside the landmark, so that screen readers do not find text outside of the page.
    document.querySelector("main") ?? document.body,
  );
}
