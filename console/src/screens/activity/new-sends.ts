import type { SendRecord } from "../../api/api-types.ts";

/** What the poll found, compared with the rows on the page. Ids grow with time. */
export interface Compared {
  /** The rows as shown, in their order, with their latest status. */
  rows: SendRecord[];
  newCount: number;
  /** The newest page has none of the shown rows, so there may be more new ones than it holds. */
  isAtLeast: boolean;
}

/** Rows stay where they are; only what changed in them is taken over. */
export function compareWithNewest(shown: readonly SendRecord[], newest: readonly SendRecord[] | undefined): Compared {
  if (newest === undefined) return { rows: [...shown], newCount: 0, isAtLeast: false };
  const first = shown[0];
  // Without rows nothing can jump.
  if (first === undefined) return { rows: [...newest], newCount: 0, isAtLeast: false };
  const latest = new Map(newest.map((send) => [send.id, send]));
  const added = newest.filter(({ id }) => id > first.id);
  const isAtLeast = added.length === newest.length && added.length > 0;
  return { rows: shown.map((send) => latest.get(send.id) ?? send), newCount: added.length, isAtLeast };
}
