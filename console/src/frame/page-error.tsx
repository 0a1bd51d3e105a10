import { Button } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ApiError } from "../api/api-error.ts";
import classes from "./message-page.module.css";

/** What a person sees when a page cannot be shown at all. Screens show errors of their own requests themselves. */
export function PageError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const known = error instanceof ApiError ? error : undefined;
  return (
    <main className={classes.page}>
      <h1>This page cannot be shown</h1>
      <p>{known?.message ?? "The console has a fault. Load the page again; if it happens again, report it."}</p>
      {known?.requestId === undefined ? null : <p className={classes.note}>Request {known.requestId}</p>}
      <Button onClick={() => (known === undefined ? location.reload() : void router.invalidate())}>Try again</Button>
    </main>
  );
}
