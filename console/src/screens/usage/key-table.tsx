import { downloadCsv } from "../../parts/csv.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount, formatNumber } from "../../parts/format-number.ts";
import { CardLines } from "../../parts/table-cards.tsx";
import { TableFooter } from "../../parts/table-footer.tsx";
import { ShareBar } from "./share-bar.tsx";
import type { KeyRow } from "./usage-rows.ts";

export function KeyTable({ rows }: { rows: KeyRow[] | undefined }) {
  const most = Math.max(1, ...(rows ?? []).map(({ recipients }) => recipients));
  const number = (key: "sends" | "recipients" | "refused", header: string): Column<KeyRow> => ({
    key,
    header,
    width: 120,
    align: "right",
    cell: (row) => formatNumber(row[key]),
  });
  const columns: Column<KeyRow>[] = [
    { key: "name", header: "Key", width: "30%", cell: ({ name }) => name, copy: ({ id }) => id },
    {
      key: "bar",
      header: <span className="visually-hidden">Share</span>,
      cell: ({ recipients }) => <ShareBar share={recipients / most} />,
      fill: true,
      hideBelow: 900,
    },
    number("sends", "Sends"),
    number("recipients", "Recipients"),
    number("refused", "Refused"),
  ];
  return (
    <DataTable
      label="Usage by key"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      compact={({ name, recipients, sends, refused }) => (
        <CardLines
          first={name}
          aside={formatNumber(recipients)}
          second={`${formatCount(sends, "send")}, ${formatNumber(refused)} refused`}
        />
      )}
      skeletonRows={4}
      empty={<EmptyState title="No key was used to send in this range">Choose a longer range.</EmptyState>}
      footer={<TableFooter>Mail that a person sent without a key is not in this table.</TableFooter>}
    />
  );
}

export function downloadKeys(rows: KeyRow[]): void {
  downloadCsv("usage-by-key.csv", [
    ["api_key_id", "key", "accepted_sends", "accepted_recipients", "refused_requests"],
    ...rows.map(({ id, name, sends, recipients, refused }) => [id, name, sends, recipients, refused]),
  ]);
}
