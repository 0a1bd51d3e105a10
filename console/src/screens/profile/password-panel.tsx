import { Button, PasswordInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { Panel } from "../../parts/panel.tsx";
import styles from "./profile.module.css";

/** A new password ends all other sessions: a person who changes it may fear that somebody knows it. */
export function PasswordPanel() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const queryClient = useQueryClient();
  const change = useMutation<unknown, ApiError>({
    mutationFn: () => call("POST /api/v1/auth/password", { body: { current_password: current, new_password: next } }),
    async onSuccess() {
      setCurrent("");
      setNext("");
      notifyDone("The password is changed. All other sessions have ended.");
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    change.mutate();
  }
  return (
    <Panel heading="Password">
      <form className={styles.form} onSubmit={submit}>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          error={change.error?.problemOf("current_password")}
          visibilityToggleButtonProps={{ "aria-label": "Show the current password" }}
        />
        <PasswordInput
          label="New password"
          description="At least 12 characters"
          autoComplete="new-password"
          minLength={12}
          required
          withAsterisk={false}
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
          error={change.error?.problemOf("new_password")}
          visibilityToggleButtonProps={{ "aria-label": "Show the new password" }}
        />
        {change.error !== null && change.error.details.length === 0 ? <ErrorState error={change.error} /> : null}
        <div>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </Panel>
  );
}
