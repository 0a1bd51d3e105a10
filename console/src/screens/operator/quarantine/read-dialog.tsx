import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { QuarantineEntry } from "../../../api/api-types.ts";
import { call } from "../../../api/call.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { ErrorState } from "../../../parts/error-state.tsx";
import { Snippet } from "../../../parts/snippet.tsx";
import styles from "../operator.module.css";
import event from "./quarantine.module.css";
import { readableEvent } from "./readable-event.ts";
import { reasonWords } from "./reason-words.ts";

/** Asks for a reason first, because the event contains addresses. The text is not kept after the dialog closes. */
export function ReadDialog({ entry, onClose }: { entry: QuarantineEntry; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const read = useMutation({
    mutationFn: () =>
      call("POST /api/v1/operator/quarantine/{id}/read", {
        path: { id: String(entry.id) },
        body: { reason: reason.trim() },
      }),
    gcTime: 0,
  });
  if (read.isSuccess) {
    const done = (
      <Button variant="filled" onClick={onClose}>
        Done
      </Button>
    );
    return (
      <Dialog title={`Notification ${entry.id}`} opened onClose={onClose} footer={done} width={760}>
        <p className="quiet">{reasonWords[entry.reason].meaning}</p>
        <div className={event.raw}>
          <Snippet code={readableEvent(read.data.raw)} label="event" />
        </div>
      </Dialog>
    );
  }
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    read.mutate();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="read-notification" variant="filled" loading={read.isPending}>
        Read the event
      </Button>
    </>
  );
  return (
    <Dialog title={`Read notification ${entry.id}?`} opened onClose={onClose} footer={footer}>
      <div>The event contains mail addresses. Postern records that you read it, and why.</div>
      <form id="read-notification" className={styles.form} onSubmit={submit}>
        <TextInput
          label="Reason"
          description="It is in the audit of your own account: a notification that could not be applied belongs to none."
          required
          withAsterisk={false}
          maxLength={500}
          autoComplete="off"
          data-autofocus=""
          value={reason}
          onChange={(changed) => setReason(changed.currentTarget.value)}
        />
      </form>
      {read.error === null ? null : <ErrorState error={read.error} />}
    </Dialog>
  );
}
