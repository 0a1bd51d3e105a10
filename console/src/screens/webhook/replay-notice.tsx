import { Button, Progress } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { WebhookReplay } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { formatCount, formatPercent } from "../../parts/format-number.ts";
import { formatDateTime } from "../../parts/format-time.ts";
import { Notice } from "../../parts/notice.tsx";
import { notifyFailed } from "../../parts/notify.ts";
import { webhooksKey } from "../../parts/webhook-queries.ts";
import styles from "./webhook.module.css";
import { useReplays } from "./webhook-queries.ts";

/** A replay is old news after this. */
const shownForMs = 10 * 60_000;

/** The newest replay of a range: its progress while it runs, and its result for a while afterwards. */
export function ReplayNotice({ webhookId, mayCancel }: { webhookId: string; mayCancel: boolean }) {
  const { data: replays } = useReplays(webhookId);
  const client = useQueryClient();
  const newest = replays?.[0];
  const isRunning = newest?.state === "running";
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && !isRunning)
      void client.invalidateQueries({ queryKey: [...webhooksKey, webhookId, "deliveries"] });
    wasRunning.current = isRunning;
  }, [isRunning, client, webhookId]);
  const cancel = useMutation({
    mutationFn: (replayId: string) =>
      call("POST /api/v1/webhooks/{id}/replays/{replay_id}/cancel", { path: { id: webhookId, replay_id: replayId } }),
    onError: notifyFailed,
    onSettled: () => client.invalidateQueries({ queryKey: [...webhooksKey, webhookId, "replays"] }),
  });
  const shown = newest !== undefined && isShown(newest, Date.now()) ? newest : undefined;
  return (
    <div aria-live="polite">
      {shown !== undefined && (
        <Notice
          title={titleOf(shown)}
          action={
            isRunning && mayCancel ? (
              <Button loading={cancel.isPending} onClick={() => cancel.mutate(shown.replay_id)}>
                Cancel replay
              </Button>
            ) : undefined
          }
        >
          {rangeOf(shown)}
          {isRunning && (
            <span className={styles.progress}>
              <Progress value={shown.progress * 100} aria-label="Progress of the replay" />
              <span>
                {formatPercent(shown.progress, 0)}, {formatCount(shown.deliveries, "delivery", "deliveries")}
              </span>
            </span>
          )}
        </Notice>
      )}
    </div>
  );
}

function isShown({ finished_at }: WebhookReplay, now: number): boolean {
  return finished_at === null || now - Date.parse(finished_at) < shownForMs;
}

function titleOf({ state, only_failed, deliveries }: WebhookReplay): string {
  const count = formatCount(deliveries, "delivery", "deliveries");
  if (state === "running") return only_failed ? "Postern replays what failed." : "Postern replays a time range.";
  if (state === "cancelled") return `The replay was cancelled after ${count}.`;
  if (deliveries === 0)
    return only_failed ? "The replay is done: nothing had failed." : "The replay is done: nothing happened.";
  return `The replay is done: ${count} ${deliveries === 1 ? "is" : "are"} sent again.`;
}

function rangeOf({ from, to }: WebhookReplay): string {
  return `From ${formatDateTime(Date.parse(from))} to ${formatDateTime(Date.parse(to))}.`;
}
