import type { ReactNode } from "react";
import styles from "./facts.module.css";

export type Fact = { label: string; value: ReactNode };

/** Labels and values in two columns: "Send id", "From". A fact without a value is left out. */
export function Facts({ facts, labelWidth = 76 }: { facts: (Fact | undefined)[]; labelWidth?: number }) {
  const shown = facts.filter((fact): fact is Fact => fact !== undefined && fact.value != null);
  return (
    <dl className={styles.facts} style={{ gridTemplateColumns: `${labelWidth}px minmax(0, 1fr)` }}>
      {shown.map((fact) => (
        <div key={fact.label} className={styles.fact}>
          <dt>{fact.label}</dt>
          <dd data-copy-area="">{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}
