import { expect, test } from "vitest";
import { findRate, formatBytes, formatCount, formatNumber, formatPercent, formatShort } from "./format-number.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("numbers have thousands separators and a fixed number of digits", () => {
  expect(formatNumber(1_234_567)).toBe("1,234,567");
  expect(formatNumber(4.16, 2)).toBe("4.16");
  expect(formatNumber(0)).toBe("0");
});

test("a number on an axis has at most four characters", () => {
  expect([0, 6, 800, 1_000, 2_500, 12_000, 150_000, 1_200_000, 3e9].map(formatShort)).toEqual([
    "0",
    "6",
    "800",
    "1k",
    "2.5k",
    "12k",
    "150k",
    "1.2M",
    "3G",
  ]);
});

test("a ratio reads as per cent with a no-break space", () => {
  expect(formatPercent(0.0416, 2)).toBe("4.16\u00a0%");
  expect(plain(formatPercent(1))).toBe("100.0 %");
});

test("there is no rate below 200 outcomes, and none of zero", () => {
  expect(findRate(1, 199)).toBeUndefined();
  expect(findRate(1, 200)).toBe(0.005);
  expect(findRate(0, 0, 0)).toBeUndefined();
});

test("one thing is singular", () => {
  expect(plain(formatCount(1, "send"))).toBe("1 send");
  expect(plain(formatCount(1204, "address", "addresses"))).toBe("1,204 addresses");
});

test.for([
  [812, "812 B"],
  [999.6, "1.0 kB"],
  [4200, "4.2 kB"],
  [38_000_000, "38 MB"],
] as const)("%d bytes read %s", ([bytes, text]) => {
  expect(plain(formatBytes(bytes))).toBe(text);
});
