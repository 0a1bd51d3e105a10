import { notifications } from "@mantine/notifications";
import { errorFacts } from "./error-facts.ts";

const closeButtonProps = { "aria-label": "Close" };

/** Says that an action is done. Actions of a dialog report inside the dialog instead. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: "gray", autoClose: 4000, closeButtonProps });
}

export function notifyFailed(error: unknown): void {
  const { message, requestId } = errorFacts(error);
  const note = requestId === undefined ? message : `${message} (request ${requestId})`;
  notifications.show({ message: note, color: "red", autoClose: 12_000, closeButtonProps });
}
