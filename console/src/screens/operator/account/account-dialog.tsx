import type { OperatorAccount } from "../../../api/api-types.ts";
import { LimitsDialog } from "./limits-dialog.tsx";
import { QuotasDialog } from "./quotas-dialog.tsx";
import { SwitchDialog, type SwitchName } from "./switch-dialog.tsx";

export type AccountDialogName = SwitchName | "limits" | "quotas";

/** What can be done to the account in its present state, in the order of a menu. */
export function dialogsOf({ hold, guard }: OperatorAccount): AccountDialogName[] {
  return [
    ...(hold === null ? (["hold"] as const) : (["release"] as const)),
    ...(guard.held_at === null ? [] : (["guard-release"] as const)),
    "limits",
    "quotas",
    guard.on ? "guard-off" : "guard-on",
  ];
}

interface AccountDialogProps {
  dialog: AccountDialogName;
  account: OperatorAccount;
  onClose: () => void;
}

export function AccountDialog({ dialog, account, onClose }: AccountDialogProps) {
  switch (dialog) {
    case "limits":
      return <LimitsDialog account={account} onClose={onClose} />;
    case "quotas":
      return <QuotasDialog account={account} onClose={onClose} />;
    default:
      return <SwitchDialog name={dialog} account={account} onClose={onClose} />;
  }
}
