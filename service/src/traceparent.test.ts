import fc from "fast-check";
import { expect, test } from "vitest";
import { readStoredTrace, readTraceparent, storedTrace } from "./traceparent.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test.each([
  ["a sampled trace", `00-${traceId}-${spanId}-01`, true],
  ["a trace that is not sampled", `00-${traceId}-${spanId}-00`, false],
  ["unknown flags", `00-${traceId}-${spanId}-fe`, false],
  ["a later version", `01-${traceId}-${spanId}-03`, true],
  ["a later version with more fields", `cc-${traceId}-${spanId}-01-what-the-future-brings`, true],
])("%s is read", (_, header, isSampled) => {
  expect(readTraceparent(header)).toEqual({ traceId, spanId, isSampled });
});

const malformedTraceparents: [string, unknown][] = [
  ["no header", undefined],
  ["several headers", [`00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`]],
  ["an empty header", ""],
  ["two values in one header", `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ["version 00 with more fields", `00-${traceId}-${spanId}-01-more`],
  ["the forbidden version", `ff-${traceId}-${spanId}-01`],
  ["upper case", `00-${traceId.toUpperCase()}-${spanId}-01`],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
  ["a span id of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
  ["a short trace id", `00-${traceId.slice(1)}-${spanId}-01`],
  ["a long span id", `00-${traceId}-${spanId}0-01`],
  ["no flags", `00-${traceId}-${spanId}`],
  ["a line break", `00-${traceId}-${spanId}-01\n`],
  ["a later version with a line break", `01-${traceId}-${spanId}-01-a\nb`],
  ["a header of 8 KB", `01-${traceId}-${spanId}-01-${"x".repeat(8_000)}`],
  ["SQL", `00-${traceId}-${spanId}-01'; drop table sends; --`],
  ["an address", "jane@example.io"],
];

test.each(malformedTraceparents)("%s is ignored", (_, header) => {
  expect(readTraceparent(header)).toBeUndefined();
});

test("no header throws, and what is read is well formed", () => {
  const nearly = fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{30,34}-[0-9a-f]{15,17}-[0-9a-f]{1,3}-?[a-z]{0,3}$/);
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), nearly), (header) => {
      const read = readTraceparent(header);
      if (read === undefined) return;
      expect(read.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(read.spanId).toMatch(/^[0-9a-f]{16}$/);
    }),
  );
});

test("24 bytes keep a sampled trace, and nothing keeps another", () => {
  const sampled = { traceId, spanId, isSampled: true };
  const stored = storedTrace(sampled);
  expect(stored).toHaveLength(24);
  expect(readStoredTrace(stored ?? Buffer.alloc(0))).toEqual(sampled);
  expect(storedTrace({ ...sampled, isSampled: false })).toBeUndefined();
  expect(storedTrace(undefined)).toBeUndefined();
});
