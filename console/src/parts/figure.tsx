import { IconArrowRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { AppLink } from "./app-link.tsx";
import styles from "./figure.module.css";

export type FigureProps = {
  label: string;
  value: ReactNode;
  unit?: string;
  note?: ReactNode;
  /** The list behind the figure. */
  href?: string;
  /** What is counted, on hover. */
  title?: string;
};

/** A row of figures in one panel. `small` has figures of 20 px, for seven of them. */
export function FigureStrip({ small = false, children }: { small?: boolean; children: ReactNode }) {
  return (
    <div className={styles.strip} data-small={small || undefined}>
      {children}
    </div>
  );
}

export function Figure({ label, value, unit, note, href, title }: FigureProps) {
  const content = (
    <>
      <span className={styles.label}>
        {label}
        {href !== undefined && <IconArrowRight className={styles.arrow} size={15} stroke={1.75} aria-hidden="true" />}
      </span>
      <span className={styles.value}>
        {value}
        {unit !== undefined && <small>{unit}</small>}
      </span>
      <span className={styles.note}>{note ?? "\u00a0"}</span>
    </>
  );
  if (href === undefined) {
    return (
      <div className={styles.figure} title={title}>
        {content}
      </div>
    );
  }
  return (
    <AppLink className={styles.figure} href={href} title={title}>
      {content}
    </AppLink>
  );
}

/** The figure of a rate panel: 28 px. */
export function BigFigure({ value, unit }: { value: ReactNode; unit?: string }) {
  return (
    <span className={`${styles.value} ${styles.big}`}>
      {value}
      {unit !== undefined && <small>{unit}</small>}
    </span>
  );
}
