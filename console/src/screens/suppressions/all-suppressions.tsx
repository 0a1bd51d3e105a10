import { useState } from "react";
import type { Suppression } from "../../api/api-types.ts";
import { useMay } from "../../api/use-me.ts";
import { type Mode, useSearchState } from "../../frame/search-state.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatCount } from "../../parts/format-number.ts";
import { LiftSuppressionDialog } from "../../parts/lift-suppression-dialog.tsx";
import { Panel } from "../../parts/panel.tsx";
import { TableFooter } from "../../parts/table-footer.tsx";
import { RemovalNotice } from "./removal-notice.tsx";
import { type Reason, reasonWords, useSuppressions } from "./suppression-queries.ts";
import { SuppressionTable } from "./suppression-table.tsx";

export function AllSuppressions({ mode, reason }: { mode: Mode; reason: Reason | undefined }) {
  const [{ before }, change] = useSearchState();
  // The cursors of the pages before this one; the API pages forward only.
  const [earlier, setEarlier] = useState<(string | undefined)[]>([]);
  const [lifting, setLifting] = useState<Suppression>();
  const [lifted, setLifted] = useState<string>();
  const may = useMay();
  const list = useSuppressions({ mode, reason, before });
  const rows = list.data?.data;
  const next = list.data === undefined ? undefined : nextBefore(list.data);
  const onPrevious =
    before === undefined
      ? undefined
      : () => {
          change({ before: earlier.at(-1) });
          setEarlier(earlier.slice(0, -1));
        };
  const onNext =
    next === undefined
      ? undefined
      : () => {
          setEarlier([...earlier, before]);
          change({ before: next });
        };
  return (
    <>
      {lifted === undefined ? null : (
        <RemovalNotice email={lifted} mode={mode} onDismiss={() => setLifted(undefined)} />
      )}
      <Panel flush>
        {list.error === null ? null : <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
        {list.error !== null && rows === undefined ? null : (
          <SuppressionTable
            rows={rows}
            onLift={may.write ? setLifting : undefined}
            empty={
              <EmptyState title={emptyTitle(mode, reason)}>
                <p>
                  When mail bounces because a mailbox does not exist, or a recipient reports it as spam, Postern adds
                  the address here and sends nothing more to it. You can also add an address, or import the list of
                  another service.
                </p>
              </EmptyState>
            }
            footer={
              rows === undefined ? undefined : (
                <TableFooter keys {...(next === undefined && before === undefined ? {} : { onPrevious, onNext })}>
                  {countOf(list.data, rows.length, before === undefined)}
                </TableFooter>
              )
            }
          />
        )}
      </Panel>
      <LiftSuppressionDialog
        suppression={lifting}
        onClose={() => setLifting(undefined)}
        onLifted={() => setLifted(lifting?.email)}
      />
    </>
  );
}

function emptyTitle(mode: Mode, reason: Reason | undefined): string {
  const inMode = mode === "test" ? " in test mode" : "";
  if (reason === undefined) return `No address is suppressed${inMode}`;
  return `No address has the reason ${reasonWords[reason].toLowerCase()}${inMode}`;
}

type List = NonNullable<ReturnType<typeof useSuppressions>["data"]>;

function nextBefore({ data, pagination }: List): string | undefined {
  if ("next_before" in pagination) return pagination.next_before ?? undefined;
  return "total" in pagination && pagination.total > data.length ? data.at(-1)?.id : undefined;
}

/** Only the first page of the whole list knows the total. */
function countOf(list: List | undefined, shown: number, isFirst: boolean): string {
  if (list !== undefined && "total" in list.pagination) {
    const { total } = list.pagination;
    return total > shown
      ? `Newest ${shown} of ${formatCount(total, "address", "addresses")}`
      : formatCount(total, "address", "addresses");
  }
  if (isFirst) return formatCount(shown, "address", "addresses");
  return formatCount(shown, "older address", "older addresses");
}
