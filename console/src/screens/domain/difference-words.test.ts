import { expect, test } from "vitest";
import { describeDifferences, ordinal } from "./difference-words.ts";

const target = "m7xl1o0kt52rbd8pjcwnaq3ve.dkim.amazonses.com";
const words = (expected: string, found: string) => describeDifferences(expected, found, "mail.fernhill.example");

test("names the mistyped character and the appended domain", () => {
  expect(words(target, "m7xllo0kt52rbd8pjcwnaq3ve.dkim.amazonses.com.mail.fernhill.example")).toEqual({
    count: "Two differences.",
    what: "The 5th character is the letter l instead of the digit 1, and the DNS provider added your domain to the end.",
  });
});

test("a parent of the domain counts as the domain that the provider added", () => {
  expect(words(target, `${target}.fernhill.example`)?.what).toBe("The DNS provider added your domain to the end.");
  expect(words(target, `${target}.other.example`)?.what).toBe("“.other.example” is added at the end.");
});

test("quotation marks, spaces and missing characters have names", () => {
  expect(words("postern-verify=abc", '"postern-verify=abc"')).toEqual({
    count: "Two differences.",
    what: "A quotation mark is added at the start, and a quotation mark is added at the end.",
  });
  expect(words("postern-verify=abc", "postern-verify=abc ")?.what).toBe("A space is added at the end.");
  expect(words("postern-verify=abcdef", "postern-verify=abdef")?.what).toBe(
    "The letter c is missing after the 17th character.",
  );
  expect(words("postern-verify=abcdef", "postern-verify=ab")?.what).toBe("4 characters are missing at the end.");
});

test("a value that has nothing to do with the expected one is not explained letter by letter", () => {
  expect(words("postern-verify=9f3kq7x2mzt4c8wd", "v=spf1 -all")).toEqual({
    count: "Another value is published.",
    what: "",
  });
});

test("equal values have no words", () => {
  expect(words(target, target)).toBeUndefined();
});

test("ordinals", () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(ordinal)).toEqual(
    "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 101st 111th".split(" "),
  );
});
