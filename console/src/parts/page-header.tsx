import { IconChevronRight } from "@tabler/icons-react";
import { type ReactNode, useEffect } from "react";
import { AppLink } from "./app-link.tsx";
import styles from "./page-header.module.css";

export type PageHeaderProps = {
  title: string;
  /** The page above: it stands before the title. */
  breadcrumb?: { label: string; href: string };
  /** A quiet remark right after the title. */
  note?: ReactNode;
  /** Right end: times, segments, buttons. */
  aside?: ReactNode;
};

/** The heading of a page. It also names the browser tab. */
export function PageHeader({ title, breadcrumb, note, aside }: PageHeaderProps) {
  const tab = breadcrumb === undefined ? title : `${title} · ${breadcrumb.label}`;
  useEffect(() => {
    document.title = `${tab} · Postern`;
  }, [tab]);
  return (
    <header className={styles.header}>
      {breadcrumb && (
        <nav className={styles.breadcrumb} aria-label="Breadcrumb">
          <AppLink href={breadcrumb.href}>{breadcrumb.label}</AppLink>
          <IconChevronRight size={14} stroke={1.75} aria-hidden="true" />
        </nav>
      )}
      <h1 className={styles.title} title={title}>
        {title}
      </h1>
      {note !== undefined && <span className={styles.note}>{note}</span>}
      {aside !== undefined && <div className={styles.aside}>{aside}</div>}
    </header>
  );
}
