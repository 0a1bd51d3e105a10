import { compareCharacters, type Run } from "../../parts/compare-characters.ts";
import { capital } from "./number-words.ts";

/** One spot where the values differ. `at` counts the characters of the expected value before it. */
interface Change {
  at: number;
  expected: string;
  found: string;
}

export interface DifferenceWords {
  /** "Two differences." */
  count: string;
  /** What each one is. Empty when the values have little in common. */
  what: string;
}

const numbers = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
const maxExplained = 3;

/** What a person should look at in a published value that is not the expected one. */
export function describeDifferences(expected: string, found: string, domainName: string): DifferenceWords | undefined {
  const changes = changesBetween(expected, found);
  const [first] = changes;
  if (first === undefined) return undefined;
  if (changes.length === 1 && first.expected === expected) return { count: "Another value is published.", what: "" };
  const count = `${numbers[changes.length] ?? changes.length} ${changes.length === 1 ? "difference" : "differences"}.`;
  if (changes.length > maxExplained) return { count, what: "" };
  const words = changes.map((change) => describe(change, { expected, domainName }));
  return { count, what: `${capital(list(words))}.` };
}

function changesBetween(expected: string, found: string): Change[] {
  const runs = compareCharacters(expected, found);
  const [left, right] = [charactersOf(runs.expected), charactersOf(runs.found)];
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const change: Change = { at: i, expected: "", found: "" };
    for (; left[i]?.isDifferent; i++) change.expected += left[i]?.text;
    for (; right[j]?.isDifferent; j++) change.found += right[j]?.text;
    if (change.expected !== "" || change.found !== "") changes.push(change);
    [i, j] = [i + 1, j + 1];
  }
  return changes;
}

function charactersOf(runs: Run[]): Run[] {
  return runs.flatMap(({ text, isDifferent }) => [...text].map((each) => ({ text: each, isDifferent })));
}

function describe({ at, expected, found }: Change, value: { expected: string; domainName: string }): string {
  const isEnd = at + expected.length === value.expected.length;
  const isStart = at === 0;
  if (expected === "") {
    if (isEnd && isOwnDomain(found, value.domainName)) return "the DNS provider added your domain to the end";
    if (/^["'“”]+$/.test(found)) return `a quotation mark is added ${spot(isStart, isEnd, at)}`;
    if (/^\s+$/.test(found)) return `a space is added ${spot(isStart, isEnd, at)}`;
    return `${shown(found)} is added ${spot(isStart, isEnd, at)}`;
  }
  if (found === "") {
    if (expected.length === 1) return `${character(expected)} is missing ${spot(isStart, isEnd, at)}`;
    return `${expected.length} characters are missing ${spot(isStart, isEnd, at)}`;
  }
  if (expected.length === 1 && found.length === 1) {
    return `the ${ordinal(at + 1)} character is ${character(found)} instead of ${character(expected)}`;
  }
  if (expected.toLowerCase() === found.toLowerCase())
    return `capital and small letters differ from the ${ordinal(at + 1)} character on`;
  return `${shown(found)} stands instead of ${shown(expected)}`;
}

function isOwnDomain(added: string, domainName: string): boolean {
  const name = added.replace(/\.$/, "");
  return name.startsWith(".") && name.length > 1 && `.${domainName}`.endsWith(name);
}

function spot(isStart: boolean, isEnd: boolean, at: number): string {
  if (isStart) return "at the start";
  return isEnd ? "at the end" : `after the ${ordinal(at)} character`;
}

function character(text: string): string {
  if (/[0-9]/.test(text)) return `the digit ${text}`;
  if (/[A-Z]/.test(text)) return `the capital letter ${text}`;
  if (/[a-z]/.test(text)) return `the letter ${text}`;
  const names: Record<string, string> = {
    " ": "a space",
    ".": "a dot",
    "-": "a hyphen",
    _: "an underscore",
    '"': "a quotation mark",
  };
  return names[text] ?? `the character ${text}`;
}

function shown(text: string): string {
  return text.length > 40 ? `“${text.slice(0, 39)}…”` : `“${text}”`;
}

export function ordinal(value: number): string {
  const tens = value % 100;
  const ending = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][value % 10] ?? "th");
  return `${value}${ending}`;
}

function list(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")}, and ${words.at(-1)}`;
}
