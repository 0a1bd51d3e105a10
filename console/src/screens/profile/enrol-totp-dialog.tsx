import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { meQuery } from "../../api/use-me.ts";
import { CopyText } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import styles from "./profile.module.css";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { totpQuery } from "./totp-panel.tsx";

/** Three steps: the password, the secret for the app with a first code, the recovery codes. */
export function EnrolTotpDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const queryClient = useQueryClient();
  const enrol = useMutation({ mutationFn: () => call("POST /api/v1/auth/totp", { body: { password } }) });
  const confirm = useMutation({
    mutationFn: () => call("POST /api/v1/auth/totp/confirm", { body: { totp_code: code.trim() } }),
    // Other pages read from the person whether it is on.
    onSuccess: () =>
      Promise.all([totpQuery, meQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey }))),
  });

  if (confirm.isSuccess) return <RecoveryCodes codes={confirm.data.recovery_codes} onClose={onClose} />;
  const step = enrol.isSuccess ? confirm : enrol;
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="enrol-totp" variant="filled" loading={step.isPending}>
        {enrol.isSuccess ? "Turn on" : "Continue"}
      </Button>
    </>
  );
  return (
    <Dialog title="Set up two-factor authentication" opened onClose={onClose} footer={footer}>
      <form
        id="enrol-totp"
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          step.mutate();
        }}
      >
        {enrol.isSuccess ? (
          <>
            <p className={styles.text}>
              Scan this with an authenticator app, or type the key. Then enter the code that the app shows.
            </p>
            <QrCode text={enrol.data.otpauth_uri} />
            <CopyText value={enrol.data.secret} label="key" mono always />
            <TextInput
              key="code"
              label="Code"
              inputMode="numeric"
              autoComplete="one-time-code"
              required
              withAsterisk={false}
              autoFocus
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
          </>
        ) : (
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
        )}
        {step.error === null ? null : <ErrorState error={step.error} />}
      </form>
    </Dialog>
  );
}

/** Drawn in this page: the secret goes to no other server. */
function QrCode({ text }: { text: string }) {
  const { data } = useQuery({
    queryKey: ["qr-code", text],
    async queryFn() {
      const { create } = await import("qrcode");
      const { modules } = create(text, { errorCorrectionLevel: "M" });
      return { size: modules.size, bits: [...modules.data] };
    },
    gcTime: 0,
  });
  if (data === undefined) return <div className={styles.code} />;
  const path = data.bits
    .map((bit, i) => (bit ? `M${i % data.size} ${Math.floor(i / data.size)}h1v1h-1z` : ""))
    .join("");
  return (
    <svg
      className={styles.code}
      viewBox={`-2 -2 ${data.size + 4} ${data.size + 4}`}
      role="img"
      aria-label="QR code of the key"
    >
      <path d={path} />
    </svg>
  );
}
