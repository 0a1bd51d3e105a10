import { Button, NativeSelect, Radio, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import type { Webhook, WebhookReplay } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { webhooksKey } from "../../parts/webhook-queries.ts";
import { isRange, ranges, rangeTimes } from "./delivery-filters.ts";
import styles from "./webhook.module.css";

type ReplayDialogProps = { webhook: Webhook; opened: boolean; onClose: () => void };

/** Sends what failed in a time range again, or everything in it. The notice of the page shows the progress. */
export function ReplayDialog({ webhook, opened, onClose }: ReplayDialogProps) {
  const [what, setWhat] = useState("failed");
  const [range, setRange] = useState("yesterday");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const client = useQueryClient();
  const id = webhook.webhook_id;
  const replay = useMutation<WebhookReplay, ApiError>({
    mutationFn: () =>
      call("POST /api/v1/webhooks/{id}/replay", {
        path: { id },
        body: { ...timesOf(range, { from, to }), only_failed: what === "failed" },
      }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: [...webhooksKey, id, "replays"] });
    },
  });
  const { reset } = replay;
  useEffect(() => {
    if (opened) reset();
  }, [opened, reset]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    replay.mutate();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form="replay-range" variant="filled" loading={replay.isPending}>
        Start replay
      </Button>
    </>
  );
  return (
    <Dialog title="Replay a time range" opened={opened} onClose={onClose} footer={footer}>
      <form id="replay-range" className={styles.form} onSubmit={submit}>
        <NativeSelect
          label="Time"
          value={range}
          onChange={(event) => setRange(event.currentTarget.value)}
          data={[
            ...Object.entries(ranges).map(([value, label]) => ({ value, label })),
            { value: "chosen", label: "Other times" },
          ]}
        />
        {range === "chosen" && (
          <div className={styles.times}>
            <TextInput
              label="From"
              type="datetime-local"
              required
              withAsterisk={false}
              error={replay.error?.problemOf("from")}
              value={from}
              onChange={(event) => setFrom(event.currentTarget.value)}
            />
            <TextInput
              label="To"
              type="datetime-local"
              required
              withAsterisk={false}
              error={replay.error?.problemOf("to")}
              value={to}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
          </div>
        )}
        <Radio.Group label="Send again" value={what} onChange={setWhat}>
          <div className={styles.form} style={{ marginTop: 8, gap: 8 }}>
            <Radio
              value="failed"
              label="What failed"
              description="Failed deliveries are sent again, and those that wait after a failure are attempted now."
            />
            <Radio
              value="all"
              label="Everything"
              description="All notifications of its types, also from before the webhook existed."
            />
          </div>
        </Radio.Group>
        <p className="quiet">Each notification keeps its webhook-id, so a receiver recognises what it has processed.</p>
        {replay.error !== null && (replay.error.details.length === 0 || range !== "chosen") ? (
          <ErrorState error={replay.error} />
        ) : null}
      </form>
    </Dialog>
  );
}

function timesOf(range: string, chosen: { from: string; to: string }): { from: string; to: string } {
  const now = Date.now();
  if (isRange(range)) {
    const { from, to } = rangeTimes(range, now);
    return { from, to: to ?? new Date(now).toISOString() };
  }
  return { from: new Date(chosen.from).toISOString(), to: new Date(chosen.to).toISOString() };
}
