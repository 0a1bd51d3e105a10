import type { QuarantineEntry } from "../../../api/api-types.ts";

export const reasonWords: Record<QuarantineEntry["reason"], { word: string; meaning: string }> = {
  "unknown-send": {
    word: "Unknown send",
    meaning: "The database has no such send. Often something else uses the same configuration set.",
  },
  unreadable: { word: "Unreadable", meaning: "Postern cannot parse it, and does not try again by itself." },
  "from-the-future": { word: "From the future", meaning: "Its time is ahead of the clock of the database." },
};
