import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import type { CreatedWebhook } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import type { Mode } from "../../frame/search-state.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { WebhookFields, type WebhookForm } from "../../parts/webhook-fields.tsx";
import { webhooksKey } from "../../parts/webhook-queries.ts";
import { WebhookSecret } from "../../parts/webhook-secret.tsx";
import styles from "./webhooks.module.css";

const start: WebhookForm = {
  url: "",
  description: "",
  types: ["send.delivered", "send.bounced", "send.complained", "send.failed"],
};

interface CreateWebhookDialogProps {
  opened: boolean;
  onClose: () => void;
  mode: Mode;
  /** After the person has seen the secret. */
  onCreated: (webhook: CreatedWebhook) => void;
}

export function CreateWebhookDialog({ opened, onClose, mode, onCreated }: CreateWebhookDialogProps) {
  const [form, setForm] = useState(start);
  const client = useQueryClient();
  const create = useMutation<CreatedWebhook, ApiError>({
    mutationFn: () => {
      const { url, description, types } = form;
      const text = description.trim();
      return call("POST /api/v1/webhooks", {
        body: { url: url.trim(), types, mode, ...(text === "" ? {} : { description: text }) },
      });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey }),
  });
  const { reset, data: created } = create;
  useEffect(() => {
    if (!opened) return;
    setForm(start);
    reset();
  }, [opened, reset]);

  if (created !== undefined) {
    const finish = () => {
      onClose();
      onCreated(created);
    };
    const done = (
      <Button variant="filled" onClick={finish}>
        Done
      </Button>
    );
    return (
      <Dialog title="The secret of the new webhook" opened={opened} onClose={finish} footer={done} width={560}>
        <WebhookSecret secret={created.secret} />
      </Dialog>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="create-webhook" variant="filled" loading={create.isPending}>
        Create webhook
      </Button>
    </>
  );
  return (
    <Dialog title={`Create a ${mode} webhook`} opened={opened} onClose={onClose} footer={footer} width={560}>
      <form id="create-webhook" className={styles.form} onSubmit={submit}>
        <WebhookFields form={form} onChange={setForm} error={create.error} />
        {create.error !== null && isElsewhere(create.error) ? <ErrorState error={create.error} /> : null}
      </form>
    </Dialog>
  );
}

/** A problem that no field shows. */
function isElsewhere({ details }: ApiError): boolean {
  return details.length === 0 || details.some(({ field }) => !["url", "description", "types"].includes(field));
}
