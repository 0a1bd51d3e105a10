import { CloseButton } from "@mantine/core";
import type { AcceptedSend } from "../../api/api-types.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Notice } from "../../parts/notice.tsx";
import classes from "./domain.module.css";

type TestMailResultProps = {
  email: string;
  accepted: AcceptedSend | undefined;
  error: Error | null;
  onDismiss: () => void;
};

export function TestMailResult({ email, accepted, error, onDismiss }: TestMailResultProps) {
  return (
    <div aria-live="polite">
      {error === null ? null : (
        <div className={classes.result}>
          <ErrorState error={error} />
        </div>
      )}
      {accepted === undefined ? null : (
        <div className={classes.result}>
          <Notice
            kind={accepted.status === "suppressed" || accepted.held === true ? "warn" : "info"}
            title={titleOf(email, accepted)}
            action={<CloseButton aria-label="Dismiss" size={26} onClick={onDismiss} />}
          >
            {accepted.held_reason === undefined ? null : <>{accepted.held_reason} </>}
            {/* Always live, whatever mode the page is in. */}
            <AppLink href={`/sends/${accepted.id}`}>Follow the send</AppLink>
          </Notice>
        </div>
      )}
    </div>
  );
}

function titleOf(email: string, { status, held }: AcceptedSend): string {
  if (status === "suppressed") return `${email} is on the suppression list, so Postern did not send the test mail.`;
  if (held === true) return "Postern accepted the test mail and holds it: the mail of this account is on hold.";
  return `Postern accepted the test mail to ${email}.`;
}
