import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useId, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";

/** Opens the page of the new domain afterwards: its records are what comes next. */
export function AddDomainDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [name, setName] = useState("");
  const form = useId();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const adding = useMutation({
    mutationFn: (domain_name: string) => call("POST /api/v1/domains", { body: { domain_name } }),
    onSuccess: async ({ domain_id }) => {
      onClose();
      await navigate({ to: "/domains/$id", params: { id: String(domain_id) } });
      await queries.invalidateQueries({ queryKey: ["domains"] });
    },
  });
  const { reset } = adding;
  useEffect(() => {
    if (!opened) return;
    setName("");
    reset();
  }, [opened, reset]);

  const problem = adding.error instanceof ApiError ? adding.error.problemOf("domain_name") : undefined;
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!adding.isPending && name.trim() !== "") adding.mutate(name.trim());
  }
  return (
    <Dialog
      title="Add a domain"
      opened={opened}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="filled" loading={adding.isPending} disabled={name.trim() === ""}>
            Add domain
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <TextInput
          label="Domain"
          description="A subdomain such as mail.example.com keeps the reputation of your main domain apart."
          placeholder="mail.example.com"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem === undefined ? undefined : `The domain ${problem}.`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          inputMode="url"
          data-autofocus=""
        />
      </form>
      {adding.error !== null && problem === undefined ? <ErrorState error={adding.error} /> : null}
    </Dialog>
  );
}
