import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { downloadCsv } from "../../parts/csv.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatNumber } from "../../parts/format-number.ts";
import { Panel } from "../../parts/panel.tsx";
import { CardLines } from "../../parts/table-cards.tsx";
import { ShareBar } from "./share-bar.tsx";
import type { RefusalRow } from "./usage-rows.ts";

interface RefusalProps {
  rows: RefusalRow[] | undefined;
  error: unknown;
  onRetry: () => void;
}

/** Requests to send that the API answered with 4xx, by key and error code. */
export function RefusalPanel({ rows, error, onRetry }: RefusalProps) {
  const most = Math.max(1, ...(rows ?? []).map(({ count }) => count));
  const total = (rows ?? []).reduce((sum, { count }) => sum + count, 0);
  const columns: Column<RefusalRow>[] = [
    { key: "key", header: "Key", width: "30%", cell: ({ name }) => name },
    {
      key: "code",
      header: "Code",
      width: "34%",
      cell: ({ code }) => (
        <a className="mono" href={`/errors/${code}`} target="_blank" rel="noreferrer">
          {code}
        </a>
      ),
    },
    {
      key: "bar",
      header: <span className="visually-hidden">Share</span>,
      cell: ({ count }) => <ShareBar share={count / most} />,
      hideBelow: 900,
    },
    { key: "count", header: "Requests", width: 110, align: "right", cell: ({ count }) => formatNumber(count) },
  ];
  return (
    <Panel
      heading="Refused requests"
      count={rows === undefined ? undefined : total}
      aside={
        rows !== undefined && rows.length > 0 ? (
          <Button leftSection={<IconDownload size={15} stroke={1.75} />} onClick={() => download(rows)}>
            CSV
          </Button>
        ) : undefined
      }
      flush
    >
      {error !== null && rows === undefined ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : (
        <DataTable
          label="Refused requests"
          columns={columns}
          rows={rows}
          rowKey={({ id, code }) => `${id} ${code}`}
          compact={({ name, code, count }) => (
            <CardLines first={name} aside={formatNumber(count)} second={<span className="mono">{code}</span>} />
          )}
          skeletonRows={3}
          empty={
            <EmptyState title="No refused requests">
              The API accepted every request to send with an API key in this range.
            </EmptyState>
          }
        />
      )}
    </Panel>
  );
}

function download(rows: RefusalRow[]): void {
  downloadCsv("refused-requests.csv", [
    ["api_key_id", "key", "code", "requests"],
    ...rows.map(({ id, name, code, count }) => [id, name, code, count]),
  ]);
}
