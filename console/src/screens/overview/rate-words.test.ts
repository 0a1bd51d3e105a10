import { expect, test } from "vitest";
import { describeVerdict, verdictWord } from "./rate-words.ts";
import { bounceLines, complaintLines, evaluateRate } from "./review-distance.ts";

const bounces = (count: number, outcomes: number) => {
  const verdict = evaluateRate(count, outcomes, bounceLines);
  const { title, text } = describeVerdict(verdict, ["hard bounce", "hard bounces"], bounceLines);
  return [verdictWord(verdict).word, title, text].map((part) => part.replaceAll("\u00a0", " "));
};

test("the verdict says how many are left, and of what", () => {
  expect(bounces(144, 3460).slice(0, 2)).toEqual(["Close to review", "31 hard bounces left before SES reviews you"]);
  expect(bounces(10, 200)[1]).toBe("1 hard bounce left before SES reviews you");
  expect(bounces(11, 200).slice(0, 2)).toEqual(["Above review", "11 hard bounces left before SES may pause you"]);
  expect(bounces(21, 200).slice(0, 2)).toEqual(["Above pause", "SES may pause your sending"]);
  const verdict = evaluateRate(2, 3460, complaintLines);
  expect(describeVerdict(verdict, ["complaint", "complaints"], complaintLines)).toMatchObject({
    title: "2\u00a0complaints left before SES reviews you",
    text: expect.stringContaining("0.1\u00a0%"),
  });
});

test("below 200 outcomes there is no verdict", () => {
  expect(bounces(50, 199)).toEqual([
    "Under 200 outcomes",
    "Too few outcomes for a verdict",
    "Counted over 7 days by UTC. 1 outcome more is needed.",
  ]);
  expect(bounces(0, 57)[2]).toBe("Counted over 7 days by UTC. 143 outcomes more are needed.");
});
