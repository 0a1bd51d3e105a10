import { Button, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./code-form.module.css";
import { Dialog } from "./dialog.tsx";
import { ErrorState } from "./error-state.tsx";

/** A code of the app has six digits; everything else is a recovery code. */
export function asCode(text: string): { totp_code: string } | { recovery_code: string } {
  const code = text.trim();
  return /^\d{6}$/.test(code) ? { totp_code: code } : { recovery_code: code };
}

export function CodeField({ code, setCode }: { code: string; setCode: (code: string) => void }) {
  return (
    <TextInput
      label="Code of the app, or a recovery code"
      autoComplete="one-time-code"
      required
      withAsterisk={false}
      value={code}
      onChange={(event) => setCode(event.currentTarget.value)}
    />
  );
}

interface CodeFormProps {
  title: string;
  action: string;
  step: { mutate: () => void; isPending: boolean; error: unknown };
  onClose: () => void;
  children: ReactNode;
}

/** A dialog for an action that needs the second factor of the person. */
export function CodeForm({ title, action, step, onClose, children }: CodeFormProps) {
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="code-form" variant="filled" loading={step.isPending}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} opened onClose={onClose} footer={footer}>
      <form
        id="code-form"
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          step.mutate();
        }}
      >
        {children}
        {step.error === null ? null : <ErrorState error={step.error} />}
      </form>
    </Dialog>
  );
}
