import { isDeepStrictEqual } from "node:util";
import type { Answer } from "./client.ts";

/** The deployment does not meet the requirement. */
export class Mismatch extends Error {
  readonly expected: unknown;
  readonly got: unknown;

  constructor(what: string, expected: unknown, got: unknown) {
    super(what);
    this.expected = expected;
    this.got = got;
  }
}

/** The assertions of one test. The class counts them, because a test without assertions must not pass. */
export class Check {
  count = 0;

  holds(what: string, condition: boolean, got?: unknown): void {
    this.count += 1;
    if (!condition) throw new Mismatch(what, "to hold", got);
  }

  equal(what: string, got: unknown, expected: unknown): void {
    this.count += 1;
    if (!isDeepStrictEqual(got, expected)) throw new Mismatch(what, expected, got);
  }

  /** The same strings in any order, with the same number of occurrences. */
  sameSet(what: string, got: Iterable<string>, expected: string[]): void {
    this.equal(what, [...got].map(String).toSorted(), expected.toSorted());
  }

  matches(what: string, got: unknown, shape: RegExp): void {
    this.count += 1;
    if (typeof got !== "string" || !shape.test(got)) throw new Mismatch(what, shape, got);
  }

  oneOf(what: string, got: unknown, allowed: unknown[]): void {
    this.count += 1;
    if (!allowed.includes(got)) throw new Mismatch(what, `one of ${allowed.join(", ")}`, got);
  }

  text(what: string, got: unknown): void {
    this.matches(what, got, /\S/);
  }

  uuid(what: string, got: unknown): void {
    this.matches(what, got, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  }

  timestamp(what: string, got: unknown): void {
    this.matches(what, got, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/);
    this.holds(`${what} is a real time`, !Number.isNaN(Date.parse(String(got))), got);
  }

  integer(what: string, got: unknown): void {
    this.count += 1;
    if (!Number.isInteger(got)) throw new Mismatch(what, "an integer", got);
  }

  /** Exactly these fields, beside the documented additions of this service. */
  fields(what: string, got: unknown, names: string[], additions: string[] = []): void {
    const published = fieldsOf(got).filter((name) => !additions.includes(name));
    this.equal(`the fields of ${what}`, published, names.toSorted());
  }

  /** At least these fields, where the interface allows more. */
  hasFields(what: string, got: unknown, names: string[]): void {
    const missing = names.filter((name) => !fieldsOf(got).includes(name));
    this.equal(`fields missing from ${what}`, missing, []);
  }

  status(what: string, { status, text }: Answer, expected: number): void {
    this.count += 1;
    if (status !== expected) throw new Mismatch(`the status of ${what}`, expected, `${status} ${text.slice(0, 300)}`);
  }

  /** Checks the status and the error code in the body. */
  error(what: string, answer: Answer, status: number, code: string): void {
    this.status(what, answer, status);
    this.equal(`the code of ${what}`, answer.body?.error?.code, code);
  }
}

function fieldsOf(value: unknown): string[] {
  return typeof value === "object" && value !== null ? Object.keys(value).toSorted() : [];
}
