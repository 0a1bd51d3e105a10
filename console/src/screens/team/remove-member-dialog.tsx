import { useQueryClient } from "@tanstack/react-query";
import type { Member } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { session } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { invitationsQuery, membersQuery } from "./team-queries.ts";

interface RemoveMemberDialogProps {
  member: Member;
  isSelf: boolean;
  onClose: () => void;
}

export function RemoveMemberDialog({ member, isSelf, onClose }: RemoveMemberDialogProps) {
  const queryClient = useQueryClient();
  async function remove() {
    await call("DELETE /api/v1/members/{id}", { path: { id: member.user_id } });
    if (isSelf) return session.logOut();
    notifyDone(`${member.email} is removed.`);
    await Promise.all(
      [membersQuery, invitationsQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })),
    );
  }
  return (
    <ConfirmDialog
      title={isSelf ? "Leave the account?" : `Remove ${member.email}?`}
      opened
      onClose={onClose}
      actionLabel={isSelf ? "Leave the account" : "Remove member"}
      onConfirm={remove}
      danger
    >
      {isSelf
        ? "You are logged out at once, and only another owner can invite you again. Invitations that you made end. "
        : "The member is logged out of this account at once. Invitations that the member made end. "}
      API keys keep working: revoke those that only {isSelf ? "you know" : "this person knows"}.
    </ConfirmDialog>
  );
}
