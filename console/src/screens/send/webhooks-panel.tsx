import { useQueries, useQuery } from "@tanstack/react-query";
import type { SendRecord, WebhookDelivery } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { stateOf } from "../../parts/delivery-words.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDuration } from "../../parts/format-time.ts";
import { Panel } from "../../parts/panel.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";
import { webhooksKey, webhooksQuery } from "../../parts/webhook-queries.ts";
import styles from "./webhooks-panel.module.css";

const limit = 20;
const isOpen = ({ state }: WebhookDelivery) => state === "pending" || state === "delivering";

/** The deliveries to webhooks about this send, the newest first. Nothing for an account without webhooks. */
export function WebhooksPanel({ send }: { send: SendRecord }) {
  const webhooks = useQuery({ ...webhooksQuery(send.mode), staleTime: 60_000 });
  const lists = useQueries({
    queries: (webhooks.data ?? []).map(({ webhook_id: id }) => ({
      queryKey: [...webhooksKey, id, "deliveries", "of-send", send.id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call("GET /api/v1/webhooks/{id}/deliveries", { path: { id }, query: { send_id: send.id, limit }, signal }),
      refetchInterval: ({ state }: { state: { data?: { data: { deliveries: WebhookDelivery[] } } | undefined } }) =>
        state.data?.data.deliveries.some(isOpen) ? 3_000 : 15_000,
    })),
  });
  const href = useHref();
  const error = webhooks.error ?? lists.find((list) => list.error !== null)?.error ?? null;
  if (webhooks.data?.length === 0) return null;
  const entries = (webhooks.data ?? [])
    .flatMap((webhook, index) => {
      const found = lists[index]?.data?.data.deliveries ?? [];
      return found.map((delivery) => ({ webhook, delivery }));
    })
    .toSorted((one, other) => (one.delivery.delivery_id < other.delivery.delivery_id ? 1 : -1));
  return (
    <Panel heading="Webhooks" count={entries.length === 0 ? undefined : entries.length} flush>
      {error === null ? null : <ErrorState error={error} onRetry={() => void webhooks.refetch()} />}
      {error === null && entries.length === 0 && (
        <p className={styles.none}>
          {lists.every(({ isSuccess }) => isSuccess) && webhooks.isSuccess
            ? "No webhook was notified of this send in the last 30 days."
            : "Loading…"}
        </p>
      )}
      <ul className={styles.list}>
        {entries.map(({ webhook, delivery }) => (
          <li key={delivery.delivery_id}>
            <AppLink
              className={styles.entry}
              href={href(`/webhooks/${webhook.webhook_id}/deliveries/${delivery.delivery_id}`)}
            >
              <StatusWord {...stateOf(delivery)} />
              <b className="strong">{delivery.type}</b>
              <span className={styles.result} title={webhook.url}>
                {resultText(delivery)} <span className="quiet">{webhook.url}</span>
              </span>
            </AppLink>
            <span className={styles.at}>
              <Time at={delivery.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function resultText({ last_attempt: last }: WebhookDelivery): string {
  if (last === null) return "";
  return last.failure ?? `${last.status}${last.duration_ms === null ? "" : ` in ${formatDuration(last.duration_ms)}`}`;
}
