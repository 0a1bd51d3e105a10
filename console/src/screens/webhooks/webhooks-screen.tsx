import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Webhook } from "../../api/api-types.ts";
import { useMay } from "../../api/use-me.ts";
import { useMode } from "../../frame/search-state.ts";
import { useOpen } from "../../parts/app-link.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatCount, formatNumber } from "../../parts/format-number.ts";
import { formatDuration } from "../../parts/format-time.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { CardLines } from "../../parts/table-cards.tsx";
import { TableFooter } from "../../parts/table-footer.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";
import { SuccessRate } from "../../parts/webhook-health.tsx";
import { webhooksQuery } from "../../parts/webhook-queries.ts";
import { CreateWebhookDialog } from "./create-webhook-dialog.tsx";
import styles from "./webhooks.module.css";
import { webhooksSentence } from "./webhooks-sentence.ts";

const maxWebhooks = 10;

/** The webhooks of the chosen mode: does each get its notifications? */
export function WebhooksScreen() {
  const mode = useMode();
  const may = useMay();
  const href = useHref();
  const open = useOpen();
  const [isCreating, setCreating] = useState(false);
  const webhooks = useQuery({ ...webhooksQuery(mode), placeholderData: keepPreviousData, refetchInterval: 15_000 });
  const rows = webhooks.data?.toSorted((one, other) => Number(isHealthy(one)) - Number(isHealthy(other)));
  const pageOf = ({ webhook_id }: { webhook_id: string }) => href(`/webhooks/${webhook_id}`);
  const create = may.write ? (
    <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={() => setCreating(true)}>
      Create webhook
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader
        title="Webhooks"
        note={mode === "test" ? "of test mail" : "of live mail"}
        aside={rows?.length === 0 ? undefined : create}
      />
      {rows === undefined || rows.length === 0 ? null : <Sentence webhooks={rows} />}
      <Panel flush>
        {webhooks.error === null ? null : <ErrorState error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
        {webhooks.error !== null && rows === undefined ? null : (
          <DataTable
            label="Webhooks"
            columns={columns}
            rows={rows}
            rowKey={({ webhook_id }) => webhook_id}
            rowHref={pageOf}
            rowLabel={({ url }) => url}
            skeletonRows={3}
            compact={(webhook) => (
              <CardLines
                first={<StatusWord status={webhook.status} />}
                aside={<SuccessRate webhook={webhook} />}
                second={<b className="strong">{webhook.url}</b>}
                third={webhook.description ?? formatCount(webhook.types.length, "type")}
              />
            )}
            empty={
              <EmptyState title={`No ${mode} webhook yet`} action={create}>
                <p>
                  A webhook is a URL of yours that Postern calls when mail is delivered, bounces or is reported as spam,
                  so that your application need not ask.
                  {may.write ? "" : " A developer or owner of this account can create one."}
                </p>
              </EmptyState>
            }
            footer={
              rows === undefined ? undefined : (
                <TableFooter keys>
                  {formatCount(rows.length, "webhook")} of at most {maxWebhooks} in the account
                </TableFooter>
              )
            }
          />
        )}
      </Panel>
      <CreateWebhookDialog
        opened={isCreating}
        onClose={() => setCreating(false)}
        mode={mode}
        onCreated={(created) => open(pageOf(created))}
      />
    </>
  );
}

/** Problems come first. */
function isHealthy({ status, disabled_reason }: Webhook): boolean {
  return status === "enabled" || disabled_reason === "user";
}

function Sentence({ webhooks }: { webhooks: Webhook[] }) {
  const { lead, rest } = webhooksSentence(webhooks);
  return (
    <p className={styles.sentence}>
      <b>{lead}</b> {rest}
    </p>
  );
}

const columns: Column<Webhook>[] = [
  { key: "status", header: "Status", width: 116, cell: ({ status }) => <StatusWord status={status} /> },
  {
    key: "url",
    header: "URL",
    cell: ({ url }) => <b className="strong">{url}</b>,
    title: ({ url }) => url,
    copy: ({ url }) => url,
  },
  {
    key: "description",
    header: "Description",
    width: "16%",
    quiet: true,
    hideBelow: 1000,
    cell: ({ description }) => description ?? "",
  },
  {
    key: "types",
    header: "Types",
    width: 64,
    align: "right",
    quiet: true,
    hideBelow: 900,
    cell: ({ types }) => <span className="tabular">{types.length}</span>,
    title: ({ types }) => types.join(", "),
  },
  {
    key: "rate",
    header: "Success, 24 h",
    width: 118,
    align: "right",
    cell: (webhook) => <SuccessRate webhook={webhook} />,
  },
  {
    key: "waiting",
    header: "Waiting",
    width: 84,
    align: "right",
    quiet: true,
    hideBelow: 1100,
    cell: ({ waiting_deliveries }) => <span className="tabular">{formatNumber(waiting_deliveries)}</span>,
    title: () => "Deliveries that wait for their next attempt",
  },
  {
    key: "p95",
    header: "p95",
    width: 84,
    align: "right",
    hideBelow: 760,
    cell: ({ p95_ms }) =>
      p95_ms === null ? <span className="quiet">none</span> : <span className="tabular">{formatDuration(p95_ms)}</span>,
    title: () => "95 of 100 deliveries were answered within this time",
  },
  {
    key: "failing",
    header: "Failing since",
    width: 128,
    align: "right",
    quiet: true,
    cell: ({ failing_since }) => <Time at={failing_since} empty="not failing" />,
  },
];
