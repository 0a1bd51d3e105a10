import { useQueryClient } from "@tanstack/react-query";
import type { Suppression } from "../api/api-types.ts";
import { call } from "../api/call.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { formatDateTime } from "./format-time.ts";
import { notifyDone } from "./notify.ts";

export type LiftedSuppression = Pick<Suppression, "email" | "reason" | "mode"> & { suppressed_at?: string | undefined };

export type LiftSuppressionDialogProps = {
  /** Undefined keeps the dialog closed. */
  suppression: LiftedSuppression | undefined;
  onClose: () => void;
  onLifted?: () => void;
};

const causes = {
  complaint: "reported mail as spam",
  hard_bounce: "bounced permanently",
  manual: "was added by hand",
};

const warnings = {
  complaint: "Lift it only if the recipient asked you to. SES reviews accounts whose mail is reported as spam.",
  hard_bounce: "If the mailbox still does not exist, the next mail bounces again and counts against your bounce rate.",
  manual: "Somebody decided that this address gets no mail. Find out why before you lift it.",
};

/** Asks before an address gets mail again. A complaint needs the address typed: writing to such a person can cost the SES account. */
export function LiftSuppressionDialog({ suppression, onClose, onLifted }: LiftSuppressionDialogProps) {
  const client = useQueryClient();
  async function lift() {
    if (suppression === undefined) return;
    const { email, mode } = suppression;
    await call("DELETE /api/v1/suppression/{email}", { path: { email }, query: { mode } });
    notifyDone(`${email} is not suppressed any more.`);
    await client.invalidateQueries({ queryKey: ["suppressions"] });
    onLifted?.();
  }
  const isComplaint = suppression?.reason === "complaint";
  return (
    <ConfirmDialog
      title="Lift the suppression?"
      opened={suppression !== undefined}
      onClose={onClose}
      actionLabel="Lift suppression"
      onConfirm={lift}
      {...(isComplaint && suppression !== undefined ? { confirmWord: suppression.email } : {})}
    >
      {suppression !== undefined && (
        <>
          <p>
            <b>{suppression.email}</b> {causes[suppression.reason]}
            {suppression.suppressed_at === undefined
              ? ""
              : ` and is suppressed since ${formatDateTime(Date.parse(suppression.suppressed_at))}`}
            . Later {suppression.mode === "test" ? "test mail" : "mail"} goes to this address again.
            {suppression.mode === "live" && suppression.reason !== "manual"
              ? " Postern also removes it from the suppression list of SES."
              : ""}
          </p>
          <p>{warnings[suppression.reason]}</p>
        </>
      )}
    </ConfirmDialog>
  );
}
