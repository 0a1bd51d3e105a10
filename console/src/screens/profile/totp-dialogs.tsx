import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { notifyDone } from "../../parts/notify.ts";
import styles from "./profile.module.css";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { totpQuery } from "./totp-panel.tsx";

/** A code of the app has six digits; everything else is a recovery code. */
function asCode(text: string): { totp_code: string } | { recovery_code: string } {
  const code = text.trim();
  return /^\d{6}$/.test(code) ? { totp_code: code } : { recovery_code: code };
}

export function RenewCodesDialog({ onClose }: { onClose: () => void }) {
  const [code, setCode] = useState("");
  const queryClient = useQueryClient();
  const renew = useMutation({
    mutationFn: () => call("POST /api/v1/auth/totp/recovery-codes", { body: asCode(code) }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: totpQuery.queryKey }),
  });
  if (renew.isSuccess) return <RecoveryCodes codes={renew.data.recovery_codes} onClose={onClose} />;
  return (
    <CodeForm title="New recovery codes" action="Make new codes" step={renew} onClose={onClose}>
      <p className={styles.text}>The codes that you have now stop to work.</p>
      <CodeField code={code} setCode={setCode} />
    </CodeForm>
  );
}

export function DisableTotpDialog({ onClose }: { onClose: () => void }) {
  const [code, setCode] = useState("");
  const [password, setPassword] = useState("");
  const queryClient = useQueryClient();
  const disable = useMutation({
    mutationFn: () => call("POST /api/v1/auth/totp/disable", { body: { password, ...asCode(code) } }),
    async onSuccess() {
      notifyDone("Two-factor authentication is off.");
      await queryClient.invalidateQueries({ queryKey: totpQuery.queryKey });
      onClose();
    },
  });
  return (
    <CodeForm title="Turn off two-factor authentication?" action="Turn off" step={disable} onClose={onClose}>
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus=""
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
      />
      <CodeField code={code} setCode={setCode} />
    </CodeForm>
  );
}

function CodeField({ code, setCode }: { code: string; setCode: (code: string) => void }) {
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

function CodeForm({ title, action, step, onClose, children }: CodeFormProps) {
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
