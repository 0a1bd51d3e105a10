import { Facts } from "../../parts/facts.tsx";
import { formatCount, formatNumber } from "../../parts/format-number.ts";
import { Loading } from "../../parts/loading.tsx";
import { Panel } from "../../parts/panel.tsx";
import type { AccountAnswer } from "../../parts/usage-query.ts";
import styles from "./usage.module.css";
import type { RefusalRow } from "./usage-rows.ts";

interface RateLimitProps {
  account: AccountAnswer | undefined;
  /** Of the range of the page. */
  refusals: RefusalRow[] | undefined;
}

export function RateLimitPanel({ account, refusals }: RateLimitProps) {
  const over = refusals
    ?.filter(({ code }) => code === "RATE_LIMIT_EXCEEDED")
    .reduce((sum, { count }) => sum + count, 0);
  return (
    <Panel heading="Rate limits" aside="requests to send">
      {account === undefined ? (
        <Loading label="Loading the rate limits" lines={3} />
      ) : (
        <>
          <Facts
            labelWidth={110}
            facts={[
              { label: "A second", value: formatNumber(account.rate_limits.per_second) },
              { label: "In 10 seconds", value: formatNumber(account.rate_limits.per_10_seconds) },
              { label: "A minute", value: formatNumber(account.rate_limits.per_minute) },
            ]}
          />
          <p className={styles.text}>
            {over === undefined
              ? "Live and test mail count apart."
              : `${formatCount(over, "request")} with an API key exceeded them in this range. Live and test mail count apart.`}
          </p>
        </>
      )}
    </Panel>
  );
}
