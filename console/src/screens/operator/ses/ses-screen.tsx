import { AppLink } from "../../../parts/app-link.tsx";
import { Figure, FigureStrip } from "../../../parts/figure.tsx";
import { formatNumber, formatPercent } from "../../../parts/format-number.ts";
import { Loading } from "../../../parts/loading.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { OperatorPage } from "../operator-page.tsx";
import { type OperatorSes, sesQuery, useOperatorQuery } from "../operator-queries.ts";
import { formatSeconds, secondsAgo } from "../seconds.ts";
import { FindingsPanel } from "./findings-panel.tsx";
import { RemovalsPanel } from "./removals-panel.tsx";

/** What SES allows the AWS account, what it thinks of it, and what it did not do. */
export function SesScreen() {
  const query = useOperatorQuery(sesQuery);
  const ses = query.data;
  return (
    <OperatorPage title="SES" note="as workers last read it" query={query}>
      {ses === undefined ? (
        <Panel>
          <Loading label="Loading the state of SES" lines={4} />
        </Panel>
      ) : (
        <>
          <Hold ses={ses} />
          <Figures ses={ses} />
          <FindingsPanel reputation={ses.reputation} />
          <RemovalsPanel failed={ses.failed_removals} />
        </>
      )}
    </OperatorPage>
  );
}

function Hold({ ses: { hold } }: { ses: OperatorSes }) {
  if (hold === null) return null;
  return (
    <Notice
      kind="bad"
      title={`SES holds all live mail (${hold.reason}), for ${formatSeconds(hold.held_seconds)}.`}
      action={<AppLink href="/operator/runbook#ses-paused-or-the-quota-used-up">Runbook</AppLink>}
    >
      No send fails because of it. A worker tries one in {formatSeconds(hold.next_try_seconds)}.
    </Notice>
  );
}

function Figures({ ses: { quota, reputation } }: { ses: OperatorSes }) {
  const { per_second, per_day, used_last_24_hours: used, read_seconds_ago } = quota;
  const read = `read ${secondsAgo(read_seconds_ago)}`;
  const share = used === null || per_day === null || per_day === 0 ? undefined : used / per_day;
  return (
    <FigureStrip>
      <Figure
        label="Rate"
        value={per_second === null ? "–" : formatNumber(per_second)}
        unit={per_second === null ? "" : "/s"}
        note={per_second === null ? "not known yet" : read}
      />
      <Figure
        label="Used in 24 hours"
        value={used === null ? "–" : formatNumber(used)}
        note={share === undefined ? "no share known" : `${formatPercent(share)} of the quota`}
      />
      <Figure
        label="Daily quota"
        value={per_day === null ? "–" : formatNumber(per_day)}
        note={used !== null && per_day === null ? "no limit" : per_day === null ? "not known yet" : read}
      />
      <Figure
        label="AWS account"
        value={statusWords[reputation.enforcement_status ?? ""] ?? reputation.enforcement_status ?? "–"}
        note={
          reputation.enforcement_status === null ? "not known yet" : `read ${secondsAgo(reputation.read_seconds_ago)}`
        }
      />
    </FigureStrip>
  );
}

const statusWords: Record<string, string> = { HEALTHY: "Healthy", PROBATION: "Under review", SHUTDOWN: "Stopped" };
