import { WakeSignal } from "../../loops/wake-signal.ts";
import { type ListenedNotification, type ListenerApi, ListenerEnded, PassingFailure } from "./listener-api.ts";

type Listener = Awaited<ReturnType<ListenerApi["create"]>>;

interface ListenDeps {
  wanted: Parameters<ListenerApi["create"]>[0];
  /** Ends everything. */
  signal: AbortSignal;
  note(text: string): void;
  onListening(listener: Listener): void;
  /** Never rejects. */
  forward(notification: ListenedNotification, ending: AbortSignal): Promise<void>;
  pollMs?: number;
  retryMs?: number;
}

const maxWaiting = 50;

/**
 * Creates a listener, takes from it and forwards, until `signal` aborts; then deletes it. Taking does not wait for forwarding, because the
 * listener would end while a slow receiver answers. Rejects when the API refuses the first listener, or later the key. Returns how many
 * notifications are taken and not forwarded.
 */
export async function listenOn(api: ListenerApi, deps: ListenDeps): Promise<number> {
  const { signal, pollMs = 1_000, retryMs = 2_000 } = deps;
  const ending = new AbortController();
  const [arrived, mayTake] = [new WakeSignal(), new WakeSignal()];
  const end = () => {
    ending.abort();
    arrived.wake();
    mayTake.wake();
  };
  signal.addEventListener("abort", end);
  const waiting: ListenedNotification[] = [];
  let listener: Listener | undefined;
  let isFull = false;

  async function take(): Promise<void> {
    listener ??= await api.create(deps.wanted);
    const room = maxWaiting - waiting.length;
    const taken = await api.take(listener.webhook_id, room);
    isFull = taken.length === room;
    waiting.push(...taken);
    if (taken.length > 0) arrived.wake();
  }

  async function poll(): Promise<void> {
    let isFailing = false;
    while (!ending.signal.aborted) {
      try {
        await take();
        if (isFailing) deps.note("The API answers again.");
        isFailing = false;
        await mayTake.sleep(pollMs);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ListenerEnded) {
          listener = undefined;
          deps.note("The listener has ended. Postern creates another one; what happened meanwhile is not forwarded.");
        } else if (error instanceof PassingFailure) {
          if (!isFailing) deps.note(`${error.message} Postern tries again every ${retryMs / 1000} seconds.`);
          isFailing = true;
          await mayTake.sleep(retryMs);
        } else throw error;
      }
    }
  }

  async function forwardAll(): Promise<void> {
    while (!ending.signal.aborted) {
      const [next] = waiting;
      if (next === undefined) {
        if (isFull) mayTake.wake();
        await arrived.sleep(pollMs);
        continue;
      }
      await deps.forward(next, ending.signal);
      if (!ending.signal.aborted) waiting.shift();
    }
  }

  try {
    listener = await api.create(deps.wanted);
    deps.onListening(listener);
    await Promise.all([poll().finally(end), forwardAll()]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", end);
    if (listener !== undefined) await deleteListener(api, listener, deps);
  }
  return waiting.length;
}

/** Without a deletion the listener ends by itself, so a failure is no failure of the command. */
async function deleteListener(api: ListenerApi, { webhook_id }: Listener, { note }: ListenDeps): Promise<void> {
  try {
    await api.delete(webhook_id);
    note("The listener is deleted.");
  } catch {
    note("The listener could not be deleted. It ends by itself within a minute.");
  }
}
