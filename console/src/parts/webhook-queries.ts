import { call } from "../api/call.ts";
import type { Mode } from "../frame/search-state.ts";

export const webhooksKey = ["webhooks"];

export function webhooksQuery(mode: Mode) {
  return {
    queryKey: [...webhooksKey, "list", mode],
    queryFn: ({ signal }: { signal: AbortSignal }) => call("GET /api/v1/webhooks", { query: { mode }, signal }),
  };
}
