import { useState } from "react";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { call } from "../../../api/call.ts";
import { ReasonDialog } from "../reason-dialog.tsx";
import { changedNumbers, numberText } from "./changed-numbers.ts";
import { type NumberField, NumberFields } from "./number-fields.tsx";
import { useChangedAccount } from "./use-changed-account.ts";

type Limit = keyof OperatorAccount["limits"];

const fields: NumberField<Limit>[] = [
  { name: "per_second", label: "Sends a second" },
  { name: "per_10_seconds", label: "Sends in 10 seconds" },
  { name: "per_minute", label: "Sends a minute" },
  { name: "domain_changes_per_minute", label: "Domain changes a minute" },
  { name: "domains", label: "Domains" },
  { name: "api_keys", label: "API keys" },
];

export function LimitsDialog({ account, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const { limits, name, tenant_id } = account;
  const changed = useChangedAccount();
  const [texts, setTexts] = useState(
    () =>
      Object.fromEntries(fields.map((field) => [field.name, numberText(limits[field.name])])) as Record<Limit, string>,
  );
  async function confirm(reason: string) {
    // Every field is required, so none is null.
    const numbers = changedNumbers(limits, texts) as Partial<Record<Limit, number>>;
    changed(
      await call("PATCH /api/v1/operator/accounts/{id}/limits", {
        path: { id: tenant_id },
        body: { reason, ...numbers },
      }),
    );
    return `The limits of ${name} are changed.`;
  }
  return (
    <ReasonDialog
      title={`Limits of ${name}`}
      onClose={onClose}
      actionLabel="Change limits"
      fields={<NumberFields fields={fields} texts={texts} onChange={setTexts} />}
      onConfirm={confirm}
    >
      Requests above a limit get 429. Live and test mail share the limits of domains and keys.
    </ReasonDialog>
  );
}
