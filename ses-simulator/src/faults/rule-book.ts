import { type EventManner, usualManner } from "../events/event-manner.ts";
import type { ApiCall } from "../http/api-call.ts";
import type { Fault } from "./fault.ts";
import { matches } from "./matches.ts";
import type { Rule } from "./rule.ts";
import { seededRandom } from "./seeded-random.ts";

const mostCopies = 8;

interface Entry {
  rule: Rule;
  random: () => number;
  seen: number;
  applied: number;
}

/** The bad days in force. Kept in memory: a restarted simulator is well again. */
export class RuleBook {
  readonly #entries = new Map<string, Entry>();

  add(rule: Rule): void {
    this.#entries.set(rule.id, { rule, random: seededRandom(rule.seed), seen: 0, applied: 0 });
  }

  remove(id: string): boolean {
    return this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  list(): (Rule & { applied: number })[] {
    return [...this.#entries.values()].map(({ rule, applied }) => ({ ...rule, applied }));
  }

  /** Rules apply together: the first fault and the first outcome win, event manners add up. */
  pick(api: Pick<ApiCall, "operation" | "body">): { fault?: Fault; manner?: EventManner } {
    if (this.#entries.size === 0) return {};
    let fault: Fault | undefined;
    let manner = usualManner;
    for (const entry of this.#entries.values()) {
      if (!applies(entry, api)) continue;
      fault ??= entry.rule.fault;
      manner = mannerBy(entry, manner);
    }
    return { ...(fault && { fault }), manner };
  }
}

function applies(entry: Entry, api: Pick<ApiCall, "operation" | "body">): boolean {
  const { rule } = entry;
  if (rule.operation !== "*" && rule.operation !== api.operation) return false;
  if (!matches(rule.match, api.body)) return false;
  entry.seen++;
  if (entry.seen <= rule.skip || entry.applied >= rule.times) return false;
  if (rule.probability < 1 && entry.random() >= rule.probability) return false;
  entry.applied++;
  return true;
}

function mannerBy({ rule, random }: Entry, manner: EventManner): EventManner {
  const { copies, ...rest } = rule.events ?? {};
  const outcome = rule.outcome && { recipient: rule.match.recipient?.toLowerCase(), outcome: rule.outcome };
  return {
    ...manner,
    ...rest,
    ...(copies !== undefined && {
      copies: copies === "random" ? () => Math.floor(random() * (mostCopies + 1)) : () => copies,
    }),
    outcomes: outcome === undefined ? manner.outcomes : [...manner.outcomes, outcome],
  };
}
