import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Domain } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";

/** The person who published the records waits for this page. */
const pendingMs = 2_000;
const verifiedMs = 60_000;
const checkingMs = 1_500;
/** The API allows 6 looks a minute for a domain; two people may have the page open. */
const pendingLookMs = 30_000;

export function useDomain(id: string, isChecking: boolean) {
  return useQuery({
    queryKey: ["domains", id],
    queryFn: ({ signal }) => call("GET /api/v1/domains/{id}", { path: { id: Number(id) }, signal }),
    refetchInterval: ({ state }) => {
      if (isChecking) return checkingMs;
      return isSettled(state.data) ? verifiedMs : pendingMs;
    },
  });
}

/** What DNS answers now. It takes up to 5 seconds, so the page shows the last check until then. */
export function useLiveDns(id: string, domain: Domain | undefined) {
  return useQuery({
    queryKey: ["domains", id, "dns", domain?.mail_from?.domain],
    queryFn: ({ signal }) => call("GET /api/v1/domains/{id}/dns", { path: { id: Number(id) }, signal }),
    enabled: domain !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    refetchInterval: isSettled(domain) ? false : pendingLookMs,
    retry: false,
  });
}

/** Nothing is expected to change soon. */
function isSettled(domain: Domain | undefined): boolean {
  return domain?.verification_status === "Success" && domain.mail_from?.status !== "Pending";
}
