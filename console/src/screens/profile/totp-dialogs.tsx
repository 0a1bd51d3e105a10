import { PasswordInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { meQuery } from "../../api/use-me.ts";
import { asCode, CodeField, CodeForm } from "../../parts/code-form.tsx";
import { notifyDone } from "../../parts/notify.ts";
import styles from "./profile.module.css";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { totpQuery } from "./totp-panel.tsx";

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
      await Promise.all([totpQuery, meQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));
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
