import { lineAt, replaceCode } from "./markdown-code.ts";

interface BannedWord {
  /** Matches whole words, in any case of letters, also across a line break. */
  pattern: string;
  instead: string;
}

/** Words that sound like a literal translation, or that meant several things, with the standard term for each. */
const bannedWords: BannedWord[] = [
  { pattern: "hand(?:s|ed|ing)? over", instead: "submit" },
  { pattern: "told|tells?", instead: "report" },
  { pattern: "desk|ground|scene|manner", instead: "the name of the thing" },
  { pattern: "signs? of life|beats?", instead: "heartbeat" },
  { pattern: "readers?", instead: "consumer" },
  { pattern: "silence|silent", instead: "no evidence" },
  { pattern: "doubted|doubts", instead: "mark in doubt" },
  { pattern: "patience", instead: "retry window" },
  { pattern: "turns?|places?|low water", instead: "position, order or scan start" },
  { pattern: "(?<!queue[ -])head", instead: "queue head" },
  { pattern: "judge[sd]?", instead: "classify, evaluate or check" },
  { pattern: "held", instead: "owned, on hold or kept" },
  { pattern: "parts", instead: "the names of the things" },
  { pattern: "server change", instead: "failover" },
  { pattern: "lost-nothing", instead: "confirm-no-loss" },
  { pattern: "doors?", instead: "source" },
  { pattern: "yardstick", instead: "baseline" },
  { pattern: "sentences?", instead: "requirement" },
  { pattern: "world", instead: "dataset" },
  { pattern: "mend", instead: "fix" },
  { pattern: "what became of", instead: "outcome" },
  { pattern: "whoever", instead: "any process that" },
  { pattern: "the like", instead: "similar" },
  { pattern: "all is well", instead: "no problems found" },
  { pattern: "dead(?![ -](?:letters?|code)(?![\\w]))", instead: "crashed" },
  // The verb is allowed: "a request reaches the API".
  { pattern: "(?<=(?:^|[^\\w])(?:the|an?|its|their|within|beyond|of|in) )reach(?:es)?", instead: "range" },
];

/**
 * Names that code or AWS fixes and that a document has to quote exactly. They are allowed in code only; a test checks that each
 * still exists. All other code is checked like prose: people read examples and comments too.
 */
export const quotedNames = [
  { name: "silent", why: "value of LOG_LEVEL" },
  { name: "held", why: "field of a 202 and value of a metric label" },
  { name: "account.held", why: "type of a notification" },
  { name: "storage.snapshot-held", why: "log event" },
  { name: "held-snapshots", why: "source file" },
  { name: "send-held", why: "source file" },
  { name: "-dead", why: "ending of the name of the SQS dead-letter queue" },
];

/** Every banned word in a document, as "file:line: word". */
export function findBannedWords(path: string, markdown: string): string[] {
  // Blanks keep the positions, and with them the line numbers. HEAD in capitals is the HTTP method or git's name of a commit.
  const text = replaceCode(markdown, withoutQuotedNames).replaceAll(/\bHEAD\b/g, "    ");
  const found = bannedWords.flatMap(({ pattern, instead }) =>
    [...text.matchAll(wholeWords(pattern))].map(({ index, 0: word }) => ({ index, word, instead })),
  );
  return found
    .toSorted((one, other) => one.index - other.index)
    .map(({ index, word, instead }) => {
      return `${path}:${lineAt(text, index)}: "${word.replaceAll(/\s+/g, " ")}" (use: ${instead})`;
    });
}

function wholeWords(pattern: string): RegExp {
  return new RegExp(`(?<!\\w)(?:${pattern.replaceAll(" ", "\\s+")})(?!\\w)`, "gi");
}

/** `silent` is allowed, `feedback.silent` is another name. A name that starts with a hyphen is an ending. */
function withoutQuotedNames(code: string): string {
  return quotedNames.reduce((text, { name }) => {
    const start = name.startsWith("-") ? "" : "(?<![\\w.-])";
    return text.replaceAll(new RegExp(`${start}${RegExp.escape(name)}(?!\\w)`, "g"), " ".repeat(name.length));
  }, code);
}
