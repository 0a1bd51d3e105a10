import { expect, test } from "vitest";
import { adviceText, splitProblem } from "./problem-words.ts";

test("the first clause is the title", () => {
  expect(splitProblem("Bounces or complaints of Acme: 74 of 1284 recipients (5.76 %) bounced.")).toEqual({
    title: "Bounces or complaints of Acme:",
    rest: "74 of 1284 recipients (5.76 %) bounced.",
  });
  expect(splitProblem("No worker is running, so no mail goes out.")).toEqual({
    title: "No worker is running, so no mail goes out.",
    rest: "",
  });
});

test.for([
  ["To resume: `postern admin release`", "To resume: run the command"],
  ["Run `postern admin release`, then look.", "Run the command, then look."],
  ["Check the log. `postern admin release` ends it.", "Check the log. `postern admin release` ends it."],
])("the advice %j reads %j beside its command", ([advice = "", text = ""]) => {
  expect(adviceText({ what: "", advice, command: "postern admin release" })).toBe(text);
});
