import type { WebhookDeliveryDetails } from "../../api/api-types.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { CopyText } from "../../parts/copy.tsx";
import { stateOf } from "../../parts/delivery-words.ts";
import { Facts } from "../../parts/facts.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";
import { notificationTypes } from "../../parts/webhook-types.ts";

export function DeliveryFacts({ delivery }: { delivery: WebhookDeliveryDetails }) {
  const href = useHref();
  const { type, send_id, created_at, finished_at, next_attempt_at, replay, test } = delivery;
  return (
    <Panel heading="Details">
      <Facts
        labelWidth={92}
        facts={[
          { label: "State", value: <StatusWord {...stateOf(delivery)} /> },
          { label: "Meaning", value: notificationTypes[type] },
          next_attempt_at === null ? undefined : { label: "Next attempt", value: <Time at={next_attempt_at} /> },
          send_id === null
            ? undefined
            : { label: "Send", value: <AppLink href={href(`/sends/${send_id}`)}>Open the send</AppLink> },
          replay || test ? { label: "Kind", value: test ? "an example" : "a replay" } : undefined,
          { label: "Created", value: <Time at={created_at} absolute /> },
          finished_at === null ? undefined : { label: "Ended", value: <Time at={finished_at} absolute /> },
          { label: "webhook-id", value: <CopyText value={delivery.notification_id} label="webhook-id" mono /> },
          { label: "Delivery id", value: <CopyText value={delivery.delivery_id} label="delivery id" mono /> },
        ]}
      />
    </Panel>
  );
}
