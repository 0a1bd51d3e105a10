import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Member } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { meQuery } from "../../api/use-me.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { RoleField } from "./role-field.tsx";
import styles from "./team.module.css";
import { membersQuery } from "./team-queries.ts";

interface ChangeRoleDialogProps {
  member: Member;
  isSelf: boolean;
  onClose: () => void;
}

export function ChangeRoleDialog({ member, isSelf, onClose }: ChangeRoleDialogProps) {
  const [role, setRole] = useState(member.role);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  async function change() {
    if (role !== member.role) {
      await call("PATCH /api/v1/members/{id}", { path: { id: member.user_id }, body: { role } });
      notifyDone(`${member.email} is ${role === "owner" ? "an owner" : `a ${role}`} now.`);
    }
    if (isSelf && role !== "owner") {
      await navigate({ to: "/" });
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
    } else await queryClient.invalidateQueries({ queryKey: membersQuery.queryKey });
  }
  return (
    <ConfirmDialog
      title={isSelf ? "Change your own role?" : `Change the role of ${member.email}?`}
      opened
      onClose={onClose}
      actionLabel="Change role"
      onConfirm={change}
    >
      <div className={styles.form}>
        <RoleField role={role} setRole={setRole} />
        {isSelf && role !== "owner" ? (
          <Notice kind="warn" title="You will no longer manage this account">
            Only another owner can give you the role back.
          </Notice>
        ) : (
          <p className={styles.text}>It applies from the next request of the member on.</p>
        )}
      </div>
    </ConfirmDialog>
  );
}
