import type { Queryable } from "../db/database.ts";
import type { Chore } from "../loops/chores.ts";
import { dueRemovals } from "./removal-store.ts";
import { type RemovalDeps, removeFromProviderList } from "./remove-from-provider-list.ts";
import { deleteOldRemovals } from "./suppression-state.ts";

const batchSize = 20;
const deleteSize = 1_000;
const maxRunMs = 60_000;

/** Applies the removals from the accounts' suppression lists to the provider's list. */
export function suppressionChores(deps: RemovalDeps): Chore[] {
  return [
    {
      name: "remove-suppressed",
      // A caller that removes an address often sends mail to it next.
      pauseSeconds: 1,
      dueWhen: dueRemovals,
      run: async () => {
        // A run must end before the chore's 10-minute limit, however many removals are due.
        const endsAt = performance.now() + maxRunMs;
        while (performance.now() < endsAt && (await removeFromProviderList(deps, batchSize)) > 0);
      },
    },
  ];
}

/** Also without a provider: the records of removals in test mode need none. */
export function removalRecordChores(db: Queryable): Chore[] {
  return [
    {
      name: "delete-old-removals",
      pauseSeconds: 600,
      run: async () => {
        const endsAt = performance.now() + maxRunMs;
        while (performance.now() < endsAt && (await deleteOldRemovals(db, deleteSize)) === deleteSize);
      },
    },
  ];
}
