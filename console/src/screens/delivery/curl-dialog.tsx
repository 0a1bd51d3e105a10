import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatAge } from "../../parts/format-time.ts";
import { Loading } from "../../parts/loading.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import styles from "./delivery.module.css";

type CurlDialogProps = { path: { id: string; delivery_id: string }; onClose: () => void };

/** Each opening makes a new signature, and an entry in the audit. */
export function CurlDialog({ path, onClose }: CurlDialogProps) {
  const curl = useMutation({
    mutationFn: () => call("POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/curl", { path }),
  });
  const { mutate } = curl;
  useEffect(() => mutate(), [mutate]);
  const footer = (
    <>
      <Button loading={curl.isPending} onClick={() => mutate()}>
        Sign again
      </Button>
      <Button variant="filled" onClick={onClose}>
        Done
      </Button>
    </>
  );
  return (
    <Dialog title="Repeat this request from your machine" opened onClose={onClose} footer={footer} width={680}>
      <p>
        Paste it into a shell. It sends the same body and webhook-id, with a new timestamp and signature, from your
        machine and not from Postern. Change the URL to reach a server that runs locally.
      </p>
      {curl.data !== undefined && (
        <div className={styles.command}>
          <Snippet label="curl command" code={curl.data.command} />
          <Expiry at={Date.parse(curl.data.expires_at)} />
        </div>
      )}
      {curl.isPending && curl.data === undefined ? <Loading lines={6} label="Signing the request" /> : null}
      {curl.error === null ? null : <ErrorState error={curl.error} onRetry={() => mutate()} />}
    </Dialog>
  );
}

function Expiry({ at }: { at: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className={styles.note}>
      {at <= now
        ? "The signature is too old: receivers refuse it. Sign again."
        : `Receivers refuse the signature ${formatAge(at, { now })}.`}
    </p>
  );
}
