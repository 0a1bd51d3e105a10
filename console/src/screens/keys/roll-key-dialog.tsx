import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKey } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDateTime } from "../../parts/format-time.ts";
import { KeySecret } from "./key-secret.tsx";
import { KeyUse } from "./key-use.tsx";
import styles from "./keys.module.css";
import { keysQuery } from "./keys-queries.ts";

const overlaps: [seconds: string, text: string][] = [
  ["86400", "for 24 hours"],
  ["3600", "for 1 hour"],
  ["604800", "for 7 days"],
  ["0", "no longer: it ends now"],
];

interface RollKeyDialogProps {
  apiKey: ApiKey;
  sends: number | undefined;
  onClose: () => void;
}

/** A new secret for the same key. The old one works for a while, so that a deployment can follow. */
export function RollKeyDialog({ apiKey, sends, onClose }: RollKeyDialogProps) {
  const [overlap, setOverlap] = useState("86400");
  const queryClient = useQueryClient();
  const roll = useMutation({
    mutationFn: () =>
      call("POST /api/v1/api-keys/{id}/roll", {
        path: { id: apiKey.id },
        body: { overlap_seconds: Number(overlap) },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  if (roll.isSuccess) {
    const end = formatDateTime(Date.parse(roll.data.previous_secrets_end_at));
    const done = (
      <Button variant="filled" onClick={onClose}>
        Done
      </Button>
    );
    return (
      <Dialog title={`New secret of ${apiKey.name}`} opened onClose={onClose} footer={done} width={620}>
        <KeySecret created={roll.data} />
        <p>{overlap === "0" ? "The secret before has ended." : `The secret before works until ${end}.`}</p>
      </Dialog>
    );
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="filled" loading={roll.isPending} onClick={() => roll.mutate()}>
        Roll key
      </Button>
    </>
  );
  return (
    <Dialog title={`Roll the key ${apiKey.name}?`} opened onClose={onClose} footer={footer}>
      <div className={styles.form}>
        <div>
          <KeyUse apiKey={apiKey} sends={sends} />
          Postern makes a new secret. Name, scopes and domain stay.
        </div>
        <NativeSelect
          label="The present secret works"
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data={overlaps.map(([value, label]) => ({ value, label }))}
        />
        {roll.error === null ? null : <ErrorState error={roll.error} />}
      </div>
    </Dialog>
  );
}
