import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "../load/load.ts";
import type { Acknowledged } from "../load/load-plan.ts";
import type { Finding } from "./scenario.ts";

interface Outage {
  at: number;
  api: number | undefined;
}

/** Measures the time from each fault, or from its end, until the next acknowledged send. */
export class Outages {
  readonly #outages: Outage[] = [];

  /** An outage of this API, or of all APIs. */
  begin(api?: number): void {
    this.#outages.push({ at: Date.now(), api });
  }

  /** Returns when the last outage is over. A fault before that would merge two outages into one measurement. */
  async untilOver(load: Load, timeoutSeconds: number, api?: number): Promise<void> {
    const last = this.#outages.findLast((outage) => outage.api === api);
    const deadline = performance.now() + timeoutSeconds * 1000;
    while (last !== undefined && performance.now() < deadline && load.isRunning) {
      if (nextAnswer(last, load.acknowledged()) !== undefined) return;
      await sleep(50);
    }
  }

  /** The longest outage. The finding fails when an outage did not end, and when there was none. */
  finding(what: string, acknowledged: Acknowledged[], atMostSeconds: number): Finding {
    const waits = this.#outages.map((outage) => {
      const next = nextAnswer(outage, acknowledged);
      return next === undefined ? Number.POSITIVE_INFINITY : (next.at - outage.at) / 1000;
    });
    const longest = Math.max(0, ...waits);
    return {
      what: `${what}: longest of ${waits.length} (at most ${atMostSeconds})`,
      value: longest.toFixed(1),
      holds: waits.length > 0 && longest <= atMostSeconds,
    };
  }
}

function nextAnswer({ at, api }: Outage, acknowledged: Acknowledged[]): Acknowledged | undefined {
  return acknowledged.find((one) => one.at > at && (api === undefined || one.api === api));
}
