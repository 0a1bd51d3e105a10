import { Anchor, Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { callOpen } from "../../api/call.ts";
import { session } from "../../api/session.ts";
import { EmailField, EntryForm, PasswordField } from "../../frame/entry-form.tsx";
import { EntryPage } from "../../frame/entry-page.tsx";
import { useSearchState } from "../../frame/search-state.ts";
import { useLoggedIn } from "../../frame/use-logged-in.ts";

type Step = "password" | "code" | "recovery";

/** Email address and password; then a code, if the user has two-factor authentication. Or the company's own log-in (OIDC). */
export function LogInScreen() {
  const [{ to }] = useSearchState();
  const opened = useLoggedIn(to);
  const [step, setStep] = useState<Step>("password");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [error, setError] = useState<ApiError>();
  const [isPending, setPending] = useState(false);
  const methods = useQuery({
    queryKey: ["log-in-methods"],
    queryFn: ({ signal }) => callOpen("GET /api/v1/auth/methods", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

  async function submit() {
    setPending(true);
    setError(undefined);
    try {
      const second =
        step === "code" ? { totp_code: code.trim() } : step === "recovery" ? { recovery_code: code.trim() } : {};
      session.open(await callOpen("POST /api/v1/auth/login", { body: { email, password, browser: true, ...second } }));
      await opened();
    } catch (cause) {
      const problem = cause instanceof ApiError ? cause : undefined;
      if (problem === undefined) throw cause;
      setCode("");
      if (step === "password" && problem.problemOf("totp_code") !== undefined) setStep("code");
      else setError(problem);
    } finally {
      setPending(false);
    }
  }

  return (
    <EntryPage title="Log in" error={error?.message}>
      <EntryForm
        action={step === "password" ? "Log in" : "Continue"}
        isPending={isPending}
        onSubmit={() => void submit()}
      >
        {step === "password" ? (
          <>
            <EmailField value={email} onChange={setEmail} />
            <PasswordField value={password} onChange={setPassword} />
          </>
        ) : (
          <TextInput
            key={step}
            label={step === "code" ? "Code of your authenticator app" : "Recovery code"}
            inputMode={step === "code" ? "numeric" : "text"}
            autoComplete="one-time-code"
            autoFocus
            required
            withAsterisk={false}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
      </EntryForm>
      {step === "password" ? (
        <>
          {methods.data?.oidc ? (
            <Button component="a" href={methods.data.oidc.start_path} size="sm" fullWidth>
              Log in with your company account
            </Button>
          ) : null}
          <p>
            <Anchor component={Link} to="/reset-password" size="sm">
              Forgot the password?
            </Anchor>
          </p>
        </>
      ) : (
        <p>
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => setStep(step === "code" ? "recovery" : "code")}
          >
            {step === "code" ? "Use a recovery code" : "Use the authenticator app"}
          </Anchor>
        </p>
      )}
    </EntryPage>
  );
}
