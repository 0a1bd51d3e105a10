import type { ReactNode } from "react";
import { useEffect } from "react";
import classes from "./entry-page.module.css";
import { Mark } from "./mark.tsx";

/** The frame of pages without a session: log-in, password reset, invitation. */
export function EntryPage({
  title,
  error,
  children,
}: {
  title: string;
  error?: string | undefined;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Postern`;
  }, [title]);
  return (
    <main className={classes.page}>
      <div className={classes.panel}>
        <Mark />
        <h1>{title}</h1>
        <p className={classes.host}>{location.host}</p>
        {error === undefined ? null : (
          <p role="alert" className={classes.error}>
            {error}
          </p>
        )}
        {children}
      </div>
    </main>
  );
}
