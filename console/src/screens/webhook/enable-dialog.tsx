import { useQueryClient } from "@tanstack/react-query";
import type { Webhook } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { webhooksKey } from "../../parts/webhook-queries.ts";

type EnableDialogProps = { webhook: Webhook; opened: boolean; onClose: () => void };

/** Disables an enabled webhook, and enables a disabled one. */
export function EnableDialog({ webhook, opened, onClose }: EnableDialogProps) {
  const client = useQueryClient();
  const isDisabled = webhook.status === "disabled";
  async function confirm() {
    await call("PATCH /api/v1/webhooks/{id}", { path: { id: webhook.webhook_id }, body: { enabled: isDisabled } });
    await client.invalidateQueries({ queryKey: webhooksKey });
    notifyDone(isDisabled ? "The webhook is enabled." : "The webhook is disabled.");
  }
  return (
    <ConfirmDialog
      title={isDisabled ? "Enable the webhook?" : "Disable the webhook?"}
      opened={opened}
      onClose={onClose}
      actionLabel={isDisabled ? "Enable webhook" : "Disable webhook"}
      onConfirm={confirm}
    >
      {isDisabled
        ? "Postern sends what waits and what happens from now on. What happened while it was disabled is not stored for it; replay that time afterwards if you need it."
        : "What waits is paused until you enable it again. What happens meanwhile is not stored for it; you can replay that time later."}
    </ConfirmDialog>
  );
}
