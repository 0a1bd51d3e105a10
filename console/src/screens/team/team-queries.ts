import { call } from "../../api/call.ts";

type Signal = { signal: AbortSignal };

export const membersQuery = {
  queryKey: ["members"],
  queryFn: ({ signal }: Signal) => call("GET /api/v1/members", { signal }),
};

export const invitationsQuery = {
  queryKey: ["invitations"],
  queryFn: ({ signal }: Signal) => call("GET /api/v1/invitations", { signal }),
  // A colleague may accept one while the page is open.
  refetchInterval: 30_000,
};
