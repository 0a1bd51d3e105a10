import type { Mode } from "../../frame/search-state.ts";
import { activityHref } from "../../parts/activity-href.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount, formatNumber } from "../../parts/format-number.ts";
import { TableFooter } from "../../parts/table-footer.tsx";
import { SumTable } from "./sum-table.tsx";
import type { CountedRange } from "./usage-days.ts";
import type { TagRows } from "./usage-rows.ts";

/** An account can have some thousand tags; the CSV has them all. */
const shownTags = 100;

interface TagTableProps {
  tags: TagRows | undefined;
  boundsMs: number[];
  counted: CountedRange;
  mode: Mode;
}

export function TagTable({ tags, boundsMs, counted: { from, to }, mode }: TagTableProps) {
  return (
    <SumTable
      label="Usage by tag"
      header="Tag"
      rows={tags?.rows.slice(0, shownTags)}
      boundsMs={boundsMs}
      hrefOf={(tag) => activityHref({ tag, from, to }, mode)}
      linkOf={(tag) => `Sends with the tag ${tag}`}
      empty={
        <EmptyState title="No mail with tags in this range">
          Give a mail up to 10 <code>tags</code> when you send it, such as <code>receipt</code>. They stay in Postern.
        </EmptyState>
      }
      footer={tags !== undefined && <TableFooter>{footerText(tags)}</TableFooter>}
    />
  );
}

function footerText({ rows, other }: TagRows): string {
  const hidden = rows.length - shownTags;
  return [
    "A mail counts for each of its tags.",
    ...(hidden > 0 ? [`${formatCount(hidden, "more tag")} in the CSV.`] : []),
    ...(other === undefined
      ? []
      : [
          `Tags beyond 1,000 a month are counted together: ${formatCount(other.acceptedSends, "send")}, ` +
            `${formatNumber(other.delivered)} delivered, ${formatCount(other.bouncedHard, "hard bounce")}.`,
        ]),
  ].join(" ");
}
