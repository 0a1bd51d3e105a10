import type { SizeSample } from "../src/storage/database-size.ts";

/** One sample an hour for eight days, oldest first, the last one now. `change` alters single samples. */
export function aWeekOf({
  from,
  perDay,
  hours = 8 * 24,
}: {
  from: number;
  perDay: number;
  hours?: number;
}): SizeSample[] {
  return Array.from({ length: hours + 1 }, (_, hour) => ({
    ageSeconds: (hours - hour) * 3600,
    bytes: from + (perDay * hour) / 24,
  }));
}
