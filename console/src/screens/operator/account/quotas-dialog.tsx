import { useState } from "react";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { call } from "../../../api/call.ts";
import { Segments } from "../../../parts/segments.tsx";
import { ReasonDialog } from "../reason-dialog.tsx";
import { changedNumbers, numberText } from "./changed-numbers.ts";
import { type NumberField, NumberFields } from "./number-fields.tsx";
import { useChangedAccount } from "./use-changed-account.ts";

type Quota = "recipients_per_day" | "stored_content_bytes" | "trial";
type Mode = "live" | "test";

const fields: NumberField<Quota>[] = [
  { name: "trial", label: "Recipients a day on trial", empty: "no trial" },
  { name: "recipients_per_day", label: "Recipients a day", empty: "unlimited" },
  { name: "stored_content_bytes", label: "Bytes of stored content", empty: "unlimited" },
];

function textsOf(account: OperatorAccount, mode: Mode): Record<Quota, string> {
  const { trial, recipients_per_day, stored_content_bytes } = account[mode].quotas;
  return {
    trial: numberText(trial),
    recipients_per_day: numberText(recipients_per_day),
    stored_content_bytes: numberText(stored_content_bytes),
  };
}

/** The trial is a quota as well: an empty field ends it. */
export function QuotasDialog({ account, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const { name, tenant_id } = account;
  const changed = useChangedAccount();
  const [mode, setMode] = useState<Mode>("live");
  const [texts, setTexts] = useState(() => textsOf(account, mode));
  async function confirm(reason: string) {
    const numbers = changedNumbers(account[mode].quotas, texts);
    const body = { reason, mode, ...numbers };
    changed(await call("PATCH /api/v1/operator/accounts/{id}/quotas", { path: { id: tenant_id }, body }));
    return `The quotas of ${name} for ${mode} mail are changed.`;
  }
  const chooseMode = (chosen: Mode) => {
    setMode(chosen);
    setTexts(textsOf(account, chosen));
  };
  return (
    <ReasonDialog
      title={`Quotas and trial of ${name}`}
      onClose={onClose}
      actionLabel="Change quotas"
      fields={
        <>
          <Segments
            label="Mail"
            value={mode}
            options={[
              { value: "live", label: "Live mail" },
              { value: "test", label: "Test mail" },
            ]}
            onChange={chooseMode}
          />
          <NumberFields fields={fields} texts={texts} onChange={setTexts} />
        </>
      }
      onConfirm={confirm}
    >
      Days are from 00:00 to 24:00 UTC. A field that you empty has no quota any more; an empty trial ends it. The quota
      of queued recipients is set by postern admin limits, which also counts the queue.
    </ReasonDialog>
  );
}
