import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ApiError } from "../../api/api-error.ts";
import type { GetSuppressionAnswer, Suppression } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import type { Mode } from "../../frame/search-state.ts";

const limit = 50;
const listMs = 60_000;
const pendingMs = 2_000;

export type Reason = Suppression["reason"];

export const reasonWords: Record<Reason, string> = {
  hard_bounce: "Hard bounce",
  complaint: "Complaint",
  manual: "Added by hand",
};

interface ListFilter {
  mode: Mode;
  reason: Reason | undefined;
  before: string | undefined;
}

export function useSuppressions({ mode, reason, before }: ListFilter) {
  return useQuery({
    queryKey: ["suppressions", mode, "list", reason, before],
    queryFn: ({ signal }) => readPage({ mode, reason, before }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: listMs,
  });
}

/** The API reads 10,000 entries to find those of a reason, so a page can be empty and not the last. */
const maxEmptyPages = 50;

async function readPage({ mode, reason, before }: ListFilter, signal: AbortSignal) {
  let page = await call("GET /api/v1/suppression", { query: { mode, reason, before, limit }, signal });
  for (let empty = 0; empty < maxEmptyPages && page.data.length === 0; empty++) {
    const next = "next_before" in page.pagination ? page.pagination.next_before : null;
    if (next === null || next === undefined) break;
    page = await call("GET /api/v1/suppression", { query: { mode, reason, before: next, limit }, signal });
  }
  return page;
}

export type AddressState = GetSuppressionAnswer["data"];

/** Both modes, because an address that is not suppressed in this mode may be in the other one. Polls while SES has not confirmed. */
export function useAddressState(email: string | undefined) {
  return useQuery({
    queryKey: ["suppressions", "address", email],
    queryFn: ({ signal }) => findAddress(email ?? "", signal),
    enabled: email !== undefined,
    refetchInterval: ({ state }) =>
      state.data?.removals.some(({ provider }) => provider.status === "pending") ? pendingMs : listMs,
  });
}

async function findAddress(email: string, signal: AbortSignal): Promise<AddressState> {
  try {
    return (await call("GET /api/v1/suppression/{email}", { path: { email }, signal })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { email, suppressions: [], removals: [] };
    throw error;
  }
}
