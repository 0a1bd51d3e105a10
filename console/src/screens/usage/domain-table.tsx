import type { Mode } from "../../frame/search-state.ts";
import { activityHref } from "../../parts/activity-href.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { SumTable } from "./sum-table.tsx";
import type { CountedRange } from "./usage-days.ts";
import type { SumRow } from "./usage-rows.ts";

interface DomainTableProps {
  rows: SumRow[] | undefined;
  boundsMs: number[];
  counted: CountedRange;
  mode: Mode;
}

export function DomainTable({ rows, boundsMs, counted: { from, to }, mode }: DomainTableProps) {
  return (
    <SumTable
      label="Usage by domain"
      header="Domain"
      rows={rows}
      boundsMs={boundsMs}
      hrefOf={(domain) => activityHref({ domain, from, to }, mode)}
      linkOf={(domain) => `Sends from ${domain}`}
      empty={
        <EmptyState title="No usage in this range">
          Nothing was accepted, delivered or bounced. Choose a longer range.
        </EmptyState>
      }
    />
  );
}
