import type { SendRecord } from "../../api/api-types.ts";
import { activityHref } from "../../parts/activity-href.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { CopyText } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatDateTime } from "../../parts/format-time.ts";
import { Tag } from "../../parts/tag.tsx";
import styles from "./send-screen.module.css";

/** Each leads to the sends with the same tag. */
function Tags({ tags, mode }: { tags: string[]; mode: SendRecord["mode"] }) {
  return (
    <span className={styles.tags}>
      {tags.map((tag) => (
        <AppLink key={tag} href={activityHref({ tag }, mode)}>
          <Tag>{tag}</Tag>
        </AppLink>
      ))}
    </span>
  );
}

function Time({ at }: { at: string }) {
  return (
    <time className="tabular" dateTime={at} title={at}>
      {formatDateTime(Date.parse(at))}
    </time>
  );
}

export function SendFacts({ send }: { send: SendRecord }) {
  const { from_address, id, provider_message_id, error_code, tags, metadata, mode, expires_at, scheduled_at } = send;
  return (
    <div className={styles.facts}>
      <Facts
        facts={[
          { label: "From", value: <CopyText value={from_address} label="sender" /> },
          { label: "Send id", value: <CopyText value={id} label="send id" mono /> },
          {
            label: "SES id",
            value:
              provider_message_id === null ? (
                <span className="quiet">SES has not accepted it</span>
              ) : (
                <CopyText value={provider_message_id} label="SES id" mono />
              ),
          },
          error_code === null
            ? undefined
            : { label: "Error", value: <CopyText value={error_code} label="error code" mono /> },
          scheduled_at ? { label: "Scheduled", value: <Time at={scheduled_at} /> } : undefined,
          expires_at ? { label: "Expires", value: <Time at={expires_at} /> } : undefined,
          tags && { label: "Tags", value: <Tags tags={tags} mode={mode} /> },
          metadata && { label: "Metadata", value: <CopyText value={JSON.stringify(metadata)} label="metadata" mono /> },
        ]}
      />
    </div>
  );
}
