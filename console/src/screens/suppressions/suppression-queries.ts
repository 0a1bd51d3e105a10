import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ApiError } from "../../api/api-error.ts";
import type { GetSuppressionAnswer } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import type { Mode } from "../../frame/search-state.ts";

const limit = 50;
const listMs = 60_000;
const pendingMs = 2_000;

export function useSuppressions(mode: Mode, before: string | undefined, isEnabled: boolean) {
  return useQuery({
    queryKey: ["suppressions", mode, "list", before],
    queryFn: ({ signal }) => call("GET /api/v1/suppression", { query: { mode, before, limit }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: listMs,
    enabled: isEnabled,
  });
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
