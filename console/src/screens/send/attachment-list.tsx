import { Button } from "@mantine/core";
import { IconDownload, IconPaperclip, IconPhoto } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SendContent } from "../../api/api-types.ts";
import { download } from "../../api/download.ts";
import { saveFile } from "../../parts/csv.ts";
import { formatBytes, formatCount } from "../../parts/format-number.ts";
import { Loading } from "../../parts/loading.tsx";
import styles from "./attachment-list.module.css";
import { ContentError, contentQuery } from "./mail-view.tsx";

type Attachment = NonNullable<SendContent["attachments"]>[number];

/** The files of the mail. Each download is in the audit. */
export function AttachmentList({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(contentQuery(id));
  const [failed, setFailed] = useState<{ error: unknown; attachment: Attachment }>();
  const [loading, setLoading] = useState<string>();

  async function save(attachment: Attachment) {
    setFailed(undefined);
    setLoading(attachment.url);
    try {
      saveFile(attachment.filename, await download(attachment.url, {}));
    } catch (problem) {
      setFailed({ error: problem, attachment });
    } finally {
      setLoading(undefined);
    }
  }

  if (error !== null) return <ContentError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading the attachments" lines={2} />;
  const { attachments = [] } = data;
  if (attachments.length === 0) return null;
  return (
    <section className={styles.attachments} aria-label="Attachments">
      <h2>{formatCount(attachments.length, "attachment")}</h2>
      <ul>
        {attachments.map((attachment) => (
          <Row
            key={attachment.url}
            attachment={attachment}
            isLoading={loading === attachment.url}
            isDisabled={loading !== undefined}
            onSave={() => void save(attachment)}
          />
        ))}
      </ul>
      {failed !== undefined && (
        <div role="alert">
          <ContentError error={failed.error} onRetry={() => void save(failed.attachment)} />
        </div>
      )}
    </section>
  );
}

interface RowProps {
  attachment: Attachment;
  isLoading: boolean;
  isDisabled: boolean;
  onSave: () => void;
}

function Row({ attachment, isLoading, isDisabled, onSave }: RowProps) {
  const { filename, content_type, content_id, size } = attachment;
  const Icon = content_id === null ? IconPaperclip : IconPhoto;
  return (
    <li>
      <Icon size={15} stroke={1.75} aria-hidden="true" />
      <div className={styles.facts}>
        <bdi>{filename}</bdi>
        <span>
          {content_type}, {formatBytes(size)}
          {content_id !== null && `, inline as ${content_id}`}
        </span>
      </div>
      <Button
        aria-label={`Download ${filename}`}
        leftSection={<IconDownload size={15} stroke={1.75} />}
        loading={isLoading}
        disabled={isDisabled && !isLoading}
        onClick={onSave}
      >
        Download
      </Button>
    </li>
  );
}
