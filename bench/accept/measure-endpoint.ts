import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import type { TestSender } from "../../service/proofs/sends/sending-client.ts";
import type { Database } from "../../service/src/db/database.ts";
import type { Figures } from "../frame/compare.ts";
import { runWrk } from "./run-wrk.ts";

export interface Endpoint {
  name: string;
  url: string;
  /** Its processes besides PostgreSQL. */
  pids: Record<string, number>;
}

export async function measure(
  db: Database,
  { url, pids }: Endpoint,
  senders: TestSender[],
  load: { connections: number; seconds: number },
): Promise<Figures> {
  const cpuNow = async (): Promise<Record<string, number>> => ({
    ...Object.fromEntries(Object.entries(pids).map(([part, pid]) => [part, cpuSecondsOf(pid)])),
    postgres: await postgresCpuSeconds(db),
  });
  const before = await cpuNow();
  const { requests, seconds, p50, p99 } = await runWrk(url, senders, load);
  const after = await cpuNow();
  const per1000 = Object.entries(after).map(([part, used]) => {
    return [part, ((used - (before[part] ?? 0)) / requests) * 1000] as const;
  });
  return { rate: requests / seconds, cpu: Object.fromEntries(per1000), notes: { p50Ms: p50, p99Ms: p99 } };
}
