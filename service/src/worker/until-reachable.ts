import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../errors.ts";

/** Tries again every second as long as the database cannot be reached; whatever else goes wrong is thrown. */
export async function untilReachable(work: () => Promise<void>, pauseMs = 1_000): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError && error.code === "UNAVAILABLE")) throw error;
      await sleep(pauseMs);
    }
  }
}
