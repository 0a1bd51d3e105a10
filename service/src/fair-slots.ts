import type { AppError } from "./errors.ts";

interface SlotOptions {
  /** How much work runs at a time: of one owner, and of all owners. */
  perOwner: number;
  total: number;
  /** How much work waits: of one owner, and of all owners. */
  waitingPerOwner: number;
  waitingTotal: number;
  maxWaitMs: number;
  /** The error for work that finds too much waiting, or that has waited for too long. */
  refuse: () => AppError;
}

export interface FairSlots {
  run<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
}

interface Waiting {
  start: () => void;
  refuse: () => void;
}

/**
 * Limits concurrent work. Owners take turns: an owner with many waiting requests delays another owner by one request, not by all
 * of them. Within an owner the order is first come, first served. When too much waits in total, the owner with the most waiting
 * work loses its newest, so that a few owners cannot keep another out.
 */
export function createFairSlots(options: SlotOptions): FairSlots {
  const runningOf = new Map<string, number>();
  /** Iterates in insertion order: the first owner is the next to get a slot. */
  const waitingOf = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  function hasRoom(owner: string): boolean {
    return running < options.total && (runningOf.get(owner) ?? 0) < options.perOwner;
  }

  function occupy(owner: string): void {
    running += 1;
    runningOf.set(owner, (runningOf.get(owner) ?? 0) + 1);
  }

  function release(owner: string): void {
    running -= 1;
    const left = (runningOf.get(owner) ?? 1) - 1;
    if (left === 0) runningOf.delete(owner);
    else runningOf.set(owner, left);
    startNext();
  }

  /** One slot became free, so at most one can start. */
  function startNext(): void {
    for (const [owner, queue] of waitingOf) {
      const [next] = queue;
      if (next === undefined || !hasRoom(owner)) continue;
      leave(owner, next);
      // Behind the other owners.
      if (waitingOf.delete(owner)) waitingOf.set(owner, queue);
      next.start();
      return;
    }
  }

  function leave(owner: string, one: Waiting): void {
    const queue = waitingOf.get(owner) ?? [];
    queue.splice(queue.indexOf(one), 1);
    waiting -= 1;
    if (queue.length === 0) waitingOf.delete(owner);
  }

  /** Refuses the newest work of the longest queue, unless the queue of the newcomer would then be as long. */
  function evict(ownLength: number): boolean {
    let longest: Waiting[] = [];
    for (const queue of waitingOf.values()) if (queue.length >= longest.length) longest = queue;
    if (longest.length <= ownLength + 1) return false;
    longest.at(-1)?.refuse();
    return true;
  }

  function waitForSlot(owner: string): Promise<void> {
    const queue = waitingOf.get(owner) ?? [];
    const mayWait = queue.length < options.waitingPerOwner && (waiting < options.waitingTotal || evict(queue.length));
    if (!mayWait) return Promise.reject(options.refuse());
    return new Promise((resolve, reject) => {
      const refuse = () => {
        clearTimeout(timer);
        leave(owner, one);
        reject(options.refuse());
      };
      const timer = setTimeout(refuse, options.maxWaitMs);
      const one: Waiting = {
        refuse,
        start() {
          clearTimeout(timer);
          occupy(owner);
          resolve();
        },
      };
      queue.push(one);
      waitingOf.set(owner, queue);
      waiting += 1;
    });
  }

  return {
    async run(owner, work) {
      // With room for this owner, every owner that waits has reached its own limit.
      if (hasRoom(owner)) occupy(owner);
      else await waitForSlot(owner);
      try {
        return await work();
      } finally {
        release(owner);
      }
    },
  };
}
