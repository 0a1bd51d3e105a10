import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useMe } from "../../api/use-me.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { asCode, CodeField, CodeForm } from "../../parts/code-form.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { Notice } from "../../parts/notice.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { Panel } from "../../parts/panel.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { accountQuery } from "../../parts/usage-query.ts";
import { useHref } from "../../parts/use-href.ts";
import { WhoChangedLink } from "../../parts/who-changed-link.tsx";
import styles from "./team.module.css";

/** Whether all members need two-factor authentication. */
export function TotpRequiredPanel() {
  const { log_in, tenant_id } = useMe();
  const href = useHref();
  const account = useQuery(accountQuery("live"));
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const isRequired = account.data?.totp_required;
  // The next request of an owner without it would be refused.
  const hasOwn = log_in.totp || !log_in.password;
  return (
    <Panel heading="Two-factor authentication" aside={<WhoChangedLink kind="account" id={tenant_id} />}>
      {isRequired === undefined ? (
        account.error === null ? (
          <Loading lines={2} />
        ) : (
          <ErrorState error={account.error} onRetry={() => void account.refetch()} />
        )
      ) : (
        <div className={styles.form}>
          <p className={styles.text}>
            {isRequired ? (
              <>
                <StatusWord status="found" word="Required." /> A member without it can log in, and then only set it up.
                API keys keep working.
              </>
            ) : (
              <>
                <StatusWord status="unknown" word="Not required." /> Each member decides. Once you require it, members
                who have none can only set it up, from their next request on. API keys keep working.
              </>
            )}{" "}
            Members who log in with a company account use the second factor of the company.
          </p>
          {!isRequired && !hasOwn ? (
            <Notice title="Set up your own first" action={<AppLink href={href("/profile")}>Open profile</AppLink>}>
              You have no two-factor authentication. If you required it now, you could not use this page either.
            </Notice>
          ) : (
            <div>
              <Button onClick={() => setOpen(true)}>{isRequired ? "Stop requiring it…" : "Require it…"}</Button>
            </div>
          )}
        </div>
      )}
      {isOpen && isRequired === false ? <RequireDialog onClose={close} /> : null}
      {isOpen && isRequired === true ? <StopDialog needsCode={log_in.totp} onClose={close} /> : null}
    </Panel>
  );
}

function useSetRequired() {
  const queryClient = useQueryClient();
  return async (body: { totp_required: boolean; totp_code?: string; recovery_code?: string }) => {
    await call("PATCH /api/v1/account", { body });
    notifyDone(
      body.totp_required ? "All members need two-factor authentication." : "Two-factor authentication is optional.",
    );
    await queryClient.invalidateQueries({ queryKey: ["account"] });
  };
}

function RequireDialog({ onClose }: { onClose: () => void }) {
  const setRequired = useSetRequired();
  return (
    <ConfirmDialog
      title="Require two-factor authentication?"
      opened
      onClose={onClose}
      actionLabel="Require it"
      onConfirm={() => setRequired({ totp_required: true })}
    >
      Members who have none can only set it up, from their next request on: they see no mail and change nothing until
      then. Tell them before. API keys keep working.
    </ConfirmDialog>
  );
}

function StopDialog({ needsCode, onClose }: { needsCode: boolean; onClose: () => void }) {
  const [code, setCode] = useState("");
  const setRequired = useSetRequired();
  const stop = useMutation({
    mutationFn: () => setRequired({ totp_required: false, ...(needsCode && asCode(code)) }),
    onSuccess: onClose,
  });
  return (
    <CodeForm
      title="Stop requiring two-factor authentication?"
      action="Stop requiring it"
      step={stop}
      onClose={onClose}
    >
      <p className={styles.text}>Members can turn theirs off, and new members need none.</p>
      {needsCode ? (
        <CodeField code={code} setCode={setCode} />
      ) : (
        <p className={styles.text}>
          This needs a log-in of the last 10 minutes. If yours is older, log in again first.
        </p>
      )}
    </CodeForm>
  );
}
