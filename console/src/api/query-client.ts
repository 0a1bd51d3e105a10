import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        // Only what can pass by itself is tried again; a 404 or 403 stays what it is.
        retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (count) => 500 * 2 ** count,
        // TanStack Query does not poll hidden pages unless this is true.
        refetchIntervalInBackground: false,
      },
    },
  });
}
