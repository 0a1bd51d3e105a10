import { useQueries } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import type { Suppression } from "./api-types.ts";
import { type Answer, call } from "./call.ts";

type Mode = "live" | "test";
type State = Answer<"GET /api/v1/suppression/{email}">["data"];

/** The entry and the last removal of one address in one mode. The API answers 404 for an address that has neither. */
export async function findSuppression(mode: Mode, email: string, signal: AbortSignal) {
  const { suppressions, removals } = await readState(mode, email, signal);
  return {
    suppression: suppressions.find((entry) => entry.mode === mode) ?? null,
    removal: removals.find((entry) => entry.mode === mode),
  };
}

async function readState(
  mode: Mode,
  email: string,
  signal: AbortSignal,
): Promise<Pick<State, "suppressions" | "removals">> {
  try {
    return (await call("GET /api/v1/suppression/{email}", { path: { email }, query: { mode }, signal })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { suppressions: [], removals: [] };
    throw error;
  }
}

/** Undefined for an address whose answer has not arrived, or that was not asked for. */
export function useSuppressions(
  mode: Mode,
  addresses: readonly string[],
): (address: string) => Suppression | null | undefined {
  const results = useQueries({
    queries: addresses.map((email) => ({
      queryKey: ["suppressions", mode, "one", email],
      queryFn: async ({ signal }: { signal: AbortSignal }) => (await findSuppression(mode, email, signal)).suppression,
    })),
  });
  return (address) => results[addresses.indexOf(address)]?.data;
}
