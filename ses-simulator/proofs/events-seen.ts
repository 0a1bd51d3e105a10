import type { ProofTools } from "../../scripts/proof.ts";
import type { LedgerRecord } from "../src/ledger/ledger-record.ts";

const timeoutMs = 30_000;

/** The event types that have arrived at least once, per message. */
export class EventsSeen {
  readonly #seen = new Map<string, Set<string>>();

  /** Adds the SES event inside an SNS notification. */
  addFrom(notification: string): void {
    const event: { eventType: string; mail: { messageId: string } } = JSON.parse(JSON.parse(notification).Message);
    const types = this.#seen.get(event.mail.messageId) ?? new Set();
    this.#seen.set(event.mail.messageId, types.add(event.eventType));
  }

  /** Counts the events of the ledger that have not arrived. */
  missing(ledger: LedgerRecord[]): number {
    const expected = ledger.flatMap(({ messageId, events }) =>
      events.map(({ details }) => ({ messageId, type: details.type })),
    );
    return expected.filter(({ messageId, type }) => this.#seen.get(messageId)?.has(type) !== true).length;
  }

  async waitForAll(ledger: LedgerRecord[], tools: ProofTools): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.missing(ledger) > 0 && performance.now() < deadline) {
      tools.progress(`${this.missing(ledger)} events still missing`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
