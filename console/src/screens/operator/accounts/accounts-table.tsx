import type { ReactNode } from "react";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { NumberText } from "../../../parts/figures.tsx";
import { formatCount, formatNumber, formatPercent } from "../../../parts/format-number.ts";
import { StatusWord } from "../../../parts/status-word.tsx";
import type { AccountDialogName } from "../account/account-dialog.tsx";
import { AccountMenu } from "../account/account-menu.tsx";
import type { AccountSort } from "../operator-queries.ts";
import { accountState, rateLines } from "./account-look.ts";
import styles from "./accounts.module.css";
import { RateBar } from "./rate-bar.tsx";

interface AccountsTableProps {
  rows: OperatorAccount[] | undefined;
  sort: AccountSort;
  onSort: (sort: AccountSort) => void;
  skeletonRows: number;
  onChoose: (dialog: AccountDialogName, account: OperatorAccount) => void;
  empty: ReactNode;
  footer: ReactNode;
}

export function AccountsTable({ rows, sort, onSort, skeletonRows, onChoose, empty, footer }: AccountsTableProps) {
  const menu = (account: OperatorAccount) => (
    <AccountMenu account={account} onChoose={(dialog) => onChoose(dialog, account)} />
  );
  const sortable = (key: AccountSort) => ({
    sort: sort === key ? ("descending" as const) : undefined,
    onSort: () => onSort(key),
  });
  const columns: Column<OperatorAccount>[] = [
    {
      key: "name",
      header: "Account",
      cell: ({ name }) => <b className={styles.name}>{name}</b>,
      title: ({ name, email }) => (email === null ? name : `${name}, ${email}`),
    },
    { key: "state", header: "State", width: 124, cell: (account) => <StatusWord status={accountState(account)} /> },
    {
      key: "volume",
      header: "Recipients, 24 h",
      width: 124,
      align: "right",
      ...sortable("volume"),
      cell: ({ live }) => <NumberText value={live.usage.recipients_last_24_hours} />,
    },
    {
      key: "bounces",
      header: "Hard bounces, 7 d",
      width: 190,
      fill: true,
      ...sortable("bounce_rate"),
      cell: ({ guard }) => <RateBar rate={guard.bounce_rate} lines={rateLines.bounce} digits={1} />,
    },
    {
      key: "complaints",
      header: "Complaints, 7 d",
      width: 190,
      fill: true,
      ...sortable("complaint_rate"),
      cell: ({ guard }) => <RateBar rate={guard.complaint_rate} lines={rateLines.complaint} digits={2} />,
      hideBelow: 1100,
    },
    {
      key: "limit",
      header: "Limit",
      width: 84,
      align: "right",
      quiet: true,
      cell: ({ limits }) => `${formatNumber(limits.per_second)}\u00a0/s`,
      hideBelow: 1200,
    },
    { key: "actions", header: <span className="visually-hidden">Actions</span>, width: 52, align: "right", cell: menu },
  ];
  return (
    <DataTable
      label="Accounts"
      columns={columns}
      rows={rows}
      rowKey={({ tenant_id }) => tenant_id}
      rowHref={({ tenant_id }) => `/operator/accounts/${tenant_id}`}
      rowLabel={({ name }) => name}
      skeletonRows={skeletonRows}
      empty={empty}
      footer={footer}
      compact={(account) => (
        <div className={styles.card}>
          <b className={`${styles.name} cut`}>{account.name}</b>
          {menu(account)}
          <StatusWord status={accountState(account)} />
          <span className="quiet">
            {formatCount(account.live.usage.recipients_last_24_hours, "recipient")}, 24&nbsp;h
          </span>
          <span className={styles.cardRates}>{ratesText(account)}</span>
        </div>
      )}
    />
  );
}

function ratesText({ guard: { bounce_rate, complaint_rate } }: OperatorAccount): string {
  if (bounce_rate === null || complaint_rate === null) return "under 200 outcomes";
  return `${formatPercent(bounce_rate)} bounces, ${formatPercent(complaint_rate, 2)} complaints`;
}
