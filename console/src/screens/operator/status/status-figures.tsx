import { Figure, FigureStrip } from "../../../parts/figure.tsx";
import { formatBytes, formatNumber, formatPercent } from "../../../parts/format-number.ts";
import type { OperatorSes, OperatorStatus } from "../operator-queries.ts";
import { forecastText, formatSeconds, secondsAgo } from "../seconds.ts";

/** What the queue, SES and the disk do now, in a row. Each figure opens its page. */
export function StatusFigures({ status, ses }: { status: OperatorStatus | undefined; ses: OperatorSes | undefined }) {
  const live = status?.mail.find(({ mode }) => mode === "live");
  const oldest = (seconds: number | null | undefined) =>
    seconds === null || seconds === undefined ? "none" : `oldest ${formatSeconds(seconds)}`;
  return (
    <FigureStrip small>
      <Figure
        label="Ready"
        value={count(live?.queue.ready.sends)}
        note={live && oldest(live.queue.ready.oldest_seconds)}
        href="/operator/queue"
      />
      <Figure
        label="Parked"
        value={count(live?.queue.parked.sends)}
        note={live && oldest(live.queue.parked.oldest_seconds)}
        href="/operator/queue"
      />
      <Figure
        label="In doubt"
        value={count(live?.queue.in_doubt.sends)}
        note={live && oldest(live.queue.in_doubt.oldest_seconds)}
        href="/operator/queue"
      />
      <Figure label="SES rate" {...rateFigure(ses)} href="/operator/ses" />
      <Figure label="SES daily quota" {...quotaFigure(ses)} href="/operator/ses" />
      <Figure
        label="Last SES report"
        value={live === undefined ? "…" : secondsAgo(live.feedback.last_report_seconds_ago)}
        note={live && gapNote(live.feedback)}
        href="/operator/queue"
      />
      <Figure label="Disk" {...diskFigure(status)} href="/operator/storage" />
    </FigureStrip>
  );
}

function count(sends: number | undefined): string {
  return sends === undefined ? "…" : `${formatNumber(sends)}${sends >= 10_000 ? "+" : ""}`;
}

function rateFigure(ses: OperatorSes | undefined) {
  if (ses === undefined) return { value: "…" };
  const { per_second } = ses.quota;
  if (per_second === null) return { value: "–", note: "not known yet" };
  return { value: formatNumber(per_second), unit: "/s", note: "allowed by SES" };
}

function quotaFigure(ses: OperatorSes | undefined) {
  if (ses === undefined) return { value: "…" };
  const { per_day, used_last_24_hours: used } = ses.quota;
  if (used === null) return { value: "–", note: "not known yet" };
  if (per_day === null) return { value: formatNumber(used), note: "no limit" };
  const share = per_day === 0 ? 1 : used / per_day;
  return { value: formatNumber(used), note: `${formatPercent(share, 0)} of ${formatNumber(per_day)}` };
}

function gapNote({ gap }: OperatorStatus["mail"][number]["feedback"]): string {
  if (gap === "no-reports") return "reports are missing";
  return gap === "not-polled" ? "nobody reads the queue" : "no gap";
}

function diskFigure(status: OperatorStatus | undefined) {
  if (status === undefined) return { value: "…" };
  const { bytes, full_in_seconds } = status.database;
  if (full_in_seconds !== null) return { value: forecastText(full_in_seconds), note: "until the disk is full" };
  return bytes === null ? { value: "–", note: "not measured yet" } : { value: formatBytes(bytes), note: "no forecast" };
}
