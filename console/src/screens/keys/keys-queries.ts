import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import type { Mode } from "../../frame/search-state.ts";
import { sendsByKey, startOfToday } from "./key-usage.ts";

export const keysQuery = {
  queryKey: ["api-keys"],
  queryFn: ({ signal }: { signal: AbortSignal }) => call("GET /api/v1/api-keys", { signal }),
  refetchInterval: 30_000,
};

/** Undefined until it is known; 0 for a key without sends. */
export function useSendsToday(mode: Mode): (keyId: string) => number | undefined {
  const { data } = useQuery({
    queryKey: ["usage", "by-key-today", mode],
    queryFn: ({ signal }) =>
      call("GET /api/v1/usage", {
        query: { group: "api_key", by: "hour", from: startOfToday(new Date()), mode },
        signal,
      }),
    refetchInterval: 30_000,
    select: (answer) => sendsByKey(answer.data.usage),
  });
  return (keyId) => (data === undefined ? undefined : (data.get(keyId) ?? 0));
}

export const domainsQuery = {
  queryKey: ["domains"],
  queryFn: ({ signal }: { signal: AbortSignal }) => call("GET /api/v1/domains", { signal }),
};
