import type { ReactNode } from "react";
import styles from "./state.module.css";

export type EmptyStateProps = {
  /** Says what was searched: "No delivered mail to jane@… in the last 30 days". */
  title: string;
  children?: ReactNode;
  /** Only a step that leads to a result. */
  action?: ReactNode;
};

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.state}>
      <h2 className={styles.title}>{title}</h2>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {action !== undefined && <div className={styles.actions}>{action}</div>}
    </div>
  );
}

export type WayOut = { icon: ReactNode; title: string; note?: ReactNode; action: ReactNode };

/** Other spots to look at, each with its link. Use it as a child of EmptyState. */
export function WaysOut({ ways }: { ways: WayOut[] }) {
  return (
    <ul className={styles.ways}>
      {ways.map((way) => (
        <li key={way.title}>
          <span className={styles.wayIcon}>{way.icon}</span>
          <span>
            <b>{way.title}</b>
            {way.note !== undefined && <small>{way.note}</small>}
          </span>
          {way.action}
        </li>
      ))}
    </ul>
  );
}
