import type { Chore } from "../loops/chores.ts";
import { type RemovalDeps, removeSuppressed } from "./remove-suppressed.ts";

const removedAtOnce = 20;
const longestRunMs = 60_000;

/** What carries the account's own lists over to the provider. */
export function suppressionChores(deps: RemovalDeps): Chore[] {
  return [
    {
      name: "remove-suppressed",
      // Whoever takes an address off the list often mails it next.
      pauseSeconds: 1,
      run: async () => {
        // A run ends long before it would be taken for dead, however many are due.
        const endsAt = performance.now() + longestRunMs;
        while (performance.now() < endsAt && (await removeSuppressed(deps, removedAtOnce)) > 0);
      },
    },
  ];
}
