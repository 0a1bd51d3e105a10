import { expect, test } from "vitest";
import { growthText, storageSentence } from "./storage-words.ts";

const day = 86_400;
const database = {
  bytes: 60e9,
  bytes_per_day: 1e9,
  limit_bytes: 100e9,
  full_in_seconds: 40 * day,
  measured_seconds_ago: 60,
  sampled_seconds: 8 * day,
  history: [],
};
const plain = (text: string) => text.replaceAll("\u00a0", " ");

test.for<[string, Partial<typeof database>]>([
  ["The database has 60 GB of 100 GB, which is 60 %. At this growth its disk is full in 40 days.", {}],
  ["The database has 60 GB of 100 GB, which is 60 %: its disk is full.", { full_in_seconds: 0 }],
])("%s", ([sentence, facts]) => {
  expect(plain(storageSentence({ ...database, ...facts }))).toBe(sentence);
});

test("what is not known is said", () => {
  const unknown = { ...database, full_in_seconds: null };
  expect(storageSentence({ ...unknown, bytes: null })).toMatch(/not measured yet/);
  expect(storageSentence({ ...unknown, limit_bytes: null })).toMatch(/Set DATABASE_DISK_GB/);
  expect(storageSentence({ ...unknown, bytes_per_day: 10 })).toMatch(/It does not grow/);
  expect(storageSentence({ ...unknown, bytes_per_day: null })).toMatch(/known after a week/);
});

test("growth has a sign and a unit", () => {
  expect(plain(growthText(database))).toBe("1.0 GB a day");
  expect(plain(growthText({ ...database, bytes_per_day: -2e9 }))).toBe("−2.0 GB a day");
  expect(growthText({ ...database, bytes_per_day: 5 })).toBe("none");
  expect(plain(growthText({ ...database, bytes_per_day: null, sampled_seconds: 7200 }))).toBe(
    "known after a day, measured for 2 h",
  );
});
