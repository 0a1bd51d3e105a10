import type { Webhook } from "../../api/api-types.ts";
import { CopyText } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Time } from "../../parts/time.tsx";
import { notificationTypes } from "../../parts/webhook-types.ts";
import styles from "./webhook.module.css";

export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { webhook_id, url, description, types, created_at, secrets } = webhook;
  const newest = secrets.find(({ expires_at }) => expires_at === null);
  return (
    <Panel heading="Details">
      <Facts
        labelWidth={92}
        facts={[
          { label: "URL", value: <CopyText value={url} label="URL" mono /> },
          description === null ? undefined : { label: "Description", value: description },
          {
            label: "Types",
            value: (
              <span className={styles.types}>
                {types.map((type) => (
                  <Tag key={type} title={notificationTypes[type]}>
                    {type}
                  </Tag>
                ))}
              </span>
            ),
          },
          {
            label: "Secret",
            value: newest && (
              <>
                made <Time at={newest.created_at} absolute />
              </>
            ),
          },
          { label: "Created", value: <Time at={created_at} absolute /> },
          { label: "Webhook id", value: <CopyText value={webhook_id} label="webhook id" mono /> },
        ]}
      />
    </Panel>
  );
}
