import { Anchor } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { callOpen } from "../../api/call.ts";
import { EmailField, EntryForm, PasswordField } from "../../frame/entry-form.tsx";
import { EntryPage } from "../../frame/entry-page.tsx";
import { useMailedToken } from "../../frame/use-mailed-token.ts";

/** Without a token it requests the mail with the link; the link opens this page with the token behind `#`. */
export function ResetPasswordScreen() {
  const token = useMailedToken();
  return token === undefined ? <RequestLink /> : <NewPassword token={token} />;
}

function RequestLink() {
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => callOpen("POST /api/v1/auth/password-reset", { body: { email } }) });
  return (
    <EntryPage title="Reset the password" error={request.error?.message}>
      {request.isSuccess ? (
        <p role="status">{request.data.message}</p>
      ) : (
        <EntryForm action="Mail me a link" isPending={request.isPending} onSubmit={request.mutate}>
          <EmailField value={email} onChange={setEmail} />
        </EntryForm>
      )}
      <BackToLogIn />
    </EntryPage>
  );
}

function NewPassword({ token }: { token: string }) {
  const [password, setPassword] = useState("");
  const reset = useMutation({
    mutationFn: () => callOpen("POST /api/v1/auth/password-reset/confirm", { body: { token, password } }),
  });
  return (
    <EntryPage title="Choose a new password" error={reset.error?.message}>
      {reset.isSuccess ? (
        <p role="status">{reset.data.message}</p>
      ) : (
        <EntryForm action="Set the password" isPending={reset.isPending} onSubmit={reset.mutate}>
          <PasswordField
            label="New password"
            description="At least 12 characters"
            autoComplete="new-password"
            minLength={12}
            autoFocus
            value={password}
            onChange={setPassword}
          />
        </EntryForm>
      )}
      <BackToLogIn />
    </EntryPage>
  );
}

function BackToLogIn() {
  return (
    <p>
      <Anchor component={Link} to="/log-in" size="sm">
        Log in
      </Anchor>
    </p>
  );
}
