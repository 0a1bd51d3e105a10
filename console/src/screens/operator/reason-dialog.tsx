import { Button, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { notifyDone } from "../../parts/notify.ts";
import styles from "./operator.module.css";

export interface ReasonDialogProps {
  /** A question: "Hold the mail of Acme?" */
  title: string;
  onClose: () => void;
  /** What happens. */
  children: ReactNode;
  /** Fields above the reason. The first of them needs `data-autofocus`. */
  fields?: ReactNode;
  actionLabel: string;
  danger?: boolean;
  /** Who reads the reason. */
  readers?: string;
  /** The dialog shows a failure, and closes on success. Returns the sentence that says so. */
  onConfirm: (reason: string) => Promise<string>;
}

/** Every action of an operator asks for its reason, which the audit keeps. Enter confirms. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, onClose, children, fields, actionLabel, danger = false, onConfirm } = props;
  const { readers = "The owners of the account read it in their audit." } = props;
  const [reason, setReason] = useState("");
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const id = useId();
  async function confirm(event: FormEvent) {
    event.preventDefault();
    if (isPending) return;
    setPending(true);
    setError(undefined);
    try {
      notifyDone(await onConfirm(reason.trim()));
      onClose();
    } catch (problem) {
      setError(problem);
      setPending(false);
    }
  }
  const footer = (
    <>
      <Button onClick={onClose} disabled={isPending}>
        Cancel
      </Button>
      <Button type="submit" form={id} variant="filled" {...(danger ? { color: "bad" } : {})} loading={isPending}>
        {actionLabel}
      </Button>
    </>
  );
  return (
    <Dialog title={title} opened onClose={() => !isPending && onClose()} footer={footer}>
      <div>{children}</div>
      <form id={id} className={styles.form} onSubmit={(event) => void confirm(event)}>
        {fields}
        <TextInput
          label="Reason"
          description={readers}
          required
          withAsterisk={false}
          maxLength={500}
          autoComplete="off"
          {...(fields === undefined ? { "data-autofocus": "" } : {})}
          error={error instanceof ApiError ? error.problemOf("reason") : undefined}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </form>
      {error === undefined ? null : <ErrorState error={error} />}
    </Dialog>
  );
}
