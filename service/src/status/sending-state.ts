import type { Queryable } from "../db/database.ts";
import { type FeedbackState, readFeedbackState, unknownFeedbackState } from "../feedback/feedback-gap.ts";
import type { Mode } from "../mode.ts";
import type { Hold } from "../provider/email-provider.ts";
import { type ReputationRow, type ReputationState, reputationColumns, reputationOf } from "./reputation.ts";

export type QueueState = "ready" | "waiting" | "leased" | "in-doubt" | "parked";

/** The state of sending in one mode. Reading it costs little, however long the queue is. */
export interface SendingState {
  mode: Mode;
  queue: Record<QueueState, QueueCount>;
  /** The hold that the provider's answers caused; null while the provider accepts mail. */
  hold: { reason: Hold; heldSeconds: number; probeInSeconds: number } | null;
  operatorHold: { heldSeconds: number; note: string | null } | null;
  /** The rate that the provider allows, and when a worker last read it. */
  rate: { maxPerSecond: number | null; readSecondsAgo: number | null };
  /** The recipients of 24 hours, as the provider counts them, read with the rate. Without `max` beside `used` it is unlimited. */
  daily: { max: number | null; used: number | null };
  reputation: ReputationState;
  feedback: FeedbackState;
}

export interface QueueCount {
  /** Equal to the count limit when there are that many or more. */
  sends: number;
  /** Time since the oldest counted send was accepted; in doubt: since its attempt; parked: since it was parked. */
  oldestSeconds: number | null;
}

const modes = ["live", "test"] as const;

export async function readSendingStates(
  db: Queryable,
  feedbackRule: { feedbackGapSeconds: number; hasFeedbackQueue: boolean },
  countLimit: number,
): Promise<SendingState[]> {
  const [counts, providers, feedback] = await Promise.all([
    countQueue(db, countLimit),
    readProviders(db),
    Promise.all(modes.map((mode) => readFeedbackState(db, mode, feedbackRule))),
  ]);
  return modes.map((mode, index) => ({
    mode,
    queue: queueOf(counts.filter((row) => row.mode === mode)),
    ...providerOf(providers.find((row) => row.mode === mode)),
    feedback: feedback[index] ?? unknownFeedbackState,
  }));
}

type CountRow = QueueCount & { mode: Mode; state: QueueState };

/** Ready sends have an index of their own; the other states share one. Each branch reads its index in order up to the limit. */
async function countQueue(db: Queryable, countLimit: number): Promise<CountRow[]> {
  return db.query<CountRow>({
    name: "count-queue",
    text: `
      select modes.mode, 'ready' as state, counted.sends,
        extract(epoch from now() - time_of_id(counted.oldest::uuid))::float8 as "oldestSeconds"
      from (values ('live'), ('test')) as modes (mode)
      cross join lateral (
        select count(*) as sends, min(id::text collate "C") as oldest
        from (
          select id
          from send_queue
          where state = 'ready' and mode = modes.mode
          order by fair_at
          limit $1
        ) as first_ones
      ) as counted
      union all
      select modes.mode, states.state, counted.sends,
        extract(epoch from now() - case
          when states.state in ('in-doubt', 'parked') then counted.since
          else time_of_id(counted.oldest::uuid) end)::float8
      from (values ('live'), ('test')) as modes (mode)
      cross join (values ('waiting'), ('leased'), ('in-doubt'), ('parked')) as states (state)
      cross join lateral (
        select count(*) as sends, min(id::text collate "C") as oldest, min(due_at) as since
        from (
          select id, due_at
          from send_queue
          where state <> 'ready' and state = states.state and mode = modes.mode
          order by due_at
          limit $1
        ) as first_ones
      ) as counted`,
    values: [countLimit],
  });
}

function queueOf(rows: CountRow[]): SendingState["queue"] {
  const countOf = (wanted: QueueState): QueueCount => {
    const { sends = 0, oldestSeconds = null } = rows.find(({ state }) => state === wanted) ?? {};
    return { sends, oldestSeconds };
  };
  return {
    ready: countOf("ready"),
    waiting: countOf("waiting"),
    leased: countOf("leased"),
    "in-doubt": countOf("in-doubt"),
    parked: countOf("parked"),
  };
}

interface ProviderRow extends ReputationRow {
  mode: Mode;
  maxPerSecond: number | null;
  maxPerDay: number | null;
  usedPerDay: number | null;
  readSecondsAgo: number | null;
  reason: Hold | null;
  heldSeconds: number | null;
  probeInSeconds: number | null;
  operatorHeldSeconds: number | null;
  operatorNote: string | null;
}

async function readProviders(db: Queryable): Promise<ProviderRow[]> {
  return db.query<ProviderRow>({
    name: "read-providers",
    text: `
      select mode, max_per_second as "maxPerSecond", max_per_day as "maxPerDay", used_per_day as "usedPerDay",
        extract(epoch from now() - quota_read_at)::float8 as "readSecondsAgo",
        hold_reason as reason, extract(epoch from now() - held_since)::float8 as "heldSeconds",
        greatest(0, extract(epoch from probe_at - now()))::float8 as "probeInSeconds",
        extract(epoch from now() - operator_held_since)::float8 as "operatorHeldSeconds", operator_note as "operatorNote",
        ${reputationColumns}
      from provider_state`,
  });
}

type ProviderState = Pick<SendingState, "hold" | "operatorHold" | "rate" | "daily" | "reputation">;

function providerOf(row: ProviderRow | undefined): ProviderState {
  const { reason = null, heldSeconds = null, probeInSeconds, operatorHeldSeconds = null, operatorNote } = row ?? {};
  return {
    hold: reason === null ? null : { reason, heldSeconds: heldSeconds ?? 0, probeInSeconds: probeInSeconds ?? 0 },
    operatorHold:
      operatorHeldSeconds === null ? null : { heldSeconds: operatorHeldSeconds, note: operatorNote ?? null },
    rate: { maxPerSecond: row?.maxPerSecond ?? null, readSecondsAgo: row?.readSecondsAgo ?? null },
    daily: { max: row?.maxPerDay ?? null, used: row?.usedPerDay ?? null },
    reputation: reputationOf(row),
  };
}
