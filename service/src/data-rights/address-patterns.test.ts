import { expect, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { addressPatterns, inName } from "./address-patterns.ts";

const database = useTestDatabase();

const inside = [
  "ann@shop.test",
  "Ann@Shop.TEST",
  "Dear ann@shop.test, hello",
  "<ann@shop.test>",
  "550 5.1.1 <ann@shop.test>: unknown.",
  "Write to ann@shop.test.",
  "'ann@shop.test'",
  "{ann@shop.test}",
  "mailto:ann@shop.test?subject=x",
  "https://x.test/?q=ann@shop.test&r=1",
  "https://x.test/?q=ann%40shop.test",
  "https://x.test/?next=%2Fuser%3Femail%3Dann%40shop.test%26x",
  "https://x.test/?next=https%3A%2F%2Fy.test%2F%3Femail%253Dann%2540shop%252Etest",
  "mailto:Ann%20%3Cann%40shop.test%3E",
  "<b>ann&#64;shop.test</b>",
  String.raw`"ann\@shop.test via Shop" <noreply@shop.test>`,
  String.raw`{"a":"\"ann\\@shop\\.test\""}`,
  String.raw`{"a":"one\nann@shop.test"}`,
  String.raw`{\"a\":\"\u003cann@shop.test\"}`,
];
const outside = [
  "joann@shop.test",
  "jo.ann@shop.test",
  "jo+ann@shop.test",
  "jo-ann@shop.test",
  "o'ann@shop.test",
  "ann@shop.test.example",
  "ann@shop.testing",
  "ann@shop-test",
  "https://x.test/?q=jo%2Bann%40shop.test",
  "https://x.test/?q=jo%2Eann%40shop.test",
  "https://x.test/?q=jo%2Dann%40shop.test",
  "https://x.test/?q=o%27ann%40shop.test",
  "https://x.test/?q=joann%40shop.test",
  "ann@shopXtest",
];

test.for(inside)("the address is found in %s", async (text) => {
  expect(await isFound("ann@shop.test", text)).toBe(true);
});

test.for(outside)("it is not found in %s", async (text) => {
  expect(await isFound("ann@shop.test", text)).toBe(false);
});

test("special characters of the local part have no meaning, and a domain is found in both of its forms", async () => {
  expect(await isFound("a.b+c$d@shop.test", "x a.b+c$d@shop.test")).toBe(true);
  expect(await isFound("a.b@shop.test", "x aXb@shop.test")).toBe(false);
  expect(await isFound("_+_@shop.test", "x %5F%2B_@shop.test")).toBe(true);
  expect(await isFound("a+b@shop.test", "?q=x%3Da+b%40shop.test&r=a%2Bb@shop.test")).toBe(true);
  for (const text of [
    "a@bücher.test",
    "a@xn--bcher-kva.test",
    "A@BÜCHER.test",
    "a@bu\u0308cher.test",
    "?q=a%40b%C3%BCcher.test",
  ]) {
    expect(await isFound("a@bücher.test", text)).toBe(true);
    expect(await isFound("a@xn--bcher-kva.test", text)).toBe(true);
  }
});

test("a field with an address is found with and without a name, and only as a whole", async () => {
  const { inMailbox } = addressPatterns("ann@shop.test");
  for (const [text, expected] of [
    ["ann@shop.test", true],
    ["rfc822;ann@shop.test", true],
    ['"x <y" <ann@shop.test>', true],
    ['"<ann@shop.test>" <x@shop.test>', false],
    ["Ann <ANN@shop.test>", true],
    ["x=ann@shop.test", false],
    ["ann@shop.test.example", false],
  ] as const) {
    expect(await matches(inMailbox, text), text).toBe(expected);
  }
});

test("an address in the name of another one is found, and not in the other one", async () => {
  const pattern = inName(`'${addressPatterns("ann@shop.test").inText.replaceAll("'", "''")}'`);
  for (const [text, expected] of [
    ['"ann@shop.test via Shop" <x@shop.test>', true],
    ['"<ann@shop.test>" <x@shop.test>', true],
    ['"Shop for ANN@shop.test" <x@shop.test>', true],
    ['"joann@shop.test" <x@shop.test>', false],
    ["Shop <x=ann@shop.test>", false],
    ["x=ann@shop.test", false],
  ] as const) {
    const [row] = await change(database.db, `select $1::text ~* ${pattern} as found`, [text]);
    expect(row?.found, text).toBe(expected);
  }
});

test("what is not an address is refused", () => {
  expect(() => addressPatterns("ann")).toThrow("The address ");
});

async function isFound(address: string, text: string): Promise<boolean> {
  const { inText, rough } = addressPatterns(address);
  const isMatch = await matches(inText, text);
  const [row] = await change(database.db, "select $1::text ilike $2::text as found", [text, rough]);
  if (isMatch) expect(row).toEqual({ found: true });
  return isMatch;
}

async function matches(pattern: string, text: string): Promise<boolean> {
  const [row] = await change(database.db, "select $1::text ~* $2::text as found", [text, pattern]);
  return row?.found === true;
}
