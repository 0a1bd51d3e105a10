import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ApiError } from "../../api/api-error.ts";
import { type Answer, call } from "../../api/call.ts";
import { useMe } from "../../api/use-me.ts";

export type OperatorStatus = Answer<"GET /api/v1/operator/status">;
export type OperatorSes = Answer<"GET /api/v1/operator/ses">;

interface Signal {
  signal: AbortSignal;
}

interface OperatorQuery<Data> {
  queryKey: readonly unknown[];
  queryFn: (context: Signal) => Promise<Data>;
  refetchInterval: number;
  placeholderData?: typeof keepPreviousData;
}

/** Asks the API only for a person with the flag: it would refuse everybody else. */
export function useOperatorQuery<Data>(query: OperatorQuery<Data>) {
  const { is_operator } = useMe();
  return useQuery<Data, ApiError>({ ...query, enabled: is_operator });
}

/** The API reads the state of the installation at most once a second. */
export const statusQuery = {
  queryKey: ["operator", "status"],
  queryFn: ({ signal }: Signal) => call("GET /api/v1/operator/status", { signal }),
  refetchInterval: 5_000,
};

export const processesQuery = {
  queryKey: ["operator", "processes"],
  queryFn: ({ signal }: Signal) => call("GET /api/v1/operator/processes", { signal }),
  refetchInterval: 5_000,
};

export const sesQuery = {
  queryKey: ["operator", "ses"],
  queryFn: ({ signal }: Signal) => call("GET /api/v1/operator/ses", { signal }),
  refetchInterval: 15_000,
};

export const accountSorts = ["bounce_rate", "complaint_rate", "volume", "created"] as const;
export type AccountSort = (typeof accountSorts)[number];

export const accountsKey = ["operator", "accounts"];

export function accountsQuery(query: { sort: AccountSort; search?: string; after?: string; limit: number }) {
  return {
    queryKey: [...accountsKey, query],
    queryFn: ({ signal }: Signal) => call("GET /api/v1/operator/accounts", { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  };
}

export function accountQuery(id: string) {
  return {
    queryKey: [...accountsKey, id],
    queryFn: ({ signal }: Signal) => call("GET /api/v1/operator/accounts/{id}", { path: { id }, signal }),
    refetchInterval: 10_000,
  };
}

export const quarantineKey = ["operator", "quarantine"];

export function quarantineQuery(before: string | undefined) {
  return {
    queryKey: [...quarantineKey, before ?? null],
    queryFn: ({ signal }: Signal) => call("GET /api/v1/operator/quarantine", { query: { before, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  };
}
