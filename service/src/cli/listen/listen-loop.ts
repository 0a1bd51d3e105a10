import { WakeSignal } from "../../loops/wake-signal.ts";
import {
  type ListenedNotification,
  type Listener,
  type ListenerApi,
  ListenerEnded,
  PassingFailure,
} from "./listener-api.ts";

interface ListenDeps {
  api: ListenerApi;
  wanted: Parameters<ListenerApi["create"]>[0];
  /** Ends everything. */
  signal: AbortSignal;
  note(text: string): void;
  onListening(listener: Listener): void;
  /** Never rejects, and ends soon after the signal. */
  forward(notification: ListenedNotification, ending: AbortSignal): Promise<void>;
  pollMs?: number;
  retryMs?: number;
}

const maxWaiting = 50;

/**
 * Creates a listener, takes from it and forwards, until the signal; then deletes it. Taking does not wait for forwarding, because the
 * listener would end while a slow receiver answers.
 */
export class ListenLoop {
  readonly #deps: ListenDeps;
  readonly #pollMs: number;
  readonly #retryMs: number;
  readonly #ending = new AbortController();
  readonly #arrived = new WakeSignal();
  readonly #mayTake = new WakeSignal();
  readonly #waiting: ListenedNotification[] = [];
  #listener: Listener | undefined;
  /** Whether the last take returned as many as it could, so that more probably wait. */
  #isFull = false;

  constructor(deps: ListenDeps) {
    this.#deps = deps;
    this.#pollMs = deps.pollMs ?? 1_000;
    this.#retryMs = deps.retryMs ?? 2_000;
  }

  /**
   * Rejects when the API refuses the first listener, or the key later. Returns how many notifications it has taken and not forwarded.
   */
  async run(): Promise<number> {
    const { api, signal, wanted, onListening } = this.#deps;
    const end = () => this.#end();
    signal.addEventListener("abort", end);
    try {
      this.#listener = await api.create(wanted);
      onListening(this.#listener);
      await Promise.all([this.#poll().finally(end), this.#forwardAll()]);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", end);
      await this.#deleteListener();
    }
    return this.#waiting.length;
  }

  #end(): void {
    this.#ending.abort();
    this.#arrived.wake();
    this.#mayTake.wake();
  }

  async #poll(): Promise<void> {
    const { note, signal } = this.#deps;
    let isFailing = false;
    while (!this.#ending.signal.aborted) {
      try {
        await this.#take();
        if (isFailing) note("The API answers again.");
        isFailing = false;
        await this.#mayTake.sleep(this.#pollMs);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof PassingFailure)) throw error;
        if (!isFailing) note(`${error.message} Postern tries again every ${this.#retryMs / 1000} seconds.`);
        isFailing = true;
        await this.#mayTake.sleep(this.#retryMs);
      }
    }
  }

  async #take(): Promise<void> {
    const { api, wanted, note } = this.#deps;
    this.#listener ??= await api.create(wanted);
    const room = maxWaiting - this.#waiting.length;
    this.#isFull = false;
    try {
      const taken = await api.take(this.#listener.webhook_id, room);
      this.#isFull = taken.length === room;
      this.#waiting.push(...taken);
      if (taken.length > 0) this.#arrived.wake();
    } catch (error) {
      if (!(error instanceof ListenerEnded)) throw error;
      this.#listener = undefined;
      note("The listener has ended. Postern creates another one; what happened meanwhile is not forwarded.");
    }
  }

  /** One after the other, oldest first. */
  async #forwardAll(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const [oldest] = this.#waiting;
      if (oldest === undefined) {
        if (this.#isFull) this.#mayTake.wake();
        await this.#arrived.sleep(this.#pollMs);
        continue;
      }
      await this.#deps.forward(oldest, signal);
      if (!signal.aborted) this.#waiting.shift();
    }
  }

  /** Without a deletion the listener ends by itself, so a failure is no failure of the command. */
  async #deleteListener(): Promise<void> {
    const { api, note } = this.#deps;
    if (this.#listener === undefined) return;
    try {
      await api.delete(this.#listener.webhook_id);
      note("The listener is deleted.");
    } catch {
      note("The listener could not be deleted. It ends by itself within a minute.");
    }
  }
}
