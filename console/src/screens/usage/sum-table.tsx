import type { ReactNode } from "react";
import { downloadCsv } from "../../parts/csv.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { formatCount, formatNumber } from "../../parts/format-number.ts";
import { CardLines } from "../../parts/table-cards.tsx";
import { findQuantile, formatAtMost } from "../../parts/usage-sums.ts";
import { ShareBar } from "./share-bar.tsx";
import type { SumRow } from "./usage-rows.ts";

interface SumTableProps {
  rows: SumRow[] | undefined;
  /** What a row is: "Domain". */
  header: string;
  /** Names the table for screen readers: "Usage by domain". */
  label: string;
  /** The sends behind a row. */
  hrefOf: (name: string) => string;
  /** Name of that link: "Sends from acme.io". */
  linkOf: (name: string) => string;
  boundsMs: number[];
  empty: ReactNode;
  footer?: ReactNode;
}

/** Sends, recipients and outcomes of each domain or tag. */
export function SumTable({ rows, header, label, hrefOf, linkOf, boundsMs, empty, footer }: SumTableProps) {
  const most = Math.max(1, ...(rows ?? []).map(({ acceptedRecipients }) => acceptedRecipients));
  const number = (key: keyof SumRow, title: string, hideBelow?: number): Column<SumRow> => ({
    key,
    header: title,
    width: 104,
    align: "right",
    cell: (row) => formatNumber(Number(row[key])),
    ...(hideBelow !== undefined && { hideBelow }),
  });
  const columns: Column<SumRow>[] = [
    { key: "name", header, width: "26%", cell: ({ name }) => name },
    {
      key: "bar",
      header: <span className="visually-hidden">Share</span>,
      cell: ({ acceptedRecipients }) => <ShareBar share={acceptedRecipients / most} />,
      fill: true,
      hideBelow: 1400,
    },
    number("acceptedSends", "Sends", 800),
    number("acceptedRecipients", "Recipients"),
    number("delivered", "Delivered"),
    number("bouncedHard", "Hard bounces"),
    number("complained", "Complaints", 900),
    number("failed", "Failed", 1000),
    { key: "p95", header: "p95", width: 100, align: "right", quiet: true, cell: (row) => p95(row, boundsMs) ?? "–" },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name}
      rowHref={({ name }) => hrefOf(name)}
      rowLabel={({ name }) => linkOf(name)}
      compact={(row) => (
        <CardLines
          first={row.name}
          aside={formatNumber(row.acceptedRecipients)}
          second={`${formatNumber(row.delivered)} delivered, ${formatCount(row.bouncedHard, "hard bounce")}`}
        />
      )}
      skeletonRows={4}
      empty={empty}
      {...(footer !== undefined && { footer })}
    />
  );
}

function p95({ deliveryTimes }: SumRow, boundsMs: number[]): string | undefined {
  const ms = findQuantile(deliveryTimes, boundsMs, 0.95);
  return ms === undefined ? undefined : formatAtMost(ms, boundsMs.at(-1) ?? 0);
}

export function downloadSums(column: "domain" | "tag", rows: SumRow[], boundsMs: number[]): void {
  downloadCsv(`usage-by-${column}.csv`, [
    [
      column,
      "accepted_sends",
      "accepted_recipients",
      "delivered",
      "bounced_hard",
      "bounced_soft",
      "complained",
      "suppressed",
      "failed",
      "delivery_time_p95_at_most_ms",
    ],
    ...rows.map((row) => {
      const ms = findQuantile(row.deliveryTimes, boundsMs, 0.95);
      return [
        row.name,
        row.acceptedSends,
        row.acceptedRecipients,
        row.delivered,
        row.bouncedHard,
        row.bouncedSoft,
        row.complained,
        row.suppressed,
        row.failed,
        ms !== undefined && Number.isFinite(ms) ? ms : undefined,
      ];
    }),
  ]);
}
