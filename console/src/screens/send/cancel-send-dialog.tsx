import { useQueryClient } from "@tanstack/react-query";
import type { SendRecord } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { notifyDone } from "../../parts/notify.ts";
import styles from "./send-screen.module.css";

interface CancelSendProps {
  opened: boolean;
  onClose: () => void;
  send: SendRecord;
}

/** Ends a queued send. When a worker was faster, the dialog shows what happened. */
export function CancelSendDialog({ opened, onClose, send: { id, mode } }: CancelSendProps) {
  const client = useQueryClient();

  async function cancel() {
    try {
      await call("POST /api/v1/send/{id}/cancel", { path: { id }, query: { mode } });
      notifyDone("The mail was cancelled.");
    } finally {
      await client.invalidateQueries({ queryKey: ["sends"] });
    }
  }

  return (
    <ConfirmDialog
      danger
      title="Cancel this mail?"
      opened={opened}
      onClose={onClose}
      actionLabel="Cancel mail"
      onConfirm={cancel}
    >
      <p className={styles.dialogText}>
        Postern does not submit it to SES any more. It ends as failed with the code CANCELLED, which cannot be undone;
        Send again makes a new send.
      </p>
    </ConfirmDialog>
  );
}
