import type { OperatorAccount } from "../../../api/api-types.ts";
import { formatCount, formatPercent } from "../../../parts/format-number.ts";
import { accountState } from "../accounts/account-look.ts";

/** The first line of the page: does its mail go out, and does it harm the others? */
export function accountSentence(account: OperatorAccount): string {
  return `${stateSentence(account)} ${rateSentence(account)}`;
}

function stateSentence(account: OperatorAccount): string {
  const { name, hold, guard } = account;
  switch (accountState(account)) {
    case "suspended":
      return `${name} is suspended: the API refuses its keys and log-ins.`;
    case "held":
      return hold === null
        ? `The guard holds the live mail of ${name}: ${guard.reason ?? "no reason is stored"}`
        : `An operator holds the mail of ${name}${hold.note === null ? "." : ` (“${hold.note}”).`}`;
    case "trial":
      return `${name} sends on trial, to at most ${formatCount(account.live.quotas.trial ?? 0, "recipient")} a day.`;
    case "warned":
    case "sending":
      return `The mail of ${name} goes out.`;
  }
}

function rateSentence({ guard }: OperatorAccount): string {
  const { bounce_rate, complaint_rate, outcomes } = guard;
  if (bounce_rate === null || complaint_rate === null) {
    return `${formatCount(outcomes, "outcome")} in seven days are too few for a rate.`;
  }
  const rates = `${formatPercent(bounce_rate)} bounced permanently and ${formatPercent(complaint_rate, 2)} complained`;
  return `Of ${formatCount(outcomes, "recipient")} in seven days ${rates}.`;
}
