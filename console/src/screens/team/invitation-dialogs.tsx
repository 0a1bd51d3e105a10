import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Invitation } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { InvitationResult } from "./invitation-result.tsx";
import { invitationsQuery } from "./team-queries.ts";

interface InvitationDialogProps {
  invitation: Invitation;
  onClose: () => void;
}

/** A second invitation of the same address replaces the first. */
export function RenewInvitationDialog({ invitation: { email, role }, onClose }: InvitationDialogProps) {
  const queryClient = useQueryClient();
  const renew = useMutation({
    mutationFn: () => call("POST /api/v1/invitations", { body: { email, role } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey }),
  });
  if (renew.isSuccess) return <InvitationResult invited={renew.data} onClose={onClose} />;
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="filled" loading={renew.isPending} onClick={() => renew.mutate()}>
        Make a new link
      </Button>
    </>
  );
  return (
    <Dialog title={`Invite ${email} again?`} opened onClose={onClose} footer={footer}>
      <p>The link from before stops working at once. The new one works for 7 days, with the role {role}.</p>
      {renew.error === null ? null : <ErrorState error={renew.error} />}
    </Dialog>
  );
}

export function WithdrawInvitationDialog({ invitation: { id, email }, onClose }: InvitationDialogProps) {
  const queryClient = useQueryClient();
  async function withdraw() {
    await call("DELETE /api/v1/invitations/{id}", { path: { id } });
    notifyDone(`The invitation of ${email} is withdrawn.`);
    await queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey });
  }
  return (
    <ConfirmDialog
      title={`Withdraw the invitation of ${email}?`}
      opened
      onClose={onClose}
      actionLabel="Withdraw invitation"
      onConfirm={withdraw}
      danger
    >
      Its link stops working at once. You can invite the person again.
    </ConfirmDialog>
  );
}
