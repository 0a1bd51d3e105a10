import { setTimeout as sleep } from "node:timers/promises";
import type { Chore } from "../loops/chores.ts";
import { checkDueDomains, type VerificationDeps } from "./check-due-domains.ts";
import { refreshDkim } from "./refresh-dkim.ts";
import type { DomainDeps } from "./register-domain.ts";
import { finishRemovals } from "./remove-domain.ts";
import { countWaitingForDkim } from "./verification-store.ts";

const checkedAtOnce = 50;
const longestRunMs = 60_000;
const removedAtOnce = 20;
const listedAtLeastEveryMs = 3_600_000;

/** What keeps the state of domains true without anyone asking. */
export function domainChores(deps: DomainDeps & VerificationDeps): Chore[] {
  let listedAt = Number.NEGATIVE_INFINITY;
  return [
    {
      name: "check-domains",
      pauseSeconds: 1,
      run: async () => {
        // A run ends long before it would be taken for dead, however many domains are due.
        const endsAt = performance.now() + longestRunMs;
        while (performance.now() < endsAt && (await checkDueDomains(deps, checkedAtOnce)) > 0);
      },
    },
    {
      name: "refresh-dkim",
      pauseSeconds: 60,
      run: async () => {
        const isDue = performance.now() - listedAt > listedAtLeastEveryMs || (await countWaitingForDkim(deps.db)) > 0;
        if (!isDue) return;
        if (await refreshDkim(deps, () => sleep(1000))) listedAt = performance.now();
      },
    },
    {
      name: "finish-removals",
      pauseSeconds: 30,
      run: () => finishRemovals(deps, removedAtOnce),
    },
  ];
}
