import { CloseButton } from "@mantine/core";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatClock, toMilliseconds } from "../../parts/format-time.ts";
import { Notice } from "../../parts/notice.tsx";
import classes from "./domain.module.css";
import { numberWord } from "./number-words.ts";
import type { CheckState } from "./use-check-now.ts";

/** What the requested check found, or why there was none. */
export function CheckResult({ state, onDismiss }: { state: CheckState; onDismiss: () => void }) {
  const dismiss = <CloseButton aria-label="Dismiss" size={26} onClick={onDismiss} />;
  return (
    <div aria-live="polite">
      {state.kind === "done" ? (
        <div className={classes.result}>
          <Notice title={resultOf(state.domain)} action={dismiss} />
        </div>
      ) : null}
      {state.kind === "late" ? (
        <div className={classes.result}>
          <Notice kind="warn" title="The check is requested, but has no result after 30 seconds." action={dismiss}>
            Postern runs it as soon as a worker is free; this page shows the result.
          </Notice>
        </div>
      ) : null}
      {state.kind === "failed" ? (
        <div className={classes.result}>
          <ErrorState error={state.error} />
        </div>
      ) : null}
    </div>
  );
}

function resultOf({
  last_checked_at,
  dns_records,
  verification_status,
}: Extract<CheckState, { kind: "done" }>["domain"]): string {
  const found = dns_records.filter(({ status }) => status === "found").length;
  const at = last_checked_at === null ? "" : ` at ${formatClock(toMilliseconds(last_checked_at))}`;
  const all =
    found === dns_records.length
      ? `all ${numberWord(found)}`
      : `${numberWord(found)} of ${numberWord(dns_records.length)}`;
  const verdict = verification_status === "Success" ? " The domain is verified." : "";
  return `Checked${at}: ${all} records found.${verdict}`;
}
