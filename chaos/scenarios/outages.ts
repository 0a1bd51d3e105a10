import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "../load/load.ts";
import type { Acknowledged } from "../load/load-plan.ts";
import type { Finding } from "./scenario.ts";

interface Moment {
  at: number;
  api: number | undefined;
}

/** When something was taken away or given back, and how long it took until the next send was acknowledged. */
export class Outages {
  readonly #moments: Moment[] = [];

  /** Of this API, or of all of them. */
  began(api?: number): void {
    this.#moments.push({ at: Date.now(), api });
  }

  /** Returns when the last one is over. What is struck again before it answered would be measured over both outages. */
  async untilOver(load: Load, patienceSeconds: number, api?: number): Promise<void> {
    const last = this.#moments.findLast((moment) => moment.api === api);
    const deadline = performance.now() + patienceSeconds * 1000;
    while (last !== undefined && performance.now() < deadline && load.isRunning) {
      if (nextAnswer(last, load.acknowledged()) !== undefined) return;
      await sleep(50);
    }
  }

  /** The longest wait. One that never ended is a failure, and so is that there was none. */
  finding(what: string, acknowledged: Acknowledged[], atMostSeconds: number): Finding {
    const waits = this.#moments.map((moment) => {
      const next = nextAnswer(moment, acknowledged);
      return next === undefined ? Number.POSITIVE_INFINITY : (next.at - moment.at) / 1000;
    });
    const longest = Math.max(0, ...waits);
    return {
      what: `${what}: longest of ${waits.length} (at most ${atMostSeconds})`,
      value: longest.toFixed(1),
      holds: waits.length > 0 && longest <= atMostSeconds,
    };
  }
}

function nextAnswer({ at, api }: Moment, acknowledged: Acknowledged[]): Acknowledged | undefined {
  return acknowledged.find((one) => one.at > at && (api === undefined || one.api === api));
}
