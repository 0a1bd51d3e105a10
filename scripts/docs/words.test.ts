import { describe, expect, test } from "vitest";
import { findBannedWords, quotedNames } from "./banned-words.ts";
import { listRepositoryFiles, readFiles } from "./repository-files.ts";

const paths = listRepositoryFiles();

test("no document contains a banned word", () => {
  const documents = readFiles(paths.filter((path) => path.endsWith(".md")));
  expect(documents.size).toBeGreaterThan(0);
  expect([...documents].flatMap(([path, markdown]) => findBannedWords(path, markdown))).toEqual([]);
});

test.for(quotedNames)("the source still contains $name, $why", ({ name }) => {
  const sources = readFiles(paths.filter((path) => /^service\/src\/.*\.ts$/.test(path)));
  const isFound = [...sources].some(([path, text]) => path.includes(name) || text.includes(name));
  expect(isFound, `remove ${name} from quotedNames in banned-words.ts`).toBe(true);
});

describe("the check of words", () => {
  test.for([
    ["a word", "The API told the caller."],
    ["a word in capitals", "Told by the API."],
    ["a word next to punctuation", "(silence), then mail"],
    ["words across a line break", "The worker hands\nover the mail."],
    ["a word in a heading", "## What became of a send"],
    ["a word in a link", "[the reader](a.md)"],
    ["a word in inline code", "Run `lost-nothing`."],
    ["a word in a code block", "```\n# tell the worker\n```"],
    ["a quoted name outside code", "The log is silent."],
    ["a longer name in code", "`feedback.silent`"],
    ["head of something else", "the head of the queue"],
    ["dead of something else", "a dead consumer"],
    ["reach as a noun", "the reach of a consumer"],
  ])("reports %s", ([, text]) => {
    expect(findBannedWords("a.md", text ?? "")).toHaveLength(1);
  });

  test.for([
    "The API returns the order; placement, grounds and partsmanship are other words.",
    "The queue head, a queue-head index, `HEAD /api/v1/send`, and git's HEAD.",
    "A dead letter, the dead-letter queue, dead code.",
    "The send is in doubt. A request reaches the API; callers reach it.",
    "`silent` switches the log off. The queue `postern-AA-dead` keeps dead letters.",
    "postern_snapshot_held_seconds",
  ])("accepts: %s", (text) => {
    expect(findBannedWords("a.md", text)).toEqual([]);
  });

  test("names the line and the term to use", () => {
    expect(findBannedWords("a.md", "one\n\n```\ntwo\n```\nthree doors")).toEqual(['a.md:6: "doors" (use: source)']);
  });
});
