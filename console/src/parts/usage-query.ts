import { keepPreviousData } from "@tanstack/react-query";
import { type Answer, call } from "../api/call.ts";
import type { Mode } from "../frame/search-state.ts";
import { isoHour, type UsageRange } from "./usage-range.ts";

type Signal = { signal: AbortSignal };

export type UsageAnswer = Answer<"GET /api/v1/usage">["data"];
export type AccountAnswer = Answer<"GET /api/v1/account">;
export type Quota = AccountAnswer["quotas"][number];

interface UsageOptions {
  by?: "hour" | "day" | "range";
  group?: "domain" | "api_key" | "tag";
  mode: Mode;
}

const pollMs = 30_000;

export function usageQuery({ from, to }: Pick<UsageRange, "from" | "to">, { by = "hour", group, mode }: UsageOptions) {
  const query = { from: isoHour(from), to: isoHour(to), by, mode, ...(group !== undefined && { group }) };
  return {
    queryKey: ["usage", mode, query],
    queryFn: async ({ signal }: Signal) => (await call("GET /api/v1/usage", { query, signal })).data,
    placeholderData: keepPreviousData<UsageAnswer>,
    refetchInterval: pollMs,
  };
}

export function accountQuery(mode: Mode) {
  return {
    queryKey: ["account", mode],
    queryFn: ({ signal }: Signal) => call("GET /api/v1/account", { query: { mode }, signal }),
    refetchInterval: pollMs,
  };
}

/** All keys that are not revoked, for their names and their expiry. */
export function keyListQuery() {
  return {
    queryKey: ["api-keys", "names"],
    queryFn: ({ signal }: Signal) => call("GET /api/v1/api-keys", { signal }),
    refetchInterval: 5 * pollMs,
  };
}
