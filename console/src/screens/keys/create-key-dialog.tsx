import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import type { CreateApiKeyBody } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import type { Mode } from "../../frame/search-state.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { KeySecret } from "./key-secret.tsx";
import styles from "./keys.module.css";
import { domainsQuery, keysQuery } from "./keys-queries.ts";

type Scope = NonNullable<CreateApiKeyBody["scopes"]>[number];
const scopeTexts: Partial<Record<Scope, string>> = {
  send: "Send mail, and read its status by id",
  read: "Read sends, events, suppressions, domains and usage",
  suppressions: "Add and remove suppressions",
  domains: "Register, verify and remove domains",
};
const lifetimes: [days: string, text: string][] = [
  ["", "never"],
  ["30", "after 30 days"],
  ["90", "after 90 days"],
  ["365", "after a year"],
];

export function CreateKeyDialog({ opened, onClose, mode }: { opened: boolean; onClose: () => void; mode: Mode }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["send"]);
  const [domain, setDomain] = useState("");
  const [days, setDays] = useState("");
  const queryClient = useQueryClient();
  const domains = useQuery({ ...domainsQuery, enabled: opened });
  const create = useMutation<Awaited<ReturnType<typeof createKey>>, ApiError>({
    mutationFn: () => createKey({ name, type: mode, scopes, domain, days }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const { reset } = create;
  useEffect(() => {
    if (!opened) return;
    setName("");
    setScopes(["send"]);
    setDomain("");
    setDays("");
    reset();
  }, [opened, reset]);

  if (create.isSuccess) {
    const done = (
      <Button variant="filled" onClick={onClose}>
        Done
      </Button>
    );
    return (
      <Dialog title={`Key ${create.data.name}`} opened={opened} onClose={onClose} footer={done} width={620}>
        <KeySecret created={create.data} />
      </Dialog>
    );
  }

  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="create-key" variant="filled" loading={create.isPending}>
        Create key
      </Button>
    </>
  );
  return (
    <Dialog title={`Create a ${mode} key`} opened={opened} onClose={onClose} footer={footer}>
      <form id="create-key" className={styles.form} onSubmit={submit}>
        <TextInput
          label="Name"
          description="What uses it, such as web shop"
          required
          withAsterisk={false}
          maxLength={200}
          data-autofocus=""
          error={create.error?.problemOf("name")}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox.Group
          label="The key may"
          value={domain === "" ? scopes : ["send"]}
          onChange={setScopes}
          error={create.error?.problemOf("scopes")}
        >
          <div className={styles.checks}>
            {Object.entries(scopeTexts).map(([scope, text]) => (
              <Checkbox key={scope} value={scope} label={text} disabled={domain !== ""} />
            ))}
          </div>
        </Checkbox.Group>
        <NativeSelect
          label="Sends from"
          description={domain === "" ? undefined : "Such a key only sends, and sees only the sends of its domain."}
          value={domain}
          onChange={(event) => setDomain(event.currentTarget.value)}
          error={create.error?.problemOf("domain")}
          data={[
            { value: "", label: "all domains of the account" },
            ...(domains.data ?? []).map(({ domain_name }) => ({ value: domain_name, label: `${domain_name} only` })),
          ]}
        />
        <NativeSelect
          label="Expires"
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={lifetimes.map(([value, label]) => ({ value, label }))}
        />
        {create.error !== null && create.error.details.length === 0 ? <ErrorState error={create.error} /> : null}
      </form>
    </Dialog>
  );
}

interface Wanted {
  name: string;
  type: Mode;
  scopes: Scope[];
  domain: string;
  days: string;
}

function createKey({ name, type, scopes, domain, days }: Wanted) {
  const expires = days === "" ? {} : { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() };
  const rights = domain === "" ? { scopes } : { domain };
  return call("POST /api/v1/api-keys", { body: { name, type, ...rights, ...expires } });
}
