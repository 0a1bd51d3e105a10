import { Button } from "@mantine/core";
import { IconRotate, IconTerminal2 } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import type { WebhookDeliveryDetails } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { useMay } from "../../api/use-me.ts";
import { AppLink, useOpen } from "../../parts/app-link.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { notifyDone, notifyFailed } from "../../parts/notify.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useHref } from "../../parts/use-href.ts";
import { useTick } from "../../parts/use-tick.ts";
import { webhooksKey } from "../../parts/webhook-queries.ts";
import { AttemptList } from "./attempt-list.tsx";
import { BodyPanel } from "./body-panel.tsx";
import { CurlDialog } from "./curl-dialog.tsx";
import styles from "./delivery.module.css";
import { DeliveryFacts } from "./delivery-facts.tsx";
import { useDelivery } from "./delivery-queries.ts";
import { deliverySentence } from "./delivery-sentence.ts";

/** One notification for one webhook: the request as it was sent, and every answer. */
export function DeliveryScreen() {
  const { id = "", deliveryId = "" } = useParams({ strict: false });
  const href = useHref();
  const { data, error, refetch } = useDelivery(id, deliveryId);
  const breadcrumb = { label: "Webhook", href: href(`/webhooks/${id}`) };
  if (data !== undefined)
    return <LoadedDelivery key={deliveryId} webhookId={id} delivery={data} breadcrumb={breadcrumb} />;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <>
        <PageHeader title="No such delivery" breadcrumb={breadcrumb} />
        <Panel flush>
          <EmptyState
            title="This webhook has no delivery with this id"
            action={<AppLink href={href("/webhooks")}>Show all webhooks</AppLink>}
          >
            <p>Deliveries are kept for 30 days. It may also belong to another account of yours.</p>
          </EmptyState>
        </Panel>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Delivery" breadcrumb={breadcrumb} />
      <Panel flush>
        {error === null ? (
          <Loading lines={8} label="Loading the delivery" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
      </Panel>
    </>
  );
}

interface LoadedDeliveryProps {
  webhookId: string;
  delivery: WebhookDeliveryDetails;
  breadcrumb: { label: string; href: string };
}

function LoadedDelivery({ webhookId, delivery, breadcrumb }: LoadedDeliveryProps) {
  useTick();
  const may = useMay();
  const [isCurlOpen, setCurlOpen] = useState(false);
  const { lead, rest } = deliverySentence(delivery);
  const path = { id: webhookId, delivery_id: delivery.delivery_id };
  return (
    <>
      <PageHeader
        title={delivery.type}
        breadcrumb={breadcrumb}
        aside={
          may.write && delivery.body !== null ? (
            <>
              <Button leftSection={<IconTerminal2 size={15} stroke={1.75} />} onClick={() => setCurlOpen(true)}>
                Signed curl
              </Button>
              <ReplayButton path={path} />
            </>
          ) : undefined
        }
      />
      <p className={styles.sentence}>
        <b>{lead}</b> {rest}
      </p>
      <div className={styles.columns}>
        <div className={styles.column}>
          <AttemptList delivery={delivery} />
          <BodyPanel body={delivery.body} />
        </div>
        <DeliveryFacts delivery={delivery} />
      </div>
      {may.write && isCurlOpen && <CurlDialog path={path} onClose={() => setCurlOpen(false)} />}
    </>
  );
}

/** Opens the page of the new delivery. */
function ReplayButton({ path }: { path: { id: string; delivery_id: string } }) {
  const client = useQueryClient();
  const open = useOpen();
  const href = useHref();
  const replay = useMutation({
    mutationFn: () => call("POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/replay", { path }),
    onSuccess: async ({ delivery_id }) => {
      notifyDone("The notification is sent again.");
      open(href(`/webhooks/${path.id}/deliveries/${delivery_id}`));
      await client.invalidateQueries({ queryKey: [...webhooksKey, path.id, "deliveries"] });
    },
    onError: notifyFailed,
  });
  return (
    <Button
      variant="filled"
      leftSection={<IconRotate size={15} stroke={1.75} />}
      loading={replay.isPending}
      onClick={() => replay.mutate()}
    >
      Replay
    </Button>
  );
}
