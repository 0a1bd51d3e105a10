/**
 * Bounds the content that a worker holds in memory. A claim takes only sends whose content fits into the free part. When nothing is
 * in flight it takes one send of any size, so a mail above the budget is submitted alone.
 */
export class ByteBudget {
  #inFlight = 0;
  readonly #max: number;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  get free(): number {
    return this.#max - this.#inFlight;
  }

  get isUnused(): boolean {
    return this.#inFlight === 0;
  }

  /** With less than an eighth free, the next send often does not fit, and a claim without result costs the shared rate. */
  get hasRoom(): boolean {
    return this.isUnused || this.free >= this.#max / 8;
  }

  take(bytes: number): void {
    this.#inFlight += bytes;
  }

  giveBack(bytes: number): void {
    this.#inFlight -= bytes;
  }
}
