import { Radio, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { SendRecord } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { newUuid } from "../../api/new-uuid.ts";
import { stringifySearch } from "../../frame/search-state.ts";
import { useOpen } from "../../parts/app-link.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { formatBytes, formatCount } from "../../parts/format-number.ts";
import { Loading } from "../../parts/loading.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { attachmentsAgain, uploadDeadlineMs } from "./attachments-again.ts";
import { ContentError, contentQuery } from "./mail-view.tsx";
import type { RecipientOutcome } from "./outcome.ts";
import { requestAgain, withoutMail } from "./send-again.ts";
import styles from "./send-screen.module.css";

interface SendAgainProps {
  opened: boolean;
  onClose: () => void;
  send: SendRecord;
  outcomes: RecipientOutcome[];
}

/** Sends the same content with a new idempotency key. The key is made when the dialog opens: pressing the button twice sends once. */
export function SendAgainDialog({ opened, onClose, send, outcomes }: SendAgainProps) {
  const content = useQuery({ ...contentQuery(send.id), enabled: opened });
  const missed = withoutMail(outcomes);
  const files = content.data?.attachments ?? [];
  const hasChoice = missed.length > 0 && missed.length < outcomes.filter(({ isForwarded }) => !isForwarded).length;
  const [chosen, setChosen] = useState<"all" | "missed">();
  const whom = chosen ?? (hasChoice ? "missed" : "all");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key for each time the dialog opens
  const key = useMemo(newUuid, [opened]);
  const open = useOpen();

  async function sendAgain() {
    if (content.data === undefined) throw new Error("The content of the mail has not arrived yet. Try again.");
    const request = requestAgain(content.data, send, whom === "all" ? undefined : missed);
    const body = { ...request, ...(await attachmentsAgain(content.data)), idempotency_key: key };
    const deadlineMs = uploadDeadlineMs(content.data);
    const { id } = await call("POST /api/v1/send", { query: { mode: send.mode }, body, deadlineMs });
    notifyDone("The mail was accepted again.");
    open(`/sends/${id}${stringifySearch({ mode: send.mode === "test" ? "test" : undefined })}`);
  }

  return (
    <ConfirmDialog
      title="Send this mail again?"
      opened={opened}
      onClose={onClose}
      actionLabel="Send again"
      onConfirm={sendAgain}
    >
      <p className={styles.dialogText}>
        Postern accepts a new send with the same sender, subject and content. Suppressed recipients get nothing.
        {files.length > 0 && ` It has the ${describeFiles(files)} of the first one, which this page downloads first.`}
      </p>
      {hasChoice ? (
        <Radio.Group
          value={whom}
          onChange={(value) => setChosen(value === "all" ? "all" : "missed")}
          label="Recipients"
        >
          <Stack gap={6} mt={6}>
            <Radio value="missed" label={`Only the ${missed.length} who did not get it`} />
            <Radio value="all" label={`All ${send.to_addresses.length}: those who got it get a second copy`} />
          </Stack>
        </Radio.Group>
      ) : (
        <p className={styles.dialogText}>
          {missed.length === 0
            ? "All recipients already got it, or may have: they get a second copy."
            : "No recipient got the first one."}
        </p>
      )}
      {content.error === null ? (
        content.data === undefined && <Loading label="Loading the content" lines={1} />
      ) : (
        <ContentError error={content.error} onRetry={() => void content.refetch()} />
      )}
    </ConfirmDialog>
  );
}

/** "2 attachments (1.2 MB)" */
function describeFiles(files: { size: number }[]): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return `${formatCount(files.length, "attachment")} (${formatBytes(bytes)})`;
}
