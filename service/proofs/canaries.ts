import { randomBytes } from "node:crypto";

const kinds = [
  "body",
  "subject",
  "address",
  "name",
  "idempotency key",
  "API key",
  "token",
  "password",
  "message of SNS",
  "words of the provider",
  "path or field",
  "secret of the environment",
] as const;

export type CanaryKind = (typeof kinds)[number];

/** Texts that must show up nowhere, by what they stand for. */
export class Canaries {
  readonly #known = new Map<string, CanaryKind>();

  /** A new text, in letters and digits, so that no encoding of paths or JSON changes it. */
  make(kind: CanaryKind): string {
    return this.keep(kind, `canary${randomBytes(9).toString("hex")}`);
  }

  /** A secret that somebody else made. */
  keep(kind: CanaryKind, text: string): string {
    this.#known.set(text, kind);
    return text;
  }

  texts(): string[] {
    return [...this.#known.keys()];
  }

  kindOf(text: string): CanaryKind | undefined {
    return this.#known.get(text);
  }

  /** Kinds of which there is none: a scene that was forgotten. */
  missing(): CanaryKind[] {
    const made = new Set(this.#known.values());
    return kinds.filter((kind) => !made.has(kind));
  }
}
