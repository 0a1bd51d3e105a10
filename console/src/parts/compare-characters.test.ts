import { expect, test } from "vitest";
import { compareCharacters, type Run } from "./compare-characters.ts";

const marked = (list: Run[]) => list.map((run) => (run.isDifferent ? `[${run.text}]` : run.text)).join("");

test("one wrong character and an added end are marked, nothing else", () => {
  const result = compareCharacters(
    "m7xl1o0kt.dkim.amazonses.com",
    "m7xllo0kt.dkim.amazonses.com.mail.fernhill.example",
  );
  expect(marked(result.expected)).toBe("m7xl[1]o0kt.dkim.amazonses.com");
  expect(marked(result.found)).toBe("m7xl[l]o0kt.dkim.amazonses.com[.mail.fernhill.example]");
});

test("equal values have no mark", () => {
  const result = compareCharacters("v=DMARC1; p=none", "v=DMARC1; p=none");
  expect(result.expected).toEqual([{ text: "v=DMARC1; p=none", isDifferent: false }]);
  expect(result.found).toEqual(result.expected);
});

test("a value that is entirely different is marked whole", () => {
  expect(marked(compareCharacters("postern-verify=9f3k", "google-site=zzzz").found)).toBe("[google-site=zzzz]");
});

test("an empty value leaves everything missing", () => {
  const result = compareCharacters("abc", "");
  expect(marked(result.expected)).toBe("[abc]");
  expect(result.found).toEqual([]);
});
