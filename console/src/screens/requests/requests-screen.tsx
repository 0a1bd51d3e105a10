import { Button } from "@mantine/core";
import { useState } from "react";
import { useMay } from "../../api/use-me.ts";
import { type SearchValues, stringifySearch, useMode, useSearchState } from "../../frame/search-state.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatCount } from "../../parts/format-number.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { TableFooter } from "../../parts/table-footer.tsx";
import { hasFilter, type RequestFilters, readFilters } from "./request-filters.ts";
import { RequestSearch } from "./request-search.tsx";
import styles from "./requests.module.css";
import { RequestsTable } from "./requests-table.tsx";
import { useRequests } from "./use-requests.ts";

const noFilters: SearchValues = {
  status: undefined,
  error_code: undefined,
  api_key_id: undefined,
  method: undefined,
  route: undefined,
  request_id: undefined,
  range: undefined,
};

/** Why was my request refused? The refused requests of the account, and a sample of accepted ones. */
export function RequestsScreen() {
  const may = useMay();
  return (
    <>
      <PageHeader title="Requests" />
      {may.write ? (
        <Requests />
      ) : (
        <Panel>
          <EmptyState title="Developers and owners see the requests">
            <p>The log shows from which addresses people and servers call the API. An owner can change your role.</p>
          </EmptyState>
        </Panel>
      )}
    </>
  );
}

function Requests() {
  const [search, change] = useSearchState();
  const mode = useMode();
  const filters = readFilters(search);
  const list = useRequests(filters, mode, search.before);
  const rows = list.data?.data.requests;
  // The only result of a request id is what the person wants to read.
  const open = search.open ?? (filters.request_id !== undefined && rows?.length === 1 ? rows[0]?.id : undefined);
  return (
    <>
      <p className={styles.intro}>
        Every refused request of the last 7 days, up to 500 of each code and hour, and a sample of accepted ones.
        Bodies, addresses of mail and keys are not kept.
      </p>
      <div className={styles.stack}>
        <RequestSearch filters={filters} mode={mode} onChange={(changes) => change({ open: undefined, ...changes })} />
        <Panel flush>
          {list.error !== null && rows === undefined ? (
            <ErrorState error={list.error} onRetry={() => void list.refetch()} />
          ) : (
            <RequestsTable
              rows={rows}
              open={open}
              hrefOf={(changes) => `/requests${stringifySearch({ ...search, ...changes })}`}
              onFilter={(changes) => change({ open: undefined, ...changes })}
              empty={
                <Empty filters={filters} next={list.data?.data.pagination.next_before ?? undefined} onChange={change} />
              }
              footer={rows === undefined ? undefined : <Footer list={list} before={search.before} onChange={change} />}
            />
          )}
        </Panel>
      </div>
    </>
  );
}

type Change = (changes: SearchValues) => void;

interface FooterProps {
  list: ReturnType<typeof useRequests>;
  before: string | undefined;
  onChange: Change;
}

function Footer({ list: { data }, before, onChange }: FooterProps) {
  // The cursors of the pages before this one; the API pages forward only.
  const [earlier, setEarlier] = useState<(string | undefined)[]>([]);
  const next = data?.data.pagination.next_before ?? undefined;
  const count = data?.data.requests.length ?? 0;
  function back() {
    onChange({ before: earlier.at(-1), open: undefined });
    setEarlier(earlier.slice(0, -1));
  }
  function forward() {
    setEarlier([...earlier, before]);
    onChange({ before: next, open: undefined });
  }
  const hasPages = next !== undefined || before !== undefined;
  return (
    <TableFooter
      keys
      {...(hasPages && {
        onPrevious: before === undefined ? undefined : back,
        onNext: next === undefined ? undefined : forward,
      })}
    >
      {hasPages && before === undefined ? `The newest ${formatCount(count, "request")}` : formatCount(count, "request")}
    </TableFooter>
  );
}

function Empty({ filters, next, onChange }: { filters: RequestFilters; next: string | undefined; onChange: Change }) {
  if (next !== undefined) {
    return (
      <EmptyState
        title="Nothing in the 10,000 newest requests"
        action={<Button onClick={() => onChange({ before: next })}>Search older requests</Button>}
      >
        <p>One search compares 10,000 requests with these filters.</p>
      </EmptyState>
    );
  }
  if (filters.request_id !== undefined) {
    return (
      <EmptyState
        title="This request is not in the log"
        action={<Button onClick={() => onChange(noFilters)}>Show all requests</Button>}
      >
        <p>
          It may be older than 7 days, a few seconds new, or of another account. It may have been accepted: the log has
          a sample of those. And of each hour it keeps 500 refused requests with the same code.
        </p>
      </EmptyState>
    );
  }
  if (!hasFilter(filters)) {
    return (
      <EmptyState title="No request was refused in the last 7 days">
        <p>
          When the API refuses a request of this account, the reason appears here a few seconds later: the route, the
          status and the fields that were wrong.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No request of the last 7 days matches these filters"
      action={<Button onClick={() => onChange(noFilters)}>Show all requests</Button>}
    />
  );
}
