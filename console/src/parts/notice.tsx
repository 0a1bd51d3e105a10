import { IconAlertTriangle, IconCircleX, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import styles from "./notice.module.css";

const icons = { info: IconInfoCircle, warn: IconAlertTriangle, bad: IconCircleX };

export type NoticeProps = {
  kind?: "info" | "warn" | "bad";
  /** A sentence, in bold. */
  title?: ReactNode;
  children?: ReactNode;
  /** A button or a link at the right end. */
  action?: ReactNode;
};

/** A remark with its icon, in a box of its own or as an entry of a list of problems. */
export function Notice({ kind = "info", title, children, action }: NoticeProps) {
  const Icon = icons[kind];
  return (
    <div className={styles.notice} data-kind={kind}>
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      <div>
        {title !== undefined && <b>{title}</b>}
        {children !== undefined && <div className={styles.text}>{children}</div>}
      </div>
      {action !== undefined && <div className={styles.action}>{action}</div>}
    </div>
  );
}
