import { Button, TextInput } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import styles from "./dialog.module.css";
import { Dialog } from "./dialog.tsx";
import { ErrorState } from "./error-state.tsx";

export type ConfirmDialogProps = {
  /** A question: "Revoke the key web shop?" */
  title: string;
  opened: boolean;
  onClose: () => void;
  /** What happens, and what cannot be undone. */
  children: ReactNode;
  /** The verb of the title: "Revoke key". */
  actionLabel: string;
  /** The dialog stays open until it settles, shows a failure, and closes on success. */
  onConfirm: () => Promise<unknown>;
  /** Has to be typed first. */
  confirmWord?: string;
  /** Destroys something: the button is crimson. */
  danger?: boolean;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, opened, onClose, children, actionLabel, onConfirm, confirmWord, danger = false } = props;
  const [typed, setTyped] = useState("");
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!opened) return;
    setTyped("");
    setError(undefined);
  }, [opened]);
  const isReady = confirmWord === undefined || typed.trim() === confirmWord;
  async function confirm() {
    if (!isReady || isPending) return;
    setPending(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (problem) {
      setError(problem ?? "The action failed.");
    } finally {
      setPending(false);
    }
  }
  const footer = (
    <>
      <Button onClick={onClose} disabled={isPending}>
        Cancel
      </Button>
      <Button
        variant="filled"
        {...(danger ? { color: "bad" } : {})}
        loading={isPending}
        disabled={!isReady}
        onClick={() => void confirm()}
      >
        {actionLabel}
      </Button>
    </>
  );
  return (
    <Dialog title={title} opened={opened} onClose={() => !isPending && onClose()} footer={footer} width={440}>
      <div>{children}</div>
      {confirmWord !== undefined && (
        <TextInput
          label={`Type ${confirmWord} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && void confirm()}
          autoComplete="off"
          spellCheck={false}
          data-autofocus=""
        />
      )}
      {error !== undefined && (
        <div className={styles.error}>
          <ErrorState error={error} />
        </div>
      )}
    </Dialog>
  );
}
