import { AppError } from "../../../errors.ts";
import type { CancelledSend } from "../../../queue/cancel-send.ts";

/** 409: what happened to the send, and what the caller can do. */
export function notCancellable(send: CancelledSend): AppError {
  return new AppError("CONFLICT", `${whatHappened(send)} It cannot be cancelled.`);
}

function whatHappened({ id, status, queueState, sentAt, errorCode }: CancelledSend): string {
  const read = `GET /api/v1/send/${id}/status`;
  if (queueState === "leased") return `A worker is submitting this send now; ${read} shows the outcome in a moment.`;
  if (queueState === "in-doubt") {
    return `Postern may have submitted this send and does not know yet whether the provider accepted it; ${read} shows it when it is known.`;
  }
  switch (status) {
    case "failed":
      return `This send has already failed with ${errorCode}, and nothing more is sent.`;
    case "suppressed":
      return "Every recipient of this send is suppressed, and nothing is sent.";
    default:
      return `The provider accepted this send at ${sentAt}, and its mail is on its way or has arrived; ${read} shows which.`;
  }
}
