import type { ProofTools } from "../../scripts/proof.ts";
import type { LedgerRecord } from "../src/ledger/ledger-record.ts";

const patienceMs = 30_000;

/** Which events of which message have arrived, at least once. */
export class EventsSeen {
  readonly #seen = new Map<string, Set<string>>();

  /** Takes an SNS notification with an SES event inside. */
  addFrom(notification: string): void {
    const event: { eventType: string; mail: { messageId: string } } = JSON.parse(JSON.parse(notification).Message);
    const types = this.#seen.get(event.mail.messageId) ?? new Set();
    this.#seen.set(event.mail.messageId, types.add(event.eventType));
  }

  /** The ledger says what was to be told. */
  missing(ledger: LedgerRecord[]): number {
    const expected = ledger.flatMap(({ messageId, events }) =>
      events.map(({ details }) => ({ messageId, type: details.type })),
    );
    return expected.filter(({ messageId, type }) => this.#seen.get(messageId)?.has(type) !== true).length;
  }

  async waitForAll(ledger: LedgerRecord[], tools: ProofTools): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (this.missing(ledger) > 0 && performance.now() < deadline) {
      tools.progress(`${this.missing(ledger)} events still to come`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
