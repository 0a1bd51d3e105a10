import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import type { CreatedInvitation } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import type { Role } from "../../parts/role-words.ts";
import { InvitationResult } from "./invitation-result.tsx";
import { RoleField } from "./role-field.tsx";
import styles from "./team.module.css";
import { invitationsQuery } from "./team-queries.ts";

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const queryClient = useQueryClient();
  const invite = useMutation<CreatedInvitation, ApiError>({
    mutationFn: () => call("POST /api/v1/invitations", { body: { email: email.trim(), role } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey }),
  });
  if (invite.isSuccess) return <InvitationResult invited={invite.data} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="invite" variant="filled" loading={invite.isPending}>
        Invite
      </Button>
    </>
  );
  return (
    <Dialog title="Invite a member" opened onClose={onClose} footer={footer}>
      <form id="invite" className={styles.form} onSubmit={submit}>
        <TextInput
          label="Email address"
          description="The person logs in with it"
          required
          withAsterisk={false}
          data-autofocus=""
          autoComplete="off"
          error={invite.error?.problemOf("email")}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <RoleField role={role} setRole={setRole} />
        {invite.error !== null && invite.error.details.length === 0 ? <ErrorState error={invite.error} /> : null}
      </form>
    </Dialog>
  );
}
