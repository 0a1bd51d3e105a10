import type { Acknowledged } from "../load/load-plan.ts";
import type { Finding } from "./scenario.ts";

/** When something was taken away or given back, and how long it took until the next send was acknowledged. */
export class Outages {
  readonly #moments: { at: number; api: number | undefined }[] = [];

  /** Of this API, or of all of them. */
  began(api?: number): void {
    this.#moments.push({ at: Date.now(), api });
  }

  /** The longest wait. One that the load did not outlast is not counted; that none was counted is a failure. */
  finding(what: string, acknowledged: Acknowledged[], atMostSeconds: number): Finding {
    const waits = this.#moments.flatMap(({ at, api }) => {
      const next = acknowledged.find((one) => one.at > at && (api === undefined || one.api === api));
      return next === undefined ? [] : [(next.at - at) / 1000];
    });
    const longest = Math.max(0, ...waits);
    return {
      what: `${what}: longest of ${waits.length} (at most ${atMostSeconds})`,
      value: longest.toFixed(1),
      holds: waits.length > 0 && longest <= atMostSeconds,
    };
  }
}
