import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { type Answer, call } from "../../api/call.ts";
import type { Mode } from "../../frame/search-state.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { notifyDone } from "../../parts/notify.ts";
import classes from "./suppressions.module.css";

type AddSuppressionDialogProps = { opened: boolean; onClose: () => void; mode: Mode };

export function AddSuppressionDialog({ opened, onClose, mode }: AddSuppressionDialogProps) {
  const [email, setEmail] = useState("");
  const [note, setNote] = useState("");
  const client = useQueryClient();
  const add = useMutation<Answer<"POST /api/v1/suppression">, ApiError>({
    mutationFn: () =>
      call("POST /api/v1/suppression", {
        query: { mode },
        body: { email: email.trim(), ...(note.trim() === "" ? {} : { note: note.trim() }) },
      }),
    onSuccess: async ({ data }) => {
      notifyDone(`${data.email} gets no more ${mode === "test" ? "test mail" : "mail"}.`);
      onClose();
      await client.invalidateQueries({ queryKey: ["suppressions"] });
    },
  });
  const { reset } = add;
  useEffect(() => {
    if (!opened) return;
    setEmail("");
    setNote("");
    reset();
  }, [opened, reset]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="add-suppression" variant="filled" loading={add.isPending}>
        Add address
      </Button>
    </>
  );
  return (
    <Dialog title="Add an address" opened={opened} onClose={onClose} footer={footer}>
      <form id="add-suppression" className={classes.form} onSubmit={submit}>
        <p>
          Postern sends no more {mode === "test" ? "test mail" : "mail"} to the address, and none that waits in the
          queue.
        </p>
        <TextInput
          label="Address"
          required
          withAsterisk={false}
          data-autofocus=""
          autoComplete="off"
          spellCheck={false}
          error={add.error?.problemOf("email")}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextInput
          label="Note"
          description="Why, for your colleagues"
          maxLength={500}
          error={add.error?.problemOf("note")}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {add.error !== null && add.error.details.length === 0 ? <ErrorState error={add.error} /> : null}
      </form>
    </Dialog>
  );
}
