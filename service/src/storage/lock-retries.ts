import { setTimeout as sleep } from "node:timers/promises";
import { isContention, sqlState } from "../db/sql-state.ts";

const lockNotAvailable = "55P03";
const maxTries = 10;
const pauseMs = 500;

/**
 * Repeats a step that gave up waiting for a lock, or that met a change of the same rows. Other statements run between two tries, so a chore
 * never makes them wait longer than one try does.
 */
export async function withLockRetries<Result>(step: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await step();
    } catch (error) {
      const isBusy = isContention(error) || sqlState(error) === lockNotAvailable;
      if (!isBusy || tries === maxTries) throw error;
      await sleep(pauseMs);
    }
  }
}
