import { Anchor, Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { callOpen } from "../../api/call.ts";
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
        <form
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate();
          }}
        >
          <TextInput
            label="Email address"
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" variant="filled" size="sm" loading={request.isPending} fullWidth>
            Mail me a link
          </Button>
        </form>
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
        <form
          onSubmit={(event) => {
            event.preventDefault();
            reset.mutate();
          }}
        >
          <PasswordInput
            label="New password"
            description="At least 12 characters"
            autoComplete="new-password"
            minLength={12}
            autoFocus
            required
            withAsterisk={false}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
          />
          <Button type="submit" variant="filled" size="sm" loading={reset.isPending} fullWidth>
            Set the password
          </Button>
        </form>
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
