import { Button } from "@mantine/core";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { CopyText } from "../../../parts/copy.tsx";
import { Facts } from "../../../parts/facts.tsx";
import { formatBytes, formatCount, formatNumber } from "../../../parts/format-number.ts";
import { Panel } from "../../../parts/panel.tsx";
import { Snippet } from "../../../parts/snippet.tsx";
import { StatusWord } from "../../../parts/status-word.tsx";
import { Time } from "../../../parts/time.tsx";
import { accountState, rateLines } from "../accounts/account-look.ts";
import { RateBar } from "../accounts/rate-bar.tsx";
import shared from "../operator.module.css";
import styles from "./account.module.css";
import type { AccountDialogName } from "./account-dialog.tsx";

interface AccountPanelsProps {
  account: OperatorAccount;
  onChoose: (dialog: AccountDialogName) => void;
}

export function AccountPanels({ account, onChoose }: AccountPanelsProps) {
  const edit = (dialog: AccountDialogName) => <Button onClick={() => onChoose(dialog)}>Change</Button>;
  return (
    <>
      <div className={shared.pairs}>
        <Panel heading="Account">
          <AccountFacts account={account} />
        </Panel>
        <Panel heading="Guard" count="of live mail, seven days">
          <GuardFacts account={account} />
        </Panel>
      </div>
      <div className={shared.pairs}>
        <Panel heading="Limits" aside={edit("limits")}>
          <LimitFacts limits={account.limits} />
        </Panel>
        <Panel heading="Quotas and usage" aside={edit("quotas")}>
          <QuotaFacts account={account} />
        </Panel>
      </div>
      <Panel heading="At a shell of the server">
        <div className={styles.commands}>
          <p>Count old mail that waits, and end it with --yes:</p>
          <Snippet code={`postern admin discard --account ${account.tenant_id} --before 7d`} />
          {account.email === null ? null : (
            <>
              <p>Refuse its keys and log-ins, and park its mail; resume ends it:</p>
              <Snippet code={`postern admin ${account.suspended ? "resume" : "suspend"} --email ${account.email}`} />
            </>
          )}
        </div>
      </Panel>
    </>
  );
}

function AccountFacts({ account }: { account: OperatorAccount }) {
  const { email, tenant_id, created_at, hold } = account;
  return (
    <Facts
      labelWidth={130}
      facts={[
        { label: "State", value: <StatusWord status={accountState(account)} /> },
        hold === null ? undefined : { label: "Held by an operator", value: <Time at={hold.held_at} /> },
        hold?.note == null ? undefined : { label: "Reason", value: hold.note },
        { label: "First owner", value: email === null ? "nobody" : <CopyText value={email} label="address" /> },
        { label: "Account id", value: <CopyText value={tenant_id} label="account id" mono /> },
        { label: "Created", value: <Time at={created_at} absolute /> },
      ]}
    />
  );
}

function GuardFacts({ account: { guard } }: { account: OperatorAccount }) {
  return (
    <Facts
      labelWidth={130}
      facts={[
        { label: "Hard bounces", value: <RateBar rate={guard.bounce_rate} lines={rateLines.bounce} digits={1} /> },
        { label: "Complaints", value: <RateBar rate={guard.complaint_rate} lines={rateLines.complaint} digits={2} /> },
        {
          label: "Counted",
          value: `${formatCount(guard.hard_bounces, "hard bounce")}, ${formatCount(guard.complaints, "complaint")}, ${formatCount(guard.outcomes, "outcome")}`,
        },
        {
          label: "Guard",
          value: guard.on ? "on: it holds the mail above 10\u00a0% or 0.5\u00a0%" : "off: it never holds",
        },
        guard.held_at === null ? undefined : { label: "Holds since", value: <Time at={guard.held_at} /> },
        guard.reason === null ? undefined : { label: "Because", value: guard.reason },
        guard.released_at === null
          ? undefined
          : { label: "Counts since", value: <Time at={guard.released_at} absolute /> },
      ]}
    />
  );
}

function LimitFacts({ limits }: { limits: OperatorAccount["limits"] }) {
  return (
    <Facts
      labelWidth={130}
      facts={[
        {
          label: "Sends",
          value: `${formatNumber(limits.per_second)} a second, ${formatNumber(limits.per_10_seconds)} in 10\u00a0s, ${formatNumber(limits.per_minute)} a minute`,
        },
        { label: "Domains", value: formatNumber(limits.domains) },
        { label: "API keys", value: formatNumber(limits.api_keys) },
        { label: "Domain changes", value: `${formatNumber(limits.domain_changes_per_minute)} a minute` },
      ]}
    />
  );
}

function QuotaFacts({ account }: { account: OperatorAccount }) {
  const { live, test } = account;
  const limited = (value: number | null, format = formatNumber) => (value === null ? "unlimited" : format(value));
  return (
    <Facts
      labelWidth={130}
      facts={[
        {
          label: "Recipients today",
          value: `${formatNumber(live.usage.recipients_today)} live of ${limited(live.quotas.recipients_per_day)}, ${formatNumber(test.usage.recipients_today)} test of ${limited(test.quotas.recipients_per_day)}`,
        },
        { label: "In 24 hours", value: `${formatNumber(live.usage.recipients_last_24_hours)} live` },
        {
          label: "Trial",
          value: live.quotas.trial === null ? "none" : `${formatNumber(live.quotas.trial)} recipients a day`,
        },
        { label: "Queued recipients", value: `live: ${limited(live.quotas.queued_recipients)}` },
        { label: "Stored content", value: `live: ${limited(live.quotas.stored_content_bytes, formatBytes)}` },
      ]}
    />
  );
}
