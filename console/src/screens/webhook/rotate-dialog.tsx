import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Webhook } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDateTime } from "../../parts/format-time.ts";
import { webhooksKey } from "../../parts/webhook-queries.ts";
import { WebhookSecret } from "../../parts/webhook-secret.tsx";
import styles from "./webhook.module.css";

const overlaps: [seconds: string, text: string][] = [
  ["86400", "for 24 hours"],
  ["3600", "for 1 hour"],
  ["604800", "for 7 days"],
  ["0", "no longer: it ends now"],
];

/** A new secret. The earlier one signs for a while too, so that a deployment can follow. */
export function RotateDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [overlap, setOverlap] = useState("86400");
  const client = useQueryClient();
  const rotate = useMutation({
    mutationFn: () =>
      call("POST /api/v1/webhooks/{id}/rotate", {
        path: { id: webhook.webhook_id },
        body: { overlap_seconds: Number(overlap) },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey }),
  });
  if (rotate.data !== undefined) {
    const done = (
      <Button variant="filled" onClick={onClose}>
        Done
      </Button>
    );
    const end = formatDateTime(Date.parse(rotate.data.previous_secrets_end_at));
    return (
      <Dialog title="The new secret" opened onClose={onClose} footer={done} width={560}>
        <WebhookSecret secret={rotate.data.secret} />
        <p>
          {overlap === "0"
            ? "The earlier secret has ended."
            : `Until ${end} each request also has a signature of the earlier secret.`}
        </p>
      </Dialog>
    );
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="filled" loading={rotate.isPending} onClick={() => rotate.mutate()}>
        Rotate secret
      </Button>
    </>
  );
  return (
    <Dialog title="Rotate the secret?" opened onClose={onClose} footer={footer}>
      <div className={styles.form}>
        <p>Postern makes a new secret and shows it once. After a leak, end the present one now.</p>
        <NativeSelect
          label="The present secret signs"
          data-autofocus=""
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data={overlaps.map(([value, label]) => ({ value, label }))}
        />
        {rotate.error === null ? null : <ErrorState error={rotate.error} />}
      </div>
    </Dialog>
  );
}
