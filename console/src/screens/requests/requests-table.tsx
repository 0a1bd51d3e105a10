import type { LoggedRequest } from "../../api/api-types.ts";
import type { SearchValues } from "../../frame/search-state.ts";
import { type Column, DataTable, type DataTableProps } from "../../parts/data-table.tsx";
import { CardLines } from "../../parts/table-cards.tsx";
import { Time } from "../../parts/time.tsx";
import { RequestDetail } from "./request-detail.tsx";
import { errorWords } from "./request-filters.ts";
import { RequestStatus, statusWord } from "./request-status.tsx";
import styles from "./requests.module.css";

interface RequestsTableProps extends Pick<DataTableProps<LoggedRequest>, "rows" | "footer" | "empty"> {
  /** The entry whose detail is shown. */
  open: string | undefined;
  hrefOf: (changes: SearchValues) => string;
  onFilter: (changes: SearchValues) => void;
}

export function RequestsTable({ open, hrefOf, onFilter, ...table }: RequestsTableProps) {
  const columns: Column<LoggedRequest>[] = [
    {
      key: "status",
      header: "Status",
      width: 138,
      cell: ({ status }) => <RequestStatus status={status} />,
      title: ({ status }) => String(status),
      filter:
        ({ status }) =>
        () =>
          onFilter({ status: String(status) }),
    },
    {
      key: "request",
      header: "Request",
      width: "34%",
      cell: (request) => <Route request={request} />,
      title: ({ method, route }) => `${method} ${route}`,
      filter:
        ({ method, route }) =>
        () =>
          onFilter({ method, route }),
    },
    {
      key: "problem",
      header: "Reason",
      cell: reasonOf,
      filter: ({ error_code }) => (error_code === null ? undefined : () => onFilter({ error_code })),
    },
    {
      key: "key",
      header: "API key",
      width: "16%",
      quiet: true,
      hideBelow: 900,
      cell: ({ api_key }) => (api_key === null ? "log-in" : (api_key.name ?? "deleted")),
      filter: ({ api_key }) => (api_key === null ? undefined : () => onFilter({ api_key_id: api_key.id })),
    },
    { key: "at", header: "Answered", width: 118, align: "right", quiet: true, cell: ({ at }) => <Time at={at} /> },
  ];
  return (
    <DataTable
      label="Requests"
      columns={columns}
      rowKey={({ id }) => id}
      rowHref={({ id }) => hrefOf({ open: id === open ? undefined : id })}
      rowLabel={({ method, route, status }) => `${statusWord(status)} ${status}, ${method} ${route}`}
      copyId={({ request_id }) => request_id}
      detail={(request) => (request.id === open ? <RequestDetail request={request} /> : undefined)}
      compact={(request) => (
        <CardLines
          first={<RequestStatus status={request.status} />}
          aside={<Time at={request.at} />}
          second={<Route request={request} />}
          third={reasonOf(request)}
        />
      )}
      {...table}
    />
  );
}

function Route({ request: { method, route } }: { request: LoggedRequest }) {
  return (
    <span className={styles.route}>
      <span className="quiet">{method}</span> <span className="mono">{route.replace(/^\/api\/v1/, "")}</span>
    </span>
  );
}

/** "Not valid: to[0] must be an address, and 2 more" */
function reasonOf({ error_code, details }: LoggedRequest): string {
  if (error_code === null) return "";
  const [first] = details;
  if (first === undefined) return errorWords[error_code];
  const more = details.length > 1 ? `, and ${details.length - 1} more` : "";
  return `${errorWords[error_code]}: ${first.field} ${first.message ?? "is refused"}${more}`;
}
