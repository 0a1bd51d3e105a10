import type { Queryable } from "../db/database.ts";
import type { Chore } from "../loops/chores.ts";
import { dropOldGuardCounts } from "./guard-store.ts";

const dropSize = 5_000;
const maxDropMs = 60_000;

export function guardChores(db: Queryable): Chore[] {
  return [
    {
      name: "drop-old-guard-counts",
      pauseSeconds: 3_600,
      run: async () => {
        const endsAt = performance.now() + maxDropMs;
        while (performance.now() < endsAt && (await dropOldGuardCounts(db, dropSize)) === dropSize);
      },
    },
  ];
}
