import { randomUUID } from "node:crypto";
import type { ProcessHeartbeat } from "../src/status/process-store.ts";

/** The heartbeat of a healthy worker. */
export function aHeartbeat(overrides: Partial<ProcessHeartbeat> = {}): ProcessHeartbeat {
  return {
    id: randomUUID(),
    role: "worker",
    name: "mail-1/7",
    version: "0.1.0",
    startedSecondsAgo: 60,
    claimsFailingSeconds: null,
    choresFailingSeconds: null,
    claimedSecondsAgo: { live: null, test: null },
    isClaimable: { live: false, test: false },
    chores: [],
    chorePauseSeconds: {},
    ...overrides,
  };
}
