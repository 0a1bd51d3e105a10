import type { Timeline } from "../../api/api-types.ts";
import {
  formatClockWithMilliseconds,
  formatDateTime,
  formatDuration,
  formatOffset,
  formatRelative,
  formatUtc,
} from "../../parts/format-time.ts";
import { Panel } from "../../parts/panel.tsx";
import { statusLook } from "../../parts/status-look.ts";
import { StatusIcon } from "../../parts/status-word.tsx";
import { useTick } from "../../parts/use-tick.ts";
import styles from "./timeline-panel.module.css";
import { type TimelineRow, timelineRows } from "./timeline-rows.ts";

export function TimelinePanel({ timeline }: { timeline: Timeline }) {
  useTick();
  const rows = timelineRows(timeline);
  const first = Date.parse(timeline.entries[0]?.at ?? "");
  return (
    <Panel heading="Timeline" aside={Number.isNaN(first) ? undefined : `local time, ${formatOffset(first)}`} flush>
      {!timeline.complete && <p className={styles.cut}>Only the newest 500 attempts, delays and events are shown.</p>}
      <ol className={styles.rows}>
        {rows.map((row) => (
          <Row key={row.key} row={row} day={formatDateTime(first).split(",")[0]} />
        ))}
      </ol>
    </Panel>
  );
}

function Row({ row, day }: { row: TimelineRow; day: string | undefined }) {
  const at = Date.parse(row.at);
  const isOtherDay = formatDateTime(at).split(",")[0] !== day;
  const look = statusLook(row.status);
  return (
    <li className={styles.row} data-ahead={row.isAhead || undefined}>
      <span className={styles.since}>{row.isAhead ? formatRelative(at) : sinceText(row)}</span>
      <span className={styles.icon}>
        <StatusIcon status={row.status} />
      </span>
      <span className={styles.word} style={{ color: look.wordColour }}>
        {row.word}
      </span>
      <span className={styles.text} title={`${row.text} ${row.note}`.trim()}>
        {row.text} {row.note !== "" && <span className="quiet">{row.note}</span>}
      </span>
      <time className={`${styles.at} mono`} dateTime={row.at} title={formatUtc(at)}>
        {row.isAhead || isOtherDay ? formatDateTime(at) : formatClockWithMilliseconds(at)}
      </time>
    </li>
  );
}

function sinceText({ sinceLastMs }: TimelineRow): string {
  return sinceLastMs === undefined ? "" : `+${formatDuration(sinceLastMs)}`;
}
