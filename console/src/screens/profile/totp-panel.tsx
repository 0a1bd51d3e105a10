import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { Time } from "../../parts/time.tsx";
import { EnrolTotpDialog } from "./enrol-totp-dialog.tsx";
import styles from "./profile.module.css";
import { DisableTotpDialog, RenewCodesDialog } from "./totp-dialogs.tsx";

export const totpQuery = {
  queryKey: ["totp"],
  queryFn: ({ signal }: { signal: AbortSignal }) => call("GET /api/v1/auth/totp", { signal }),
};

export function TotpPanel() {
  const totp = useQuery(totpQuery);
  const [open, setOpen] = useState<"enrol" | "renew" | "disable">();
  const close = () => setOpen(undefined);
  return (
    <Panel heading="Two-factor authentication">
      {totp.data === undefined ? (
        totp.error === null ? (
          <Loading lines={2} />
        ) : (
          <ErrorState error={totp.error} onRetry={() => void totp.refetch()} />
        )
      ) : totp.data.enabled ? (
        <>
          <p className={styles.line}>
            <StatusWord status="found" word="On" /> since <Time at={totp.data.enabled_at} />,{" "}
            {totp.data.recovery_codes_left} recovery codes left
          </p>
          {totp.data.recovery_codes_left < 3 ? (
            <Notice kind="warn">Make new recovery codes before the last one is used.</Notice>
          ) : null}
          <div className={styles.buttons}>
            <Button onClick={() => setOpen("renew")}>New recovery codes</Button>
            <Button onClick={() => setOpen("disable")}>Turn off</Button>
          </div>
        </>
      ) : (
        <>
          {totp.data.required ? (
            <Notice kind="warn" title="This account requires it">
              You can use the account once it is on.
            </Notice>
          ) : null}
          <p className={styles.line}>
            <StatusWord status="unknown" word="Off" /> A code of an authenticator app at each log-in protects you when
            somebody learns the password.
          </p>
          <div className={styles.buttons}>
            <Button onClick={() => setOpen("enrol")}>Set up</Button>
          </div>
        </>
      )}
      {open === "enrol" ? <EnrolTotpDialog onClose={close} /> : null}
      {open === "renew" ? <RenewCodesDialog onClose={close} /> : null}
      {open === "disable" ? <DisableTotpDialog onClose={close} /> : null}
    </Panel>
  );
}
