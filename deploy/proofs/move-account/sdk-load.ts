import { setTimeout as sleep } from "node:timers/promises";
import { Postern } from "../../../sdk/src/postern.ts";
import type { TestSender } from "../../../service/proofs/sends/sending-client.ts";

/**
 * Of the SDK. With 503 and `Retry-After: 2`, as the API and the proxy answer it, the eight waits take 16 s at least; after lost connections
 * 15.9 s at least (retry-delay.ts). The default, 3, is not enough for a hold of 10 s.
 */
export const sdkRetries = 8;

export interface LoadedSend {
  key: string;
  /** No other send of the proof has it, so it identifies the mail at SES. */
  recipient: string;
  id?: string;
  acceptedMs?: number;
  /** The SDK gave up. */
  refusal?: string;
}

/** An application with the SDK: sends at a constant rate through the proxy, with idempotency keys and retries. */
export class SdkLoad {
  readonly sends: LoadedSend[] = [];
  readonly #name: string;
  readonly #sender: TestSender;
  readonly #client: Postern;
  readonly #pending = new Set<Promise<void>>();
  #first503Ms: number | undefined;
  #answers503 = 0;
  #lost = 0;
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(name: string, baseUrl: string, sender: TestSender) {
    this.#name = name;
    this.#sender = sender;
    this.#client = new Postern({
      baseUrl,
      apiKey: sender.key,
      retries: sdkRetries,
      fetch: (input, init) => this.#fetch(input, init),
    });
  }

  get accepted(): LoadedSend[] {
    return this.sends.filter(({ id }) => id !== undefined);
  }

  get refused(): LoadedSend[] {
    return this.sends.filter(({ refusal }) => refusal !== undefined);
  }

  /** Attempts of the SDK that it repeated. */
  get repeated(): { answers503: number; lostConnections: number; first503Ms: number | undefined } {
    return { answers503: this.#answers503, lostConnections: this.#lost, first503Ms: this.#first503Ms };
  }

  start(perSecond: number): void {
    this.#running = this.#run(perSecond);
  }

  /** Starts no more sends; resolves when every call has ended. */
  async finish(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
    await Promise.all(this.#pending);
  }

  /** Queues so many mails at once, in batches. */
  async sendMany(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 100) {
      const sends = Array.from({ length: Math.min(100, left) }, () => this.#newSend());
      const mails = sends.map(({ key, recipient }) => ({ ...this.#mail(recipient), idempotency_key: key }));
      const { verdicts } = await this.#client.sends.batch({ mails }).orThrow();
      for (const [index, send] of sends.entries()) {
        const verdict = verdicts[index];
        if (verdict !== undefined && "send" in verdict) accept(send, verdict.send.id);
        else send.refusal = "refused in a batch";
      }
    }
  }

  /** Repeats a request that was accepted before. Returns the id in the answer. */
  async repeat({ key, recipient }: LoadedSend): Promise<string> {
    const { id } = await this.#client.send({ ...this.#mail(recipient), idempotency_key: key }).orThrow();
    return id;
  }

  async #run(perSecond: number): Promise<void> {
    const started = performance.now();
    for (let number = 0; !this.#isStopping; number++) {
      const pauseMs = (number / perSecond) * 1000 - (performance.now() - started);
      if (pauseMs > 0) await sleep(pauseMs);
      const sending = this.#sendOne().finally(() => this.#pending.delete(sending));
      this.#pending.add(sending);
    }
  }

  async #sendOne(): Promise<void> {
    const send = this.#newSend();
    const mail = { ...this.#mail(send.recipient), idempotency_key: send.key };
    const { data, error } = await this.#client.send(mail);
    if (error === null) accept(send, data.id);
    else send.refusal = `${error.status ?? "no answer"} ${error.code}`;
  }

  #newSend(): LoadedSend {
    const key = `${this.#name}-${this.sends.length}`;
    const send: LoadedSend = { key, recipient: `success+${key}@simulator.amazonses.com` };
    this.sends.push(send);
    return send;
  }

  #mail(recipient: string) {
    return { from: this.#sender.from, to: [recipient], subject: "A mail during a move", text: "Hello" };
  }

  async #fetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const response = await fetch(input, init).catch((error: unknown) => {
      this.#lost += 1;
      throw error;
    });
    if (response.status === 503) {
      this.#answers503 += 1;
      this.#first503Ms ??= Date.now();
    }
    return response;
  }
}

function accept(send: LoadedSend, id: string): void {
  send.id = id;
  send.acceptedMs = Date.now();
}
