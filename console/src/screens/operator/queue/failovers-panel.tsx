import { IconCircleCheck } from "@tabler/icons-react";
import { AppLink } from "../../../parts/app-link.tsx";
import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { formatCount, formatNumber } from "../../../parts/format-number.ts";
import { Panel } from "../../../parts/panel.tsx";
import { StatusWord } from "../../../parts/status-word.tsx";
import { CardLines } from "../../../parts/table-cards.tsx";
import { Time } from "../../../parts/time.tsx";
import styles from "../operator.module.css";
import type { OperatorStatus } from "../operator-queries.ts";

type Failover = OperatorStatus["failovers"][number];

const causes: Record<Failover["cause"], string> = {
  server: "Another server, timeline or database",
  rewound: "Less data on disk than before",
  feedback: "SES reports sends that the database does not have",
  operator: "Declared by an operator",
};

const state = ({ sweeping }: Failover) =>
  sweeping ? <StatusWord status="processing" word="Marking sends" /> : <StatusWord status="success" word="Marked" />;

const columns: Column<Failover>[] = [
  { key: "at", header: "Detected", width: 150, cell: ({ noticed_at }) => <Time at={noticed_at} absolute /> },
  { key: "cause", header: "Cause", cell: ({ cause }) => causes[cause] },
  { key: "state", header: "Sweep", width: 150, cell: state, hideBelow: 800 },
  {
    key: "sends",
    header: "Marked in doubt",
    width: 140,
    align: "right",
    cell: ({ marked_in_doubt }) => formatNumber(marked_in_doubt),
  },
];

/** When the database was replaced by an older copy of itself, and how many sends that left in doubt. */
export function FailoversPanel({ failovers }: { failovers: Failover[] }) {
  return (
    <Panel
      heading="Failovers and restores"
      aside={<AppLink href="/operator/runbook#after-a-restore-or-failover">Runbook</AppLink>}
      flush
    >
      <DataTable
        label="Failovers"
        columns={columns}
        rows={failovers}
        rowKey={({ noticed_at }) => noticed_at}
        empty={
          <p className={styles.calm}>
            <IconCircleCheck size={15} stroke={1.75} color="var(--good)" aria-hidden="true" />
            No failover or restore was detected.
          </p>
        }
        compact={(failover) => (
          <CardLines
            first={state(failover)}
            aside={<Time at={failover.noticed_at} absolute />}
            second={causes[failover.cause]}
            third={`${formatCount(failover.marked_in_doubt, "send")} marked in doubt`}
          />
        )}
      />
    </Panel>
  );
}
