import { AppLink } from "../../../parts/app-link.tsx";
import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { StatusWord } from "../../../parts/status-word.tsx";
import { CardLines } from "../../../parts/table-cards.tsx";
import styles from "../operator.module.css";
import type { OperatorSes } from "../operator-queries.ts";
import { secondsAgo } from "../seconds.ts";

type Reputation = OperatorSes["reputation"];
type Finding = NonNullable<Reputation["findings"]>[number];

const impact = (finding: Finding) => (
  <StatusWord status={finding.impact === "HIGH" ? "failed" : "warned"} word={finding.impact.toLowerCase()} />
);

const columns: Column<Finding>[] = [
  { key: "kind", header: "Finding", width: 200, cell: ({ kind }) => <b className="strong">{kind}</b> },
  { key: "impact", header: "Impact", width: 140, cell: impact },
  { key: "resource", header: "About", quiet: true, cell: ({ resource }) => (resource === "" ? "–" : resource) },
];

export function FindingsPanel({ reputation }: { reputation: Reputation }) {
  const { findings, finding_count, findings_read_seconds_ago, enforcement_status } = reputation;
  const isUnderReview = enforcement_status !== null && enforcement_status !== "HEALTHY";
  return (
    <>
      {isUnderReview && (
        <Notice
          kind="bad"
          title="SES objects to the mail of the AWS account."
          action={<AppLink href="/operator/status?sort=bounce_rate">Accounts by bounce rate</AppLink>}
        >
          Find the account with many bounces or complaints, and put it on hold. The mail of the others goes on.{" "}
          <AppLink href="/operator/runbook#ses-reviews-the-aws-account">Runbook</AppLink>
        </Notice>
      )}
      <Panel
        heading="Reputation findings"
        count={finding_count ?? undefined}
        aside={findings === null ? undefined : `read ${secondsAgo(findings_read_seconds_ago)}`}
        flush
      >
        {findings === null ? (
          <p className={styles.text}>
            SES does not offer findings to this AWS account: they need Virtual Deliverability Manager and the permission
            ses:ListRecommendations.
          </p>
        ) : (
          <DataTable
            label="Reputation findings"
            columns={columns}
            rows={findings}
            rowKey={({ kind, resource }) => `${kind} ${resource}`}
            empty={<p className={styles.text}>SES found nothing.</p>}
            compact={(finding) => (
              <CardLines
                first={<b className="strong">{finding.kind}</b>}
                aside={impact(finding)}
                second={finding.resource}
              />
            )}
          />
        )}
      </Panel>
    </>
  );
}
