import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Webhook } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { stateOf } from "../../parts/delivery-words.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDuration } from "../../parts/format-time.ts";
import { StatusWord } from "../../parts/status-word.tsx";
import { useHref } from "../../parts/use-href.ts";
import { webhooksKey } from "../../parts/webhook-queries.ts";
import { type NotificationType, notificationTypes, typeNames } from "../../parts/webhook-types.ts";
import styles from "./webhook.module.css";

type TestDialogProps = { webhook: Webhook; opened: boolean; onClose: () => void };

/** Sends an example of a type and shows what the endpoint answers. */
export function TestDialog({ webhook, opened, onClose }: TestDialogProps) {
  const [type, setType] = useState<NotificationType>(webhook.types[0] ?? "send.delivered");
  const client = useQueryClient();
  const id = webhook.webhook_id;
  const test = useMutation({
    mutationFn: () => call("POST /api/v1/webhooks/{id}/test", { path: { id }, body: { type } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [...webhooksKey, id, "deliveries"] }),
  });
  const { reset } = test;
  useEffect(() => {
    if (opened) reset();
  }, [opened, reset]);
  const footer = (
    <>
      <Button onClick={onClose}>Close</Button>
      <Button variant="filled" loading={test.isPending} onClick={() => test.mutate()}>
        {test.data === undefined ? "Send test" : "Send another"}
      </Button>
    </>
  );
  return (
    <Dialog title="Send a test notification" opened={opened} onClose={onClose} footer={footer}>
      <div className={styles.form}>
        <p>
          The example is signed and sent like any other; its <code>data</code> has <code>"test": true</code>.
        </p>
        <NativeSelect
          label="Type"
          data-autofocus=""
          value={type}
          onChange={(event) => setType(event.currentTarget.value as NotificationType)}
          data={typeNames.map((value) => ({ value, label: `${value}: ${notificationTypes[value]}` }))}
        />
        <div aria-live="polite">
          {test.data !== undefined && <TestResult webhookId={id} deliveryId={test.data.delivery_id} />}
        </div>
        {test.error === null ? null : <ErrorState error={test.error} />}
      </div>
    </Dialog>
  );
}

function TestResult({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const href = useHref();
  const { data, error } = useQuery({
    queryKey: [...webhooksKey, webhookId, "delivery", deliveryId],
    queryFn: ({ signal }) =>
      call("GET /api/v1/webhooks/{id}/deliveries/{delivery_id}", {
        path: { id: webhookId, delivery_id: deliveryId },
        signal,
      }),
    refetchInterval: ({ state }) => (state.data !== undefined && state.data.attempt_count > 0 ? 5_000 : 700),
  });
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return null;
  const last = data.attempts.at(-1);
  return (
    <div className={styles.sent}>
      <StatusWord {...stateOf(data)} />{" "}
      {last === undefined ? (
        "The example is on its way."
      ) : (
        <>
          {last.failure ?? `The endpoint answered ${last.status}.`}{" "}
          {last.duration_ms === null ? "" : `It took ${formatDuration(last.duration_ms)}. `}
          <AppLink href={href(`/webhooks/${webhookId}/deliveries/${deliveryId}`)}>Show request and answer</AppLink>
        </>
      )}
    </div>
  );
}
