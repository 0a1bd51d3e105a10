import type { Phase } from "./source-plan.ts";

/** How one worker gets its credentials. Undefined: two fixed keys that never expire. */
export type WorkerSource = { by: "process" | "endpoint"; phases: Phase[] } | undefined;

export interface Stage {
  name: string;
  workers: WorkerSource[];
  /** Seconds after the start at which the second half of the sends is queued. The first half is queued before the start. */
  secondHalfAt: number;
  /** The first worker is stopped from here to there, as by a debugger or a paused machine. */
  stopped?: { from: number; to: number };
  /** The source never recovers: every send must stay queued. */
  neverRecovers?: true;
  isInSmall?: true;
}

const bySource = (by: "process" | "endpoint", ...phases: Phase[]): WorkerSource => ({ by, phases });
const forSeconds = (seconds: number, does: Phase["does"]): Phase => ({ seconds, does });
const forever = 100 * 24 * 3_600;

/** Seconds at full size; the small size divides them. */
export const stages: Stage[] = [
  {
    name: "a process that takes 1 s",
    workers: [bySource("process", forSeconds(1, "hang"))],
    secondHalfAt: 5,
  },
  {
    name: "a process that hangs 30 s at first use",
    workers: [bySource("process", forSeconds(30, "hang")), bySource("process", forSeconds(30, "hang"))],
    secondHalfAt: 20,
  },
  {
    name: "a process of one of two workers that hangs 215 s",
    workers: [bySource("process", forSeconds(215, "hang")), undefined],
    secondHalfAt: 100,
  },
  {
    name: "processes that hang 300 s",
    workers: [bySource("process", forSeconds(300, "hang")), bySource("process", forSeconds(300, "hang"))],
    secondHalfAt: 150,
  },
  {
    name: "a process that hangs 100 s at a refresh",
    workers: [bySource("process", forSeconds(10, "answer"), forSeconds(100, "hang")), undefined],
    secondHalfAt: 15,
    isInSmall: true,
  },
  {
    name: "a process that fails, then hangs 90 s, then works",
    workers: [bySource("process", forSeconds(30, "fail"), forSeconds(90, "hang"))],
    secondHalfAt: 40,
  },
  {
    name: "a process whose first run never ends",
    workers: [bySource("process", forSeconds(60, "never"))],
    secondHalfAt: 70,
  },
  {
    name: "an endpoint that hangs 150 s",
    workers: [bySource("endpoint", forSeconds(150, "hang")), undefined],
    secondHalfAt: 75,
  },
  {
    name: "an endpoint that answers byte by byte for 120 s",
    workers: [bySource("endpoint", forSeconds(120, "trickle")), undefined],
    secondHalfAt: 60,
    isInSmall: true,
  },
  {
    name: "an endpoint that never answers for 60 s, then fails for 30 s, then works",
    workers: [bySource("endpoint", forSeconds(60, "never"), forSeconds(30, "fail"))],
    secondHalfAt: 70,
  },
  {
    name: "a worker that is stopped for 100 s while its credentials load",
    workers: [bySource("process", forSeconds(8, "hang")), undefined],
    secondHalfAt: 50,
    stopped: { from: 4, to: 104 },
  },
  {
    name: "a process that never answers",
    workers: [bySource("process", forSeconds(forever, "never"))],
    secondHalfAt: 30,
    neverRecovers: true,
    isInSmall: true,
  },
];
