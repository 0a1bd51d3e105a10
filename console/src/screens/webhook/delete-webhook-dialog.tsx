import { useQueryClient } from "@tanstack/react-query";
import type { Webhook } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { webhooksKey } from "../../parts/webhook-queries.ts";

interface DeleteWebhookDialogProps {
  webhook: Webhook;
  opened: boolean;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteWebhookDialog({ webhook, opened, onClose, onDeleted }: DeleteWebhookDialogProps) {
  const client = useQueryClient();
  const { webhook_id: id, url } = webhook;
  async function remove() {
    await call("DELETE /api/v1/webhooks/{id}", { path: { id } });
    // Not the page of this webhook, which would ask for it again.
    await client.invalidateQueries({ queryKey: [...webhooksKey, "list"] });
    notifyDone("The webhook is deleted.");
    onDeleted();
  }
  return (
    <ConfirmDialog
      title="Delete the webhook?"
      opened={opened}
      onClose={onClose}
      actionLabel="Delete webhook"
      onConfirm={remove}
      confirmWord={hostOf(url)}
      danger
    >
      <p>
        Postern cancels what was not delivered to <b>{url}</b> and no longer shows its deliveries. The secret ends. To
        stop for a while, disable it instead.
      </p>
    </ConfirmDialog>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
