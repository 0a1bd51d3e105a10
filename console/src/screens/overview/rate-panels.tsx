import { useQuery } from "@tanstack/react-query";
import { activityHref } from "../../parts/activity-href.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { BigFigure } from "../../parts/figure.tsx";
import { formatNumber } from "../../parts/format-number.ts";
import { Loading } from "../../parts/loading.tsx";
import { Panel } from "../../parts/panel.tsx";
import { RateChart, type RatePoint } from "../../parts/rate-chart.tsx";
import type { AccountAnswer } from "../../parts/usage-query.ts";
import styles from "./overview.module.css";
import { rateQuery } from "./overview-queries.ts";
import { ratePoints, windowStart } from "./rate-points.ts";
import { describeVerdict } from "./rate-words.ts";
import { bounceLines, complaintLines, evaluateRate, type RateLines } from "./review-distance.ts";
import { VerdictWord } from "./verdict-word.tsx";

/** Both rates of live mail against the lines of SES, as the guard of Postern counts them. */
export function RatePanels({ account, now }: { account: AccountAnswer | undefined; now: number }) {
  const { data } = useQuery(rateQuery(now));
  const points = data && ratePoints(data.usage, now);
  const { outcomes, hard_bounces, complaints } = account?.reputation ?? {};
  const from = windowStart(now);
  return (
    <div className={styles.rates}>
      <RatePanel
        heading="Hard bounce rate"
        nouns={["hard bounce", "hard bounces"]}
        count={hard_bounces}
        outcomes={outcomes}
        lines={bounceLines}
        points={points?.bounces}
        href={activityHref({ status: "bounced", from }, "live")}
      />
      <RatePanel
        heading="Complaint rate"
        nouns={["complaint", "complaints"]}
        count={complaints}
        outcomes={outcomes}
        lines={complaintLines}
        points={points?.complaints}
        href={activityHref({ status: "complained", from }, "live")}
      />
    </div>
  );
}

interface RatePanelProps {
  heading: string;
  nouns: [one: string, many: string];
  count: number | undefined;
  outcomes: number | undefined;
  lines: RateLines;
  points: RatePoint[] | undefined;
  href: string;
}

function RatePanel({ heading, nouns, count, outcomes, lines, points, href }: RatePanelProps) {
  if (count === undefined || outcomes === undefined) {
    return (
      <Panel heading={heading}>
        <Loading label={`Loading the ${heading.toLowerCase()}`} lines={4} height={162} />
      </Panel>
    );
  }
  const verdict = evaluateRate(count, outcomes, lines);
  const { title, text } = describeVerdict(verdict, nouns, lines);
  return (
    <Panel
      heading={heading}
      count={
        <AppLink className={styles.count} href={href}>
          {formatNumber(count)} of {formatNumber(outcomes)} outcomes
        </AppLink>
      }
      aside={<VerdictWord verdict={verdict} />}
    >
      <div className={styles.rate}>
        <div>
          {verdict.state === "unknown" ? (
            <BigFigure value="–" />
          ) : (
            <BigFigure value={formatNumber(verdict.rate * 100, 2)} unit="%" />
          )}
          <b>{title}</b>
          <p>{text}</p>
        </div>
        <RateChart
          title={`${heading}, the last 30 days`}
          points={points ?? []}
          review={1 / lines.reviewOneIn}
          pause={1 / lines.pauseOneIn}
        />
      </div>
    </Panel>
  );
}
