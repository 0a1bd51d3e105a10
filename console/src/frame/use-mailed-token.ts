import { useLocation } from "@tanstack/react-router";

/** Links in mails end with #token=…: what follows # never reaches a server or its log. */
export function useMailedToken(): string | undefined {
  const { hash } = useLocation();
  return new URLSearchParams(hash).get("token") ?? undefined;
}
