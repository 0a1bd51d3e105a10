import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Event, ListEventsQuery } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { findSuppression } from "../../api/use-suppressions.ts";
import type { Mode } from "../../frame/search-state.ts";
import type { AddressFacts } from "./address-facts.ts";
import type { RecipientEvents } from "./recipient-status.ts";

const maxEvents = 100;

type EventQuery = Omit<ListEventsQuery, "mode" | "recipient">;

async function readEvents(recipient: string, mode: Mode, query: EventQuery, signal: AbortSignal) {
  const { data } = await call("GET /api/v1/events", { query: { recipient, mode, ...query }, signal });
  const isComplete = "next_before" in data.pagination && data.pagination.next_before === null;
  return { events: data.events, isComplete };
}

/** The newest events of the address. The rows of the table and the card share one request. */
function newestEvents(recipient: string, mode: Mode) {
  return queryOptions({
    queryKey: ["events", mode, "recipient", recipient.toLowerCase()],
    queryFn: ({ signal }) => readEvents(recipient, mode, { limit: maxEvents }, signal),
    staleTime: 2_000,
  });
}

/** Everything that the card of an address says, in one go: it appears when all of it is known. */
export function useAddress(recipient: string, mode: Mode) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["suppressions", mode, "address", recipient.toLowerCase()],
    queryFn: async ({ signal }): Promise<AddressFacts> => {
      const [{ suppression, removal }, known] = await Promise.all([
        findSuppression(mode, recipient, signal),
        queries.fetchQuery(newestEvents(recipient, mode)),
      ]);
      const newest = async (type: Event["event_type"]) => {
        const found = known.events.find(({ event_type }) => event_type === type);
        if (found !== undefined || known.isComplete) return found;
        return (await readEvents(recipient, mode, { type, limit: 1 }, signal)).events[0];
      };
      const [lastDelivery, lastBounce, lastComplaint] = await Promise.all([
        newest("Delivery"),
        newest("Bounce"),
        newest("Complaint"),
      ]);
      return {
        address: recipient,
        suppression,
        filtered:
          suppression === null
            ? { count: 0, more: false }
            : await countFiltered({ recipient, mode, since: suppression.suppressed_at, known }, signal),
        lastDelivery,
        lastBounce,
        lastComplaint,
        removal: removal && {
          removedAt: removal.removed_at,
          by: removal.removed_by.name,
          provider: removal.provider.status,
        },
      };
    },
    refetchInterval: 15_000,
  });
}

interface Filtered {
  recipient: string;
  mode: Mode;
  since: string;
  known: RecipientEvents;
}

async function countFiltered({ recipient, mode, since, known }: Filtered, signal: AbortSignal) {
  if (known.isComplete) {
    const isFiltered = ({ event_type, event_timestamp }: Event) =>
      event_type === "Suppression" && Date.parse(event_timestamp) >= Date.parse(since);
    return { count: known.events.filter(isFiltered).length, more: false };
  }
  const query = { type: "Suppression", since, limit: maxEvents } as const;
  const { events, isComplete } = await readEvents(recipient, mode, query, signal);
  return { count: events.length, more: !isComplete && events.length === maxEvents };
}

/** For the rows of sends with several recipients. */
export function useRecipientEvents(recipient: string | undefined, mode: Mode): RecipientEvents | undefined {
  return useQuery({
    ...newestEvents(recipient ?? "", mode),
    enabled: recipient !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  }).data;
}

/** The subject of the send behind an event. */
export function useSubject(sendId: string | undefined): string | undefined {
  return useQuery({
    queryKey: ["sends", "subject", sendId],
    queryFn: ({ signal }) => call("GET /api/v1/send/{id}/status", { path: { id: sendId ?? "" }, signal }),
    enabled: sendId !== undefined,
    staleTime: 60_000,
  }).data?.subject;
}
