import { Button } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import type { QuarantineEntry } from "../../../api/api-types.ts";
import { useSearchState } from "../../../frame/search-state.ts";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { formatCount } from "../../../parts/format-number.ts";
import { Panel } from "../../../parts/panel.tsx";
import { TableFooter } from "../../../parts/table-footer.tsx";
import { OperatorPage } from "../operator-page.tsx";
import { quarantineQuery, useOperatorQuery } from "../operator-queries.ts";
import { QuarantineTable } from "./quarantine-table.tsx";
import { ReadDialog } from "./read-dialog.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";

type Open = { dialog: "read" | "replay"; entry: QuarantineEntry } | { dialog: "replay-all" };

/** SES notifications that could not be applied. Their text contains addresses, so reading one asks for a reason. */
export function QuarantineScreen() {
  const [{ before }, setSearch] = useSearchState();
  const query = useOperatorQuery(quarantineQuery(before));
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { entries, next_before } = query.data ?? {};
  const isEmpty = entries?.length === 0;
  return (
    <OperatorPage
      title="Quarantine"
      note="SES notifications that could not be applied"
      query={query}
      aside={
        entries === undefined || isEmpty ? undefined : (
          <Button leftSection={<IconPlayerPlay size={15} />} onClick={() => setOpen({ dialog: "replay-all" })}>
            Replay all
          </Button>
        )
      }
    >
      <Panel flush>
        <QuarantineTable
          rows={entries}
          onChoose={(dialog, entry) => setOpen({ dialog, entry })}
          empty={
            <EmptyState title="The quarantine is empty">
              <p>Postern applied every notification of SES.</p>
            </EmptyState>
          }
          footer={
            <TableFooter
              onPrevious={before === undefined ? undefined : () => history.back()}
              onNext={next_before == null ? undefined : () => setSearch({ before: String(next_before) })}
            >
              {formatCount(entries?.length ?? 0, "notification")} on this page, newest first. Postern keeps them for 30
              days.
            </TableFooter>
          }
        />
      </Panel>
      {open?.dialog === "read" ? <ReadDialog entry={open.entry} onClose={close} /> : null}
      {open?.dialog === "replay" ? <ReplayDialog entry={open.entry} onClose={close} /> : null}
      {open?.dialog === "replay-all" ? <ReplayDialog onClose={close} /> : null}
    </OperatorPage>
  );
}
