import fc from "fast-check";
import { expect, test } from "vitest";
import { parseHostName } from "./host-name.ts";

const isRefused = { problem: expect.stringMatching(/^(is|must|has) /) };

test.for([
  ["plain names", "shop.example", "shop.example"],
  ["capitals", "Shop.EXAMPLE", "shop.example"],
  ["letters beyond ASCII", "BÜCHER.de", "xn--bcher-kva.de"],
  ["an encoded label in capitals", "XN--BCHER-KVA.de", "xn--bcher-kva.de"],
  ["a letter and its accent", "bu\u0308cher.de", "xn--bcher-kva.de"],
  ["full-width letters", "\uff53\uff48\uff4f\uff50.example", "shop.example"],
  ["an ideographic dot", "shop\u3002example", "shop.example"],
  ["a full-width dot", "shop\uff0eexample", "shop.example"],
  ["a half-width dot", "shop\uff61example", "shop.example"],
  ["the Kelvin sign", "\u212aino.example", "kino.example"],
  ["the long s", "\u017fhop.example", "shop.example"],
  ["a capital sigma, also at the end of a word", "ΣΑΣ.gr", "xn--mxa9ab.gr"],
] as const)("every spelling of a domain gives the same name: %s", ([, given, name]) => {
  expect(parseHostName(given)).toBe(name);
});

test("the fast path gives the same result as the full conversion, which names in capitals take", () => {
  const letters = fc.constantFrom(..."abx019--..");
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 24 }), (name) => {
      fc.pre(/[a-z]/.test(name));
      expect(parseHostName(name)).toEqual(parseHostName(name.toUpperCase()));
    }),
    {
      numRuns: 20_000,
      examples: [["0x7f.0x1"], ["ab--c.de"], ["a.1"], ["xn--bcher-kva.de"], [`${"a".repeat(64)}.de`]],
    },
  );
});

test("a dotless i is a different letter from i", () => {
  expect(parseHostName("shıp.example")).toBe("xn--shp-kua.example");
});

test.for([
  "日本語ひらカタabc.jp",
  "한국漢字abc.kr",
  "中文ㄅㄆabc.tw",
  "пример1-2.рф",
  "ไทย.th",
  "עברית.il",
  "العربية.eg",
])("scripts that one language mixes may share a label: %s", (given) => {
  expect(parseHostName(given)).toMatch(/^xn--/);
});

test.for([
  ["Latin and Cyrillic", "p\u0430ypal.com"],
  ["Latin and Cyrillic, encoded", "xn--pypal-4ve.com"],
  ["Latin and Greek", "g\u03bfogle.com"],
  ["Cyrillic and Greek", "\u0430\u03b1.com"],
  ["Hangul and Hiragana", "한ひ.com"],
  ["an extinct script", "\u{10330}\u{10331}.com"],
  ["Cherokee", "\u13a0\u13a1.com"],
] as const)("a label with mixed or rare scripts is refused: %s", ([, given]) => {
  expect(parseHostName(given)).toEqual({ problem: expect.stringMatching(/one script/) });
});

test("different labels may use different scripts", () => {
  expect(parseHostName("пример.shop.com")).toBe("xn--e1afmkfd.shop.com");
});

test.for([
  "",
  ".",
  "a",
  "a.",
  ".a.co",
  "a..co",
  "a.co.",
  "-a.co",
  "a-.co",
  "a_b.co",
  "a b.co",
  "a%2eco.de",
  "a.co:25",
  "a.co/x",
  "u@a.co",
  "[1.2.3.4]",
  "1.2.3.4",
  "0x7f.1",
  "2130706433",
  "a.123",
  "xn--.co",
  "xn--a.co",
  "ab--c.co",
  "xn--ab-c6t.co",
  "❤.ws",
  "xn--qei.ws",
  "½.co",
  "a\u200db.co",
  "a\u00adb.co",
  "\ud800.co",
  `${"a".repeat(64)}.co`,
  `${"ü".repeat(60)}.co`,
  `${"a.".repeat(126)}co`,
  "日".repeat(10_000),
])("text that is not a public domain name is refused: %j", (given) => {
  expect(parseHostName(given)).toEqual(isRefused);
});
