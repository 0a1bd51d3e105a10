import { useQuery } from "@tanstack/react-query";
import { useMode, useSearchState } from "../../frame/search-state.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { RangePicker } from "../../parts/range-picker.tsx";
import { accountQuery, keyListQuery, usageQuery } from "../../parts/usage-query.ts";
import { rangeBefore, readRange, selectionSearch } from "../../parts/usage-range.ts";
import { sumUsage } from "../../parts/usage-sums.ts";
import { useTick } from "../../parts/use-tick.ts";
import { findAttention } from "./attention.ts";
import { AttentionPanel } from "./attention-panel.tsx";
import { FirstSteps } from "./first-steps-panel.tsx";
import { OutcomePanel } from "./outcome-panel.tsx";
import styles from "./overview.module.css";
import { OverviewFigures } from "./overview-figures.tsx";
import { domainListQuery, hasSentQuery } from "./overview-queries.ts";
import { RatePanels } from "./rate-panels.tsx";

/** What happened to the mail of the account, how far it is from the lines of SES, and what somebody should look at. */
export function OverviewScreen() {
  useTick();
  const now = Date.now();
  const mode = useMode();
  const [search, change] = useSearchState();
  const range = readRange(search, now);
  const usage = useQuery(usageQuery(range, { mode }));
  const before = useQuery(usageQuery(rangeBefore(range), { mode }));
  const account = useQuery(accountQuery(mode));
  const domains = useQuery(domainListQuery());
  const keys = useQuery(keyListQuery());
  const hasSent = { live: useQuery(hasSentQuery("live")), test: useQuery(hasSentQuery("test")) };

  const sum = usage.data && sumUsage(usage.data.usage);
  const failed = sum && { recipients: sum.failed, from: range.from, to: range.to };
  const { data: keyList } = keys;
  const attention = findAttention({ mode, now, account: account.data, domains: domains.data, keys: keyList, failed });
  const isKnown = [usage, account, domains, keys].every(({ data }) => data !== undefined);
  const problem = [account, domains, keys].find(({ error, data }) => error !== null && data === undefined);
  // Everything below the first steps would move if they came later. An account with live mail has none.
  const hasNoSteps = mode === "live" && (sum?.acceptedRecipients ?? 0) > 0;
  const isSettled = hasNoSteps || [keys, domains, hasSent.live, hasSent.test].every(({ isPending }) => !isPending);

  const header = <PageHeader title="Overview" aside={<RangePicker range={range} now={now} />} />;
  if (!isSettled) {
    return (
      <>
        {header}
        <Loading label="Loading the overview" lines={8} height={700} />
      </>
    );
  }
  return (
    <>
      {header}
      <div className={styles.page}>
        <FirstSteps
          keys={keyList?.length}
          domains={domains.data}
          hasTestMail={hasSent.test.data}
          hasLiveMail={hasSent.live.data}
        />
        {usage.error !== null && usage.data === undefined ? (
          <Panel>
            <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
          </Panel>
        ) : (
          <>
            <OverviewFigures usage={usage.data} before={before.data} range={range} mode={mode} />
            <div className={styles.columns}>
              <OutcomePanel
                usage={usage.data}
                range={range}
                hasSent={hasSent[mode].data}
                onSelect={(from, to) => change(selectionSearch(Date.parse(from), Date.parse(to)))}
                onWiden={() => change({ range: "30d", since: undefined, until: undefined })}
              />
              <AttentionPanel
                items={attention}
                isKnown={isKnown}
                problem={problem && { error: problem.error, retry: () => void problem.refetch() }}
              />
            </div>
          </>
        )}
        {mode === "live" && hasSent.live.data !== false ? <RatePanels account={account.data} now={now} /> : null}
      </div>
    </>
  );
}
