import type { Chore } from "../loops/chores.ts";
import { checkDueDomains, type VerificationDeps } from "./check-due-domains.ts";
import { countWaitingForDkim } from "./dkim-store.ts";
import { mailFromChore } from "./mail-from/mail-from-chore.ts";
import { refreshDkim } from "./refresh-dkim.ts";
import type { DomainDeps } from "./register-domain.ts";
import { finishRemovals } from "./remove-domain.ts";
import { dueDomains } from "./verification-store.ts";

const checkBatchSize = 50;
const maxRunMs = 60_000;
const removalBatchSize = 20;
const maxListAgeMs = 3_600_000;

/** The chores that keep the verification status of domains and the identities at the provider up to date. */
export function domainChores(deps: DomainDeps & VerificationDeps): Chore[] {
  let listedAt = Number.NEGATIVE_INFINITY;
  return [
    {
      name: "check-domains",
      pauseSeconds: 1,
      dueWhen: dueDomains,
      run: async () => {
        // A run ends long before the chore expires, however many domains are due.
        const endsAt = performance.now() + maxRunMs;
        while (performance.now() < endsAt && (await checkDueDomains(deps, checkBatchSize)) > 0);
      },
    },
    {
      name: "refresh-dkim",
      pauseSeconds: 60,
      run: async () => {
        const isDue = performance.now() - listedAt > maxListAgeMs || (await countWaitingForDkim(deps.db)) > 0;
        if (!isDue) return;
        if (await refreshDkim(deps)) listedAt = performance.now();
      },
    },
    {
      name: "finish-removals",
      pauseSeconds: 30,
      run: () => finishRemovals(deps, removalBatchSize),
    },
    mailFromChore(deps),
  ];
}
