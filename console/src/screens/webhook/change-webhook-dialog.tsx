import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import type { Webhook } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { WebhookFields, type WebhookForm } from "../../parts/webhook-fields.tsx";
import { webhooksKey } from "../../parts/webhook-queries.ts";
import styles from "./webhook.module.css";

type ChangeWebhookDialogProps = { webhook: Webhook; opened: boolean; onClose: () => void };

export function ChangeWebhookDialog({ webhook, opened, onClose }: ChangeWebhookDialogProps) {
  const [form, setForm] = useState<WebhookForm>(formOf(webhook));
  const client = useQueryClient();
  const change = useMutation<Webhook, ApiError>({
    mutationFn: () =>
      call("PATCH /api/v1/webhooks/{id}", {
        path: { id: webhook.webhook_id },
        body: { url: form.url.trim(), description: form.description.trim() || null, types: form.types },
      }),
    onSuccess: async () => {
      notifyDone("The webhook is changed.");
      onClose();
      await client.invalidateQueries({ queryKey: webhooksKey });
    },
  });
  const { reset } = change;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a poll must not undo what a person has typed
  useEffect(() => {
    if (!opened) return;
    setForm(formOf(webhook));
    reset();
  }, [opened, reset]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="change-webhook" variant="filled" loading={change.isPending}>
        Save
      </Button>
    </>
  );
  return (
    <Dialog title="Change the webhook" opened={opened} onClose={onClose} footer={footer} width={560}>
      <form id="change-webhook" className={styles.form} onSubmit={submit}>
        <WebhookFields form={form} onChange={setForm} error={change.error} />
        {change.error !== null && change.error.details.length === 0 ? <ErrorState error={change.error} /> : null}
      </form>
    </Dialog>
  );
}

function formOf({ url, description, types }: Webhook): WebhookForm {
  return { url, description: description ?? "", types };
}
