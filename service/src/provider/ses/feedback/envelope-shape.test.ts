import { expect, test } from "vitest";
import { isEnvelopeShape } from "./envelope-shape.ts";

test.for([
  ['{"Type":"Notification","Message":"{\\"a\\":[[[[[[1,2,3]]]]]]}"}', "an event in a string"],
  ['{"MessageAttributes":{"a":{"Type":"String","Value":"b"}}}', "message attributes"],
  [' \n{"Message":"a \\\\"}', "an escaped backslash before the closing quote"],
  [JSON.stringify({ Message: ",".repeat(100_000) }), "commas in a string"],
] as const)("%s has the shape of an SNS message: %s", ([text]) => {
  expect(isEnvelopeShape(text)).toBe(true);
});

test.for([
  ["", "nothing"],
  ["[]", "a list"],
  [`{"a":${"[".repeat(4)}${"]".repeat(4)}}`, "nesting"],
  [`{"a":[${"1,".repeat(300)}1]}`, "many values"],
  [`{"\\"":${'[{"":'.repeat(10)}`, "nesting after a name with a quote"],
  [`[${"[],".repeat(170_000)}[]]`, "half a megabyte of lists"],
] as const)("%.30s has not: %s", ([text]) => {
  expect(isEnvelopeShape(text)).toBe(false);
});
