import { useQueryClient } from "@tanstack/react-query";
import type { QuarantineEntry } from "../../../api/api-types.ts";
import { call } from "../../../api/call.ts";
import { formatCount } from "../../../parts/format-number.ts";
import { quarantineKey } from "../operator-queries.ts";
import { ReasonDialog } from "../reason-dialog.tsx";

/** One entry, or without one all of them. */
export function ReplayDialog({ entry, onClose }: { entry?: QuarantineEntry; onClose: () => void }) {
  const queryClient = useQueryClient();
  async function confirm(reason: string) {
    const body = { reason, ...(entry === undefined ? {} : { id: entry.id }) };
    const { due } = await call("POST /api/v1/operator/quarantine/replay", { body });
    await queryClient.invalidateQueries({ queryKey: quarantineKey });
    return `A worker tries ${formatCount(due, "notification")} again within ten seconds.`;
  }
  return (
    <ReasonDialog
      title={entry === undefined ? "Replay all notifications?" : `Replay notification ${entry.id}?`}
      onClose={onClose}
      actionLabel={entry === undefined ? "Replay all" : "Replay"}
      readers="It is in the audit of your own account: a notification that could not be applied belongs to none."
      onConfirm={confirm}
    >
      A worker tries to apply {entry === undefined ? "each of them" : "it"} again. What still cannot be applied stays
      here. Fix the cause first.
    </ReasonDialog>
  );
}
