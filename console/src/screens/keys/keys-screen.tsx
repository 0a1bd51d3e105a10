import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKey } from "../../api/api-types.ts";
import { useMay } from "../../api/use-me.ts";
import { useMode } from "../../frame/search-state.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { keysQuery, useSendsToday } from "./keys-queries.ts";
import { KeysTable } from "./keys-table.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";
import { RollKeyDialog } from "./roll-key-dialog.tsx";

type Open = { dialog: "create" } | { dialog: "roll" | "revoke"; key: ApiKey };

/** The keys of the chosen mode. A key's secret is shown once, when the key is made or rolled. */
export function KeysScreen() {
  const mode = useMode();
  const may = useMay();
  const keys = useQuery(keysQuery);
  const sendsToday = useSendsToday(mode);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);

  const rows = keys.data?.filter(({ type }) => type === mode);
  const create = may.write ? (
    <Button variant="filled" leftSection={<IconPlus size={15} />} onClick={() => setOpen({ dialog: "create" })}>
      Create key
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader
        title="API keys"
        note={mode === "test" ? "test keys" : "live keys"}
        aside={rows?.length === 0 ? undefined : create}
      />
      <Panel flush>
        {keys.error === null ? (
          <KeysTable
            rows={rows}
            sendsToday={sendsToday}
            onChoose={may.write ? (dialog, key) => setOpen({ dialog, key }) : undefined}
            empty={
              <EmptyState title={`This account has no ${mode} key`} action={create}>
                {mode === "test"
                  ? "A test key sends mail that never leaves Postern. Use it to try the API."
                  : "A live key sends real mail from your verified domains. To try the API first, switch to test."}
              </EmptyState>
            }
          />
        ) : (
          <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />
        )}
      </Panel>
      <CreateKeyDialog opened={open?.dialog === "create"} onClose={close} mode={mode} />
      {open?.dialog === "roll" ? (
        <RollKeyDialog apiKey={open.key} sends={sendsToday(open.key.id)} onClose={close} />
      ) : null}
      {open?.dialog === "revoke" ? (
        <RevokeKeyDialog apiKey={open.key} sends={sendsToday(open.key.id)} onClose={close} />
      ) : null}
    </>
  );
}
