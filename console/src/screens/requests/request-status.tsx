import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import styles from "./requests.module.css";

/** Colour, icon and word: a 4xx is for the caller to change, a 5xx for the operator. */
export function RequestStatus({ status }: { status: number }) {
  const { Icon, colour } = lookOf(status);
  return (
    <span className={styles.status}>
      <Icon size={15} stroke={1.75} color={`var(--${colour})`} aria-hidden="true" />
      <span>
        {statusWord(status)} <span className="tabular">{status}</span>
      </span>
    </span>
  );
}

function lookOf(status: number) {
  if (status >= 500) return { Icon: IconAlertTriangle, colour: "bad" };
  return status >= 400 ? { Icon: IconCircleX, colour: "warn" } : { Icon: IconCircleCheck, colour: "good" };
}

export function statusWord(status: number): string {
  if (status >= 500) return "Failed";
  return status >= 400 ? "Refused" : "Accepted";
}
