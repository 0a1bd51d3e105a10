import { type ReactNode, useId } from "react";
import { formatNumber } from "./format-number.ts";
import styles from "./panel.module.css";

export type PanelProps = {
  heading?: ReactNode;
  /** A number, a short remark or a link beside the heading. */
  count?: ReactNode;
  /** Right end of the header: a remark, a button, segments. */
  aside?: ReactNode;
  /** Without padding, for tables and lists that have their own. */
  flush?: boolean;
  children: ReactNode;
};

export function Panel({ heading, count, aside, flush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={heading === undefined ? undefined : id}>
      {heading !== undefined && (
        <header className={styles.header}>
          <h2 className={styles.heading} id={id}>
            {heading}
          </h2>
          {count !== undefined && (
            <span className={styles.count}>{typeof count === "number" ? formatNumber(count) : count}</span>
          )}
          {aside !== undefined && <div className={styles.aside}>{aside}</div>}
        </header>
      )}
      {flush ? children : <div className={styles.body}>{children}</div>}
    </section>
  );
}
