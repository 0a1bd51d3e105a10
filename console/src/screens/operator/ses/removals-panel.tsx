import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { StatusWord } from "../../../parts/status-word.tsx";
import { CardLines } from "../../../parts/table-cards.tsx";
import { TableFooter } from "../../../parts/table-footer.tsx";
import { Time } from "../../../parts/time.tsx";
import styles from "../operator.module.css";
import type { OperatorSes } from "../operator-queries.ts";

type Failed = OperatorSes["failed_removals"];
type Removal = Failed["removals"][number];

const errors: Record<Removal["error"], string> = {
  throttled: "SES limits the rate of such requests",
  unavailable: "SES did not answer",
  denied: "The workers lack the permission ses:DeleteSuppressedDestination",
  limit_reached: "A limit of the AWS account is reached",
  invalid: "SES does not accept the address",
};

const state = ({ status }: Removal) =>
  status === "pending" ? (
    <StatusWord status="delayed" word="Tried again" />
  ) : (
    <StatusWord status="failed" word="Refused" />
  );

const columns: Column<Removal>[] = [
  {
    key: "account",
    header: "Account",
    width: 220,
    cell: ({ name }) => <b className="strong">{name}</b>,
    title: ({ name }) => name,
  },
  { key: "state", header: "State", width: 130, cell: state },
  { key: "error", header: "Why", cell: ({ error }) => errors[error], hideBelow: 900 },
  { key: "removed", header: "Removed", width: 130, align: "right", cell: ({ removed_at }) => <Time at={removed_at} /> },
  {
    key: "next",
    header: "Next try",
    width: 110,
    align: "right",
    cell: ({ next_try_at }) => <Time at={next_try_at} empty="none" />,
  },
];

/** An address that an account lifted stays on the list of SES until SES removes it, so mail to it does not arrive. */
export function RemovalsPanel({ failed }: { failed: Failed }) {
  return (
    <Panel heading="Suppression removals that failed" count={failed.total} flush>
      <DataTable
        label="Suppression removals that failed"
        columns={columns}
        rows={failed.removals}
        rowKey={({ tenant_id, removed_at }) => `${tenant_id} ${removed_at}`}
        rowHref={({ tenant_id }) => `/operator/accounts/${tenant_id}`}
        empty={<p className={styles.text}>SES removed every address that an account lifted.</p>}
        footer={<TableFooter>The members of the account see the address in their suppressions.</TableFooter>}
        compact={(removal) => (
          <CardLines
            first={<b className="strong">{removal.name}</b>}
            aside={<Time at={removal.removed_at} />}
            second={state(removal)}
            third={errors[removal.error]}
          />
        )}
      />
    </Panel>
  );
}
