import type { OperatorAccount } from "../../../api/api-types.ts";
import { call } from "../../../api/call.ts";
import { ReasonDialog } from "../reason-dialog.tsx";
import { useChangedAccount } from "./use-changed-account.ts";

export type SwitchName = "hold" | "release" | "guard-release" | "guard-off" | "guard-on";

interface SwitchTexts {
  title: string;
  text: string;
  actionLabel: string;
  done: string;
  danger?: true;
}

function textsOf(name: SwitchName, account: string): SwitchTexts {
  switch (name) {
    case "hold":
      return {
        title: `Hold the mail of ${account}?`,
        text: "The API still accepts its mail, live and test, which waits in the queue until you release it. Mail of other accounts goes on.",
        actionLabel: "Hold mail",
        done: `The mail of ${account} is on hold.`,
        danger: true,
      };
    case "release":
      return {
        title: `Release the mail of ${account}?`,
        text: "Parked mail goes out within a second, however old it is. To end mail that nobody wants any more, run postern admin discard first. A hold of the guard stays.",
        actionLabel: "Release mail",
        done: `The mail of ${account} is released.`,
      };
    case "guard-release":
      return {
        title: `End the hold of the guard on ${account}?`,
        text: "Parked live mail goes out, and its outcomes do not count: the guard counts from zero. Release it after the account has fixed the cause. A hold of an operator stays.",
        actionLabel: "End the hold",
        done: `The guard has released ${account}.`,
      };
    case "guard-off":
      return {
        title: `Turn the guard off for ${account}?`,
        text: "The guard still counts and warns, and never holds this account. Its bounces and complaints can then pause the mail of all accounts at SES.",
        actionLabel: "Turn off",
        done: `The guard is off for ${account}.`,
        danger: true,
      };
    case "guard-on":
      return {
        title: `Turn the guard on for ${account}?`,
        text: "The next check uses everything that was counted meanwhile, and may hold the live mail at once.",
        actionLabel: "Turn on",
        done: `The guard is on for ${account}.`,
      };
  }
}

interface SwitchDialogProps {
  name: SwitchName;
  account: OperatorAccount;
  onClose: () => void;
}

/** The actions that need nothing but a reason. */
export function SwitchDialog({ name, account, onClose }: SwitchDialogProps) {
  const changed = useChangedAccount();
  const { text, done, ...texts } = textsOf(name, account.name);
  async function confirm(reason: string) {
    changed(await change(name, account.tenant_id, reason));
    return done;
  }
  return (
    <ReasonDialog {...texts} onClose={onClose} onConfirm={confirm}>
      {text}
    </ReasonDialog>
  );
}

function change(name: SwitchName, id: string, reason: string): Promise<OperatorAccount> {
  const path = { id };
  switch (name) {
    case "hold":
      return call("POST /api/v1/operator/accounts/{id}/hold", { path, body: { reason } });
    case "release":
      return call("POST /api/v1/operator/accounts/{id}/release", { path, body: { reason } });
    case "guard-release":
      return call("POST /api/v1/operator/accounts/{id}/guard/release", { path, body: { reason } });
    case "guard-off":
    case "guard-on":
      return call("POST /api/v1/operator/accounts/{id}/guard", { path, body: { reason, on: name === "guard-on" } });
  }
}
