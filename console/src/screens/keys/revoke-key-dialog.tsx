import { useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { KeyUse } from "./key-use.tsx";
import { keysQuery } from "./keys-queries.ts";

interface RevokeKeyDialogProps {
  apiKey: ApiKey;
  sends: number | undefined;
  onClose: () => void;
}

export function RevokeKeyDialog({ apiKey, sends, onClose }: RevokeKeyDialogProps) {
  const queryClient = useQueryClient();
  async function revoke() {
    await call("DELETE /api/v1/api-keys/{id}", { path: { id: apiKey.id } });
    notifyDone(`The key ${apiKey.name} is revoked.`);
    await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
  }
  return (
    <ConfirmDialog
      title={`Revoke the key ${apiKey.name}?`}
      opened
      onClose={onClose}
      actionLabel="Revoke key"
      onConfirm={revoke}
      danger
    >
      <KeyUse apiKey={apiKey} sends={sends} />
      Requests with this key get 401 from now on. This cannot be undone. To replace the secret without an interruption,
      roll the key instead.
    </ConfirmDialog>
  );
}
