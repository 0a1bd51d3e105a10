import { Anchor, Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call, callOpen } from "../../api/call.ts";
import { session } from "../../api/session.ts";
import { meQuery } from "../../api/use-me.ts";
import { EntryForm, PasswordField } from "../../frame/entry-form.tsx";
import { EntryPage } from "../../frame/entry-page.tsx";
import { useMailedToken } from "../../frame/use-mailed-token.ts";

/** The link of an invitation opens this page. A person who is logged in joins with one button; others give a password. */
export function InvitationScreen() {
  const token = useMailedToken();
  const signedIn = useQuery({ queryKey: ["is-logged-in"], queryFn: async () => (await session.token()) !== undefined });
  if (token === undefined) {
    return (
      <EntryPage title="Invitation" error="This address has no invitation. Open the link of the mail again.">
        {null}
      </EntryPage>
    );
  }
  if (signedIn.data === undefined) return <EntryPage title="Invitation">{null}</EntryPage>;
  return signedIn.data ? <JoinAsUser token={token} /> : <AcceptWithPassword token={token} />;
}

function JoinAsUser({ token }: { token: string }) {
  const me = useQuery(meQuery);
  const [usesPassword, setUsesPassword] = useState(false);
  const join = useMutation({
    async mutationFn() {
      const { tenant_id } = await call("POST /api/v1/auth/invitations/join", { body: { token } });
      session.open(await call("POST /api/v1/auth/switch", { body: { tenant_id, browser: true } }), "switched");
      location.assign("/");
    },
  });
  if (usesPassword) return <AcceptWithPassword token={token} />;
  return (
    <EntryPage title="Join the account" error={join.error?.message}>
      <p>You are logged in as {me.data?.email ?? "…"}.</p>
      <p>
        <Button variant="filled" size="sm" fullWidth loading={join.isPending} onClick={() => join.mutate()}>
          Join as this user
        </Button>
      </p>
      <p>
        <Anchor component="button" type="button" size="sm" onClick={() => setUsesPassword(true)}>
          Use another user
        </Anchor>
      </p>
    </EntryPage>
  );
}

function AcceptWithPassword({ token }: { token: string }) {
  const [password, setPassword] = useState("");
  const accept = useMutation({
    mutationFn: () => callOpen("POST /api/v1/auth/invitations/accept", { body: { token, password } }),
  });
  if (accept.isSuccess) {
    return (
      <EntryPage title={`Welcome to ${accept.data.name}`}>
        <p role="status">{accept.data.message}</p>
        <p>
          <Button component={Link} to="/log-in" variant="filled" size="sm" fullWidth>
            Log in as {accept.data.email}
          </Button>
        </p>
      </EntryPage>
    );
  }
  return (
    <EntryPage title="Accept the invitation" error={accept.error?.message}>
      <EntryForm action="Accept" isPending={accept.isPending} onSubmit={accept.mutate}>
        <PasswordField
          description="Your password, if you have a user here already. Otherwise choose one of at least 12 characters."
          autoFocus
          value={password}
          onChange={setPassword}
        />
      </EntryForm>
    </EntryPage>
  );
}
