import { useQuery } from "@tanstack/react-query";
import { useMode, useSearchState } from "../../frame/search-state.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { RangePicker } from "../../parts/range-picker.tsx";
import { accountQuery, keyListQuery, usageQuery } from "../../parts/usage-query.ts";
import { readRange } from "../../parts/usage-range.ts";
import { useTick } from "../../parts/use-tick.ts";
import { QuotaPanel } from "./quota-panel.tsx";
import { RateLimitPanel } from "./rate-limit-panel.tsx";
import { RefusalPanel } from "./refusal-panel.tsx";
import styles from "./usage.module.css";
import { countedRange, wholeDays } from "./usage-days.ts";
import { readGroup, UsagePanel } from "./usage-panel.tsx";
import { keyRows, refusalRows } from "./usage-rows.ts";

/** How much of its limits the account uses, which requests the API refused, and who used what. */
export function UsageScreen() {
  useTick();
  const now = Date.now();
  const mode = useMode();
  const [search] = useSearchState();
  const range = readRange(search, now);
  const counted = countedRange(range, now);
  const { by } = counted;
  const account = useQuery(accountQuery(mode));
  const keys = useQuery(keyListQuery());
  const byDomain = useQuery(usageQuery(counted, { by, mode, group: "domain" }));
  const byKey = useQuery(usageQuery(counted, { by, mode, group: "api_key" }));
  const countedTags = wholeDays(counted);
  const byTag = useQuery({
    ...usageQuery(countedTags, { by: "range", mode, group: "tag" }),
    enabled: readGroup(search.group) === "tag",
  });
  // Names that come a moment later would replace ids under the pointer.
  const keyUsage = keys.isPending ? undefined : byKey.data?.usage;
  const refusals = keyUsage && refusalRows(keyUsage, keys.data);
  return (
    <>
      <PageHeader title="Usage and limits" aside={<RangePicker range={range} now={now} />} />
      <div className={styles.page}>
        {account.error !== null && account.data === undefined ? (
          <Panel flush>
            <ErrorState error={account.error} onRetry={() => void account.refetch()} />
          </Panel>
        ) : (
          <div className={styles.columns}>
            <QuotaPanel account={account.data} now={now} />
            <RateLimitPanel account={account.data} refusals={refusals} />
          </div>
        )}
        <RefusalPanel rows={refusals} error={byKey.error} onRetry={() => void byKey.refetch()} />
        <UsagePanel
          counted={counted}
          countedTags={countedTags}
          mode={mode}
          byDomain={byDomain}
          byTag={byTag}
          byKey={{ data: keyUsage && keyRows(keyUsage, keys.data), error: byKey.error, refetch: byKey.refetch }}
        />
      </div>
    </>
  );
}
