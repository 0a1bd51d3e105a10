import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type Mode, useSearchState } from "../../frame/search-state.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDate } from "../../parts/format-time.ts";
import { Panel } from "../../parts/panel.tsx";
import { Segments } from "../../parts/segments.tsx";
import type { UsageAnswer } from "../../parts/usage-query.ts";
import { DomainTable, downloadDomains } from "./domain-table.tsx";
import { downloadKeys, KeyTable } from "./key-table.tsx";
import type { CountedRange } from "./usage-days.ts";
import { domainRows, type KeyRow } from "./usage-rows.ts";

interface UsagePanelProps {
  counted: CountedRange;
  mode: Mode;
  byDomain: { data: UsageAnswer | undefined; error: unknown; refetch: () => unknown };
  byKey: { data: KeyRow[] | undefined; error: unknown; refetch: () => unknown };
}

/** The usage of each domain or each key. */
export function UsagePanel({ counted, mode, byDomain, byKey }: UsagePanelProps) {
  const [search, change] = useSearchState();
  const group = search.group === "key" ? "key" : "domain";
  const { data: usage } = byDomain;
  const domains = usage && domainRows(usage.usage);
  const rows = group === "key" ? byKey.data : domains;
  const failed = group === "key" ? byKey : byDomain;
  function download() {
    if (group === "key") downloadKeys(byKey.data ?? []);
    else downloadDomains(domains ?? [], usage?.delivery_time_bounds_ms ?? []);
  }
  return (
    <Panel
      heading="Usage"
      count={countedText(counted)}
      aside={
        <>
          <Segments
            label="Usage by"
            value={group}
            options={[
              { value: "domain", label: "By domain" },
              { value: "key", label: "By key" },
            ]}
            onChange={(value) => change({ group: value === "domain" ? undefined : value })}
          />
          <Button
            leftSection={<IconDownload size={15} stroke={1.75} />}
            disabled={rows === undefined || rows.length === 0}
            onClick={download}
          >
            CSV
          </Button>
        </>
      }
      flush
    >
      {failed.error !== null && rows === undefined ? (
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      ) : group === "key" ? (
        <KeyTable rows={byKey.data} />
      ) : (
        <DomainTable rows={domains} boundsMs={usage?.delivery_time_bounds_ms ?? []} counted={counted} mode={mode} />
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
