import type { Database, Queryable } from "../../service/src/db/database.ts";
import type { Tree } from "./tree.ts";

/** One connection per step. PostgreSQL counts per connection, so reading a counter adds nothing to the step. */
export const steps = ["accept without a key", "accept with a key", "claim", "settle", "feedback"] as const;

export type Step = (typeof steps)[number];

export interface Cost {
  walBytes: number;
  /** Shared blocks that the connection found in the buffers or read. */
  blocks: number;
}

export type Costs = Record<Step, Cost>;
export type Connections = Record<Step, Database>;

export function openConnections({ openDatabase }: Tree, url: string): Connections {
  return forEachStep((applicationName) =>
    openDatabase({ url, poolSize: 1, applicationName, onIdleError: () => undefined }),
  );
}

/** What each step cost per send during `work`, which accepts `accepted` sends with a key and as many without. */
export async function costDuring(
  connections: Connections,
  reader: Queryable,
  accepted: number,
  work: () => Promise<void>,
): Promise<Costs> {
  const before = await readAll(connections, reader);
  await work();
  const after = await readAll(connections, reader);
  const costOf = (step: Step): Cost => {
    if (before[step].pid !== after[step].pid) throw new Error(`the connection of ${step} was replaced`);
    const units = step.startsWith("accept") ? accepted : 2 * accepted;
    return {
      walBytes: (after[step].walBytes - before[step].walBytes) / units,
      blocks: (after[step].blocks - before[step].blocks) / units,
    };
  };
  return forEachStep(costOf);
}

interface Counters extends Cost {
  pid: number;
}

async function readAll(connections: Connections, reader: Queryable): Promise<Record<Step, Counters>> {
  const read: Partial<Record<Step, Counters>> = {};
  for (const step of steps) {
    // A backend reports its counters at most once per second unless it is forced to.
    const [own] = await connections[step].query<{ pid: number }>({
      name: "flush-statistics",
      text: `select pg_backend_pid() as pid, pg_stat_force_next_flush()`,
    });
    const [row] = await reader.query<Counters>({
      name: "read-counters",
      text: `
        select $1::integer as pid, (select wal_bytes::float8 from pg_stat_get_backend_wal($1)) as "walBytes",
          (select sum(hits + read_bytes / 8192)::float8 from pg_stat_get_backend_io($1) where object = 'relation') as blocks`,
      values: [own?.pid],
    });
    if (row === undefined) throw new Error(`PostgreSQL returned no counters of ${step}`);
    read[step] = row;
  }
  return forEachStep((step) => read[step] ?? { pid: 0, walBytes: Number.NaN, blocks: Number.NaN });
}

function forEachStep<Value>(make: (step: Step) => Value): Record<Step, Value> {
  return {
    "accept without a key": make("accept without a key"),
    "accept with a key": make("accept with a key"),
    claim: make("claim"),
    settle: make("settle"),
    feedback: make("feedback"),
  };
}
