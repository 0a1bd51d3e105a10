import { CloseButton } from "@mantine/core";
import { ErrorState } from "../../parts/error-state.tsx";
import { Notice } from "../../parts/notice.tsx";
import { describeRemoval } from "./removal-words.ts";
import { useAddressState } from "./suppression-queries.ts";
import classes from "./suppressions.module.css";

type RemovalNoticeProps = { email: string; mode: "live" | "test"; onDismiss?: () => void };

/** The last removal of the address in this mode, followed until SES has answered. Nothing when there was none. */
export function RemovalNotice({ email, mode, onDismiss }: RemovalNoticeProps) {
  const state = useAddressState(email);
  const removal = state.data?.removals.find((each) => each.mode === mode);
  const words = removal === undefined ? undefined : describeRemoval(email, removal);
  const dismiss = onDismiss && <CloseButton aria-label="Dismiss" size={26} onClick={onDismiss} />;
  return (
    <div aria-live="polite">
      {words === undefined ? null : (
        <div className={classes.notice}>
          <Notice kind={words.kind} title={words.title} action={dismiss}>
            {words.ses}
          </Notice>
        </div>
      )}
      {state.error !== null && state.data === undefined && onDismiss !== undefined ? (
        <div className={classes.notice}>
          <ErrorState error={state.error} onRetry={() => void state.refetch()} />
        </div>
      ) : null}
    </div>
  );
}
