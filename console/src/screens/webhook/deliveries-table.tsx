import type { ReactNode } from "react";
import type { WebhookDelivery } from "../../api/api-types.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { stateOf } from "../../parts/delivery-words.ts";
import { formatDuration } from "../../parts/format-time.ts";
import { StatusWord } from "../../parts/status-word.tsx";
import { CardLines } from "../../parts/table-cards.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";

interface DeliveriesTableProps {
  webhookId: string;
  rows: WebhookDelivery[] | undefined;
  banner: ReactNode;
  empty: ReactNode;
  footer: ReactNode;
}

export function DeliveriesTable({ webhookId, rows, banner, empty, footer }: DeliveriesTableProps) {
  const href = useHref();
  return (
    <DataTable
      label="Deliveries"
      columns={columns(href)}
      rows={rows}
      rowKey={({ delivery_id }) => delivery_id}
      rowHref={({ delivery_id }) => href(`/webhooks/${webhookId}/deliveries/${delivery_id}`)}
      skeletonRows={6}
      banner={banner}
      empty={empty}
      footer={footer}
      compact={(delivery) => (
        <CardLines
          first={<StatusWord {...stateOf(delivery)} />}
          aside={<Time at={delivery.created_at} />}
          second={<b className="strong">{delivery.type}</b>}
          third={resultText(delivery)}
        />
      )}
    />
  );
}

function columns(href: ReturnType<typeof useHref>): Column<WebhookDelivery>[] {
  return [
    { key: "state", header: "State", width: 116, cell: (delivery) => <StatusWord {...stateOf(delivery)} /> },
    {
      key: "type",
      header: "Type",
      width: 190,
      cell: ({ type, test, replay }) => (
        <>
          {type} {test && <Tag>test</Tag>} {replay && <Tag>replay</Tag>}
        </>
      ),
      title: ({ type }) => type,
    },
    { key: "result", header: "Last answer", quiet: true, cell: resultText, title: resultText },
    {
      key: "send",
      header: "Send",
      width: 104,
      hideBelow: 1000,
      cell: ({ send_id }) => (send_id === null ? null : <AppLink href={href(`/sends/${send_id}`)}>Open send</AppLink>),
    },
    {
      key: "attempts",
      header: "Attempts",
      width: 80,
      align: "right",
      hideBelow: 900,
      cell: ({ attempt_count }) => <span className="tabular">{attempt_count}</span>,
    },
    {
      key: "next",
      header: "Next attempt",
      width: 108,
      align: "right",
      quiet: true,
      hideBelow: 820,
      cell: ({ next_attempt_at }) => <NextAttempt at={next_attempt_at} />,
    },
    {
      key: "created",
      header: "Created",
      width: 116,
      align: "right",
      quiet: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ];
}

/** An attempt that is due is made within seconds. */
function NextAttempt({ at }: { at: string | null }) {
  if (at === null) return <span>none</span>;
  return Date.parse(at) <= Date.now() ? <span>now</span> : <Time at={at} />;
}

function resultText({ last_attempt: last }: WebhookDelivery): string {
  if (last === null) return "not attempted yet";
  if (last.failure !== null) return last.failure;
  return `${last.status}${last.duration_ms === null ? "" : ` in ${formatDuration(last.duration_ms)}`}`;
}
