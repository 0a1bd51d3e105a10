import { randomBytes } from "node:crypto";

const kinds = [
  "body",
  "subject",
  "address",
  "name",
  "reason of an operator",
  "idempotency key",
  "API key",
  "token",
  "password",
  "SNS message",
  "provider message",
  "path or field",
  "environment secret",
] as const;

export type CanaryKind = (typeof kinds)[number];

/** Marker texts that must not appear in any output, with the kind of data that each represents. */
export class Canaries {
  readonly #known = new Map<string, CanaryKind>();

  /** Creates a text of letters and digits, which no URL or JSON encoding changes. */
  make(kind: CanaryKind): string {
    return this.add(kind, `canary${randomBytes(9).toString("hex")}`);
  }

  /** Adds a secret that another component created. */
  add(kind: CanaryKind, text: string): string {
    this.#known.set(text, kind);
    return text;
  }

  texts(): string[] {
    return [...this.#known.keys()];
  }

  kindOf(text: string): CanaryKind | undefined {
    return this.#known.get(text);
  }

  /** The kinds without any canary: a scenario that the proof forgot. */
  missing(): CanaryKind[] {
    const made = new Set(this.#known.values());
    return kinds.filter((kind) => !made.has(kind));
  }
}
