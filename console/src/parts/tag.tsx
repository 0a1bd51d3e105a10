import type { ReactNode } from "react";
import styles from "./tag.module.css";

/** A small grey label: "+2", "to", a tag of a send. */
export function Tag({ children, title }: { children: ReactNode; title?: string }) {
  return (
    <span className={styles.tag} title={title}>
      {children}
    </span>
  );
}
