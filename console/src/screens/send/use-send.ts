import { useQuery } from "@tanstack/react-query";
import type { SendRecord, Timeline } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { isOpen, outcomesOf } from "./outcome.ts";

export interface LoadedSend {
  send: SendRecord;
  timeline: Timeline;
}

const quickMs = 2_000;
const slowMs = 15_000;
/** A receiving server that has not answered by then seldom answers within the next seconds. */
const quickForMs = 10 * 60_000;

/** An open send is read every 2 s until it is final; one that SES has retried for ten minutes every 15 s. */
export function useSend(id: string) {
  return useQuery({
    queryKey: ["sends", "one", id],
    queryFn: async ({ signal }): Promise<LoadedSend> => {
      const [send, timeline] = await Promise.all([
        call("GET /api/v1/send/{id}/status", { path: { id }, signal }),
        call("GET /api/v1/send/{id}/timeline", { path: { id }, signal }),
      ]);
      return { send, timeline };
    },
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : pollMs(data, Date.now())),
  });
}

export function pollMs({ send, timeline }: LoadedSend, now: number): number | false {
  if (!isOpen(outcomesOf(send, timeline))) return false;
  const isWithPostern = timeline.status === "queued" || timeline.status === "processing";
  const age = now - Date.parse(send.queued_at);
  return isWithPostern || age < quickForMs ? quickMs : slowMs;
}
