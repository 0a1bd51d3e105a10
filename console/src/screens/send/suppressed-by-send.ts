import { keyOf, type RecipientOutcome } from "./outcome.ts";

/** One request each, so a send to fifty unknown mailboxes looks up the first ones only. */
const maxLookedUp = 10;

/** Addresses that this send, or an earlier one, put on the suppression list, and that the page looks up. */
export function maySuppress(outcomes: readonly RecipientOutcome[]): string[] {
  return outcomes
    .filter(
      ({ state, bounce, isForwarded }) =>
        !isForwarded && (state === "complained" || state === "suppressed" || bounce?.isPermanent === true),
    )
    .slice(0, maxLookedUp)
    .map(({ address }) => keyOf(address));
}
