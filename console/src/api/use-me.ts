import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { Me } from "./api-types.ts";
import { call } from "./call.ts";

export const meQuery = {
  queryKey: ["me"],
  queryFn: ({ signal }: { signal: AbortSignal }) => call("GET /api/v1/auth/me", { signal }),
  staleTime: 60_000,
};

/** The person, the chosen account and the role in it. Available on every page behind the log-in. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** The role decides what a page offers. The API checks it again at each request. */
export function useMay(): { write: boolean; manage: boolean } {
  const role = useQuery(meQuery).data?.role ?? "viewer";
  return { write: role !== "viewer", manage: role === "owner" };
}
