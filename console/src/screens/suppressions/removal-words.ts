import type { SuppressionRemoval } from "../../api/api-types.ts";
import { formatClock, formatDateTime, toMilliseconds } from "../../parts/format-time.ts";

export interface RemovalWords {
  kind: "info" | "warn";
  title: string;
  /** Whether SES removed it too, and what happens next. */
  ses: string;
}

const errors = {
  throttled: "SES limits such requests at the moment.",
  unavailable: "SES did not answer.",
  denied: "SES denied it: the operator of Postern has to check the permissions in AWS.",
  limit_reached: "SES refused it because a limit of its account is reached.",
  invalid: "",
};

/** The last removal of an address from the list of the account, and its outcome at SES. */
export function describeRemoval(email: string, removal: SuppressionRemoval): RemovalWords {
  const { removed_at, removed_by, provider } = removal;
  const by = removed_by.name === null ? "" : ` by ${removed_by.kind === "key" ? "the API key " : ""}${removed_by.name}`;
  const title = `${email} was removed on ${formatDateTime(toMilliseconds(removed_at))}${by}.`;
  const isLoud = provider.status === "kept" || provider.status === "refused" || provider.error === "denied";
  return { kind: isLoud ? "warn" : "info", title, ses: describeProvider(removal) };
}

function describeProvider({ mode, provider }: SuppressionRemoval): string {
  const { status, finished_at, next_try_at, error } = provider;
  switch (status) {
    case "not_needed":
      return mode === "test"
        ? "Test mail never reaches SES, so there was nothing to remove there."
        : "SES did not report its bounce or complaint, so Postern did not ask SES to remove it.";
    case "removed":
      return `SES removed it too${finished_at === null ? "" : `, at ${formatClock(toMilliseconds(finished_at))}`}.`;
    case "kept":
      return "SES still has it: the recipient complained after the removal, so Postern left it on the list of SES.";
    case "refused":
      return "SES did not remove it: it does not accept this address. Postern does not ask again.";
    case "pending": {
      const reason = error === null ? "" : ` ${errors[error]}`;
      const next = next_try_at === null ? "shortly" : `at ${formatClock(toMilliseconds(next_try_at))}`;
      return `SES has not confirmed its removal yet.${reason} Postern asks SES ${next}.`;
    }
  }
}
