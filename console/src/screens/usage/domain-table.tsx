import type { Mode } from "../../frame/search-state.ts";
import { activityHref } from "../../parts/activity-href.ts";
import { downloadCsv } from "../../parts/csv.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount, formatNumber } from "../../parts/format-number.ts";
import { CardLines } from "../../parts/table-cards.tsx";
import { findQuantile, formatAtMost } from "../../parts/usage-sums.ts";
import { ShareBar } from "./share-bar.tsx";
import type { CountedRange } from "./usage-days.ts";
import type { DomainRow } from "./usage-rows.ts";

interface DomainTableProps {
  rows: DomainRow[] | undefined;
  boundsMs: number[];
  counted: CountedRange;
  mode: Mode;
}

export function DomainTable({ rows, boundsMs, counted: { from, to }, mode }: DomainTableProps) {
  const most = Math.max(1, ...(rows ?? []).map(({ acceptedRecipients }) => acceptedRecipients));
  const number = (key: keyof DomainRow, header: string, hideBelow?: number): Column<DomainRow> => ({
    key,
    header,
    width: 104,
    align: "right",
    cell: (row) => formatNumber(Number(row[key])),
    ...(hideBelow !== undefined && { hideBelow }),
  });
  const columns: Column<DomainRow>[] = [
    { key: "domain", header: "Domain", width: "26%", cell: ({ domain }) => domain },
    {
      key: "bar",
      header: <span className="visually-hidden">Share</span>,
      cell: ({ acceptedRecipients }) => <ShareBar share={acceptedRecipients / most} />,
      hideBelow: 1100,
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
      label="Usage by domain"
      columns={columns}
      rows={rows}
      rowKey={({ domain }) => domain}
      rowHref={({ domain }) => activityHref({ domain, from, to }, mode)}
      rowLabel={({ domain }) => `Sends from ${domain}`}
      compact={(row) => (
        <CardLines
          first={row.domain}
          aside={formatNumber(row.acceptedRecipients)}
          second={`${formatNumber(row.delivered)} delivered, ${formatCount(row.bouncedHard, "hard bounce")}`}
        />
      )}
      skeletonRows={4}
      empty={
        <EmptyState title="No usage in this range">
          Nothing was accepted, delivered or bounced. Choose a longer range.
        </EmptyState>
      }
    />
  );
}

function p95({ deliveryTimes }: DomainRow, boundsMs: number[]): string | undefined {
  const ms = findQuantile(deliveryTimes, boundsMs, 0.95);
  return ms === undefined ? undefined : formatAtMost(ms, boundsMs.at(-1) ?? 0);
}

export function downloadDomains(rows: DomainRow[], boundsMs: number[]): void {
  downloadCsv("usage-by-domain.csv", [
    [
      "domain",
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
        row.domain,
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
