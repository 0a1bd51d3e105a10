import { defaultEventOptions, type EventOptions } from "../events/event-options.ts";
import type { ApiCall } from "../http/api-call.ts";
import type { Fault } from "./fault.ts";
import { matches } from "./matches.ts";
import type { Rule } from "./rule.ts";
import { seededRandom } from "./seeded-random.ts";

const maxCopies = 8;

interface Entry {
  rule: Rule;
  random: () => number;
  matched: number;
  applied: number;
}

/** The active rules. They live in memory only, so a restart removes all of them. */
export class RuleSet {
  readonly #entries = new Map<string, Entry>();

  add(rule: Rule): void {
    this.#entries.set(rule.id, { rule, random: seededRandom(rule.seed), matched: 0, applied: 0 });
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

  /** Several rules can apply to one call: the first fault and the first outcome win, the event options are combined. */
  apply(api: Pick<ApiCall, "operation" | "body">): { fault?: Fault; eventOptions?: EventOptions } {
    if (this.#entries.size === 0) return {};
    let fault: Fault | undefined;
    let eventOptions = defaultEventOptions;
    for (const entry of this.#entries.values()) {
      if (!applies(entry, api)) continue;
      fault ??= entry.rule.fault;
      eventOptions = withRule(eventOptions, entry);
    }
    return { ...(fault && { fault }), eventOptions };
  }
}

function applies(entry: Entry, api: Pick<ApiCall, "operation" | "body">): boolean {
  const { rule } = entry;
  if (rule.operation !== "*" && rule.operation !== api.operation) return false;
  if (!matches(rule.match, api.body)) return false;
  entry.matched++;
  if (entry.matched <= rule.skip || entry.applied >= rule.times) return false;
  if (rule.probability < 1 && entry.random() >= rule.probability) return false;
  entry.applied++;
  return true;
}

function withRule(options: EventOptions, { rule, random }: Entry): EventOptions {
  const { copies, ...rest } = rule.events ?? {};
  const outcome = rule.outcome && { recipient: rule.match.recipient?.toLowerCase(), outcome: rule.outcome };
  return {
    ...options,
    ...rest,
    ...(copies !== undefined && {
      copies: copies === "random" ? () => Math.floor(random() * (maxCopies + 1)) : () => copies,
    }),
    outcomes: outcome === undefined ? options.outcomes : [...options.outcomes, outcome],
  };
}
