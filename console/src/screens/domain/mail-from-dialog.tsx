import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import type { Domain } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { notifyDone } from "../../parts/notify.ts";

type MailFromDialogProps = { domain: Domain; opened: boolean; onClose: () => void };

/** Sets, changes or removes the custom MAIL FROM domain. */
export function MailFromDialog({ domain, opened, onClose }: MailFromDialogProps) {
  const { domain_id: id, domain_name: name, mail_from: current } = domain;
  const currentSubdomain = current?.domain.slice(0, -(name.length + 1));
  const [subdomain, setSubdomain] = useState("");
  const form = useId();
  const queries = useQueryClient();
  const setting = useMutation({
    mutationFn: (wanted: string | null) =>
      call("POST /api/v1/domains/{id}/mail-from", { path: { id }, body: { subdomain: wanted } }),
    onSuccess: (changed, wanted) => {
      queries.setQueryData(["domains", String(id)], changed);
      notifyDone(
        wanted === null
          ? "Mail uses the return path of SES again."
          : "The return path is set. Publish its two records, which are listed under Advice.",
      );
      onClose();
    },
  });
  const { reset } = setting;
  useEffect(() => {
    if (!opened) return;
    setSubdomain(currentSubdomain ?? "bounce");
    reset();
  }, [opened, currentSubdomain, reset]);

  const problem = setting.error instanceof ApiError ? setting.error.problemOf("subdomain") : undefined;
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!setting.isPending && subdomain.trim() !== "") setting.mutate(subdomain.trim());
  }
  return (
    <Dialog
      title={current === null ? "Set up a return path" : "Change the return path"}
      opened={opened}
      onClose={onClose}
      footer={
        <>
          {current === null ? (
            <Button onClick={onClose}>Cancel</Button>
          ) : (
            <Button disabled={setting.isPending} onClick={() => setting.mutate(null)}>
              Use the one of SES
            </Button>
          )}
          <Button
            type="submit"
            form={form}
            variant="filled"
            loading={setting.isPending}
            disabled={subdomain.trim() === ""}
          >
            Set return path
          </Button>
        </>
      }
    >
      <p>
        Bounces go to the return path (MAIL FROM). As a subdomain of {name} it makes SPF pass for your domain. You
        publish an MX and a TXT record; until SES finds the MX record, mail goes out as before.
      </p>
      <form id={form} onSubmit={submit}>
        <TextInput
          label="Subdomain"
          description={`The return path is ${subdomain.trim() === "" ? "…" : subdomain.trim()}.${name}`}
          value={subdomain}
          onChange={(event) => setSubdomain(event.currentTarget.value)}
          error={problem === undefined ? undefined : `The subdomain ${problem}.`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus=""
        />
      </form>
      {setting.error !== null && problem === undefined ? <ErrorState error={setting.error} /> : null}
    </Dialog>
  );
}
