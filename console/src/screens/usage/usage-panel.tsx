import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type Mode, useSearchState } from "../../frame/search-state.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDate } from "../../parts/format-time.ts";
import { Panel } from "../../parts/panel.tsx";
import { Segments } from "../../parts/segments.tsx";
import type { UsageAnswer } from "../../parts/usage-query.ts";
import { DomainTable } from "./domain-table.tsx";
import { downloadKeys, KeyTable } from "./key-table.tsx";
import { downloadSums } from "./sum-table.tsx";
import { TagTable } from "./tag-table.tsx";
import type { CountedRange } from "./usage-days.ts";
import { domainRows, type KeyRow, tagRows } from "./usage-rows.ts";

export type UsageGroup = "domain" | "tag" | "key";

export function readGroup(value: string | undefined): UsageGroup {
  return value === "key" || value === "tag" ? value : "domain";
}

interface Loaded<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

interface UsagePanelProps {
  counted: CountedRange;
  /** Tags are counted per day. */
  countedTags: CountedRange;
  mode: Mode;
  byDomain: Loaded<UsageAnswer>;
  byTag: Loaded<UsageAnswer>;
  byKey: Loaded<KeyRow[]>;
}

/** The usage of each domain, tag or key. */
export function UsagePanel({ counted, countedTags, mode, byDomain, byTag, byKey }: UsagePanelProps) {
  const [search, change] = useSearchState();
  const group = readGroup(search.group);
  const domains = byDomain.data && domainRows(byDomain.data.usage);
  const tags = byTag.data && tagRows(byTag.data.usage);
  const shown = { domain: byDomain, tag: byTag, key: byKey }[group];
  const count = { domain: domains?.length, tag: tags?.rows.length, key: byKey.data?.length }[group];
  const boundsOf = ({ data }: Loaded<UsageAnswer>) => data?.delivery_time_bounds_ms ?? [];
  function download() {
    if (group === "key") downloadKeys(byKey.data ?? []);
    else if (group === "domain") downloadSums(group, domains ?? [], boundsOf(byDomain));
    else downloadSums(group, [...(tags?.rows ?? []), ...(tags?.other ? [tags.other] : [])], boundsOf(byTag));
  }
  return (
    <Panel
      heading="Usage"
      count={countedText(group === "tag" ? countedTags : counted)}
      aside={
        <>
          <Segments
            label="Usage by"
            value={group}
            options={[
              { value: "domain", label: "By domain" },
              { value: "tag", label: "By tag" },
              { value: "key", label: "By key" },
            ]}
            onChange={(value) => change({ group: value === "domain" ? undefined : value })}
          />
          <Button
            leftSection={<IconDownload size={15} stroke={1.75} />}
            disabled={count === undefined || count === 0}
            onClick={download}
          >
            CSV
          </Button>
        </>
      }
      flush
    >
      {shown.error !== null && count === undefined ? (
        <ErrorState error={shown.error} onRetry={() => void shown.refetch()} />
      ) : group === "key" ? (
        <KeyTable rows={byKey.data} />
      ) : group === "tag" ? (
        <TagTable tags={tags} boundsMs={boundsOf(byTag)} counted={countedTags} mode={mode} />
      ) : (
        <DomainTable rows={domains} boundsMs={boundsOf(byDomain)} counted={counted} mode={mode} />
      )}
    </Panel>
  );
}

/** Days are those of UTC, so they are named in UTC. */
function countedText({ by, from, to }: CountedRange): string {
  if (by === "hour") return "by UTC hours";
  const day = (ms: number) => formatDate(ms, { timeZone: "UTC" });
  return `UTC days, ${day(from)} to ${day(to - 1)}`;
}
