import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { type SearchValues, useSearchState } from "../../frame/search-state.ts";
import { deliveryStates } from "../../parts/delivery-words.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatCount } from "../../parts/format-number.ts";
import { Panel } from "../../parts/panel.tsx";
import { NewRows, TableFooter } from "../../parts/table-footer.tsx";
import { typeNames } from "../../parts/webhook-types.ts";
import { DeliveriesTable } from "./deliveries-table.tsx";
import { type DeliveryFilters, describeFilters, hasFilter, ranges, readFilters, toQuery } from "./delivery-filters.ts";
import { useShownDeliveries } from "./use-shown-deliveries.ts";
import styles from "./webhook.module.css";

const noFilters = {
  state: undefined,
  type: undefined,
  range: undefined,
  since: undefined,
  until: undefined,
  send: undefined,
};

/** What was sent to the webhook, newest first. The filters are in the address of the page. */
export function DeliveriesPanel({ webhookId }: { webhookId: string }) {
  const [search, change] = useSearchState();
  const filters = readFilters(search);
  const { before } = search;
  // The cursors of the pages before this one; the API pages forward only.
  const [earlier, setEarlier] = useState<(string | undefined)[]>([]);
  const list = useShownDeliveries(webhookId, { filterKey: filters, toQuery: () => toQuery(filters), before });
  const { rows, nextBefore } = list;
  const setFilter = (changes: SearchValues) => {
    setEarlier([]);
    change(changes);
  };
  const onPrevious =
    before === undefined
      ? undefined
      : () => {
          change({ before: earlier.at(-1) });
          setEarlier(earlier.slice(0, -1));
        };
  const onNext =
    nextBefore === undefined
      ? undefined
      : () => {
          setEarlier([...earlier, before]);
          change({ before: nextBefore });
        };
  return (
    <Panel heading="Deliveries" aside={<Filters filters={filters} onChange={setFilter} />} flush>
      {list.error === null ? (
        <div className={styles.rows} data-old={list.isOld || undefined}>
          <DeliveriesTable
            webhookId={webhookId}
            rows={rows}
            banner={<NewRows count={list.newCount} isAtLeast={list.isAtLeast} onShow={list.showNew} />}
            empty={<Nothing filters={filters} onClear={() => setFilter(noFilters)} />}
            footer={
              rows === undefined ? undefined : (
                <TableFooter keys {...(onPrevious === undefined && onNext === undefined ? {} : { onPrevious, onNext })}>
                  {formatCount(
                    rows.length,
                    before === undefined ? "delivery" : "older delivery",
                    before === undefined ? "deliveries" : "older deliveries",
                  )}
                  {nextBefore === undefined ? "" : ", more on the next page"}
                </TableFooter>
              )
            }
          />
        </div>
      ) : (
        <ErrorState error={list.error} onRetry={list.retry} />
      )}
    </Panel>
  );
}

interface FiltersProps {
  filters: DeliveryFilters;
  onChange: (changes: SearchValues) => void;
}

function Filters({ filters, onChange }: FiltersProps) {
  const hasTimes = filters.since !== undefined || filters.until !== undefined;
  return (
    <div className={styles.filters}>
      <NativeSelect
        aria-label="State"
        size="xs"
        value={filters.state ?? ""}
        onChange={(event) => onChange({ state: event.currentTarget.value || undefined })}
        data={[
          { value: "", label: "All states" },
          ...Object.entries(deliveryStates).map(([value, label]) => ({ value, label })),
        ]}
      />
      <NativeSelect
        aria-label="Type"
        size="xs"
        value={filters.type ?? ""}
        onChange={(event) => onChange({ type: event.currentTarget.value || undefined })}
        data={[{ value: "", label: "All types" }, ...typeNames.map((type) => ({ value: type, label: type }))]}
      />
      <NativeSelect
        aria-label="Time"
        size="xs"
        value={hasTimes ? "chosen" : (filters.range ?? "")}
        onChange={(event) =>
          onChange({ range: event.currentTarget.value || undefined, since: undefined, until: undefined })
        }
        data={[
          { value: "", label: "Any time" },
          ...Object.entries(ranges).map(([value, label]) => ({ value, label })),
          ...(hasTimes ? [{ value: "chosen", label: "Chosen times" }] : []),
        ]}
      />
    </div>
  );
}

function Nothing({ filters, onClear }: { filters: DeliveryFilters; onClear: () => void }) {
  if (!hasFilter(filters)) {
    return (
      <EmptyState title="Nothing was sent to this webhook in the last 30 days">
        <p>
          Postern sends a notification when something of its types happens. A test shows whether the endpoint works.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={describeFilters(filters)} action={<Button onClick={onClear}>Show all deliveries</Button>}>
      <p>Deliveries are kept for 30 days.</p>
    </EmptyState>
  );
}
