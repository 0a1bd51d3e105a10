import { IconAlertTriangle, IconCircleX } from "@tabler/icons-react";
import { formatBytes, formatNumber } from "../../parts/format-number.ts";
import { formatClock } from "../../parts/format-time.ts";
import { Loading } from "../../parts/loading.tsx";
import { Panel } from "../../parts/panel.tsx";
import type { AccountAnswer, Quota } from "../../parts/usage-query.ts";
import styles from "./usage.module.css";

const dayMs = 86_400_000;

/** What the operator permits, and what is used of it. */
export function QuotaPanel({ account, now }: { account: AccountAnswer | undefined; now: number }) {
  return (
    <Panel heading="Quotas" aside={account === undefined ? undefined : `of ${account.mode} mail`} flush>
      {account === undefined ? (
        <Loading label="Loading the quotas" lines={4} />
      ) : account.quotas.length === 0 ? (
        <p className={styles.none}>
          The operator of this installation has set no quotas, so only the rate limits apply.
        </p>
      ) : (
        <ul className={styles.quotas}>
          {account.quotas.map((quota) => (
            <QuotaBar key={quota.name} quota={quota} now={now} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

const names: Record<Quota["name"], string> = {
  recipients_per_day: "Recipients a day",
  queued_recipients: "Queued recipients",
  stored_content_bytes: "Stored content",
};

function QuotaBar({ quota, now }: { quota: Quota; now: number }) {
  const { name, limit, used, trial } = quota;
  const amount = name === "stored_content_bytes" ? formatBytes : formatNumber;
  const share = limit === 0 ? 1 : used / limit;
  const level = share >= 1 ? "bad" : share > 0.8 ? "warn" : undefined;
  const Icon = level === "bad" ? IconCircleX : IconAlertTriangle;
  return (
    <li className={styles.quota} data-level={level}>
      <span className={styles.quotaLine}>
        <span>{names[name]}</span>
        {trial && <span className="quiet">trial</span>}
        <span className={`${styles.amount} tabular`}>
          {amount(used)} <span className="quiet">of {amount(limit)}</span>
        </span>
      </span>
      <span className={styles.bar} aria-hidden="true">
        <span style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
      <span className={styles.note}>
        {level !== undefined && (
          <span className={styles.level}>
            <Icon size={15} stroke={1.75} aria-hidden="true" />
            {level === "bad" ? "Used up" : `${Math.floor(share * 100)}\u00a0% used`}
          </span>
        )}
        {noteOf(quota, now)}
      </span>
    </li>
  );
}

function noteOf({ name, trial }: Quota, now: number): string {
  switch (name) {
    case "recipients_per_day": {
      const midnight = (Math.floor(now / dayMs) + 1) * dayMs;
      const end = trial ? " The operator of this installation ends the trial." : "";
      return `Empty again at 00:00 UTC, ${formatClock(midnight)} local.${end}`;
    }
    case "queued_recipients":
      return "The queue empties as mail is sent.";
    case "stored_content_bytes":
      return "Content is deleted when its retention ends.";
  }
}
