import { randomUUID } from "node:crypto";
import { trace } from "@opentelemetry/api";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Queryable } from "../db/database.ts";
import { findTraces } from "./find-traces.ts";

const id = randomUUID();

beforeEach(() => void trace.setGlobalTracerProvider(new NodeTracerProvider()));
afterEach(() => trace.disable());

function aDatabase(query: () => Promise<unknown>) {
  let queries = 0;
  const db = {
    query: () => {
      queries += 1;
      return query();
    },
  } as Queryable; // the rows of one statement only
  return { db, queries: () => queries };
}

test("with an SDK it reads the traces of sends that have one", async () => {
  const { db } = aDatabase(async () => [{ id, stored: Buffer.from("ab".repeat(24), "hex") }]);
  const traces = await findTraces(db, [id, randomUUID()]);
  expect([...traces]).toEqual([[id, { traceId: "ab".repeat(16), spanId: "ab".repeat(8), isSampled: true }]]);
});

test("without an SDK, and without sends, it makes no query", async () => {
  const { db, queries } = aDatabase(async () => []);
  expect(await findTraces(db, [])).toEqual(new Map());
  trace.disable();
  expect(await findTraces(db, [id])).toEqual(new Map());
  expect(queries()).toBe(0);
});

test("a query that fails or hangs leaves the work without traces, after a second at most", async () => {
  const failing = aDatabase(() => Promise.reject(new Error("the connection broke")));
  expect(await findTraces(failing.db, [id])).toEqual(new Map());
  const hanging = aDatabase(() => new Promise(() => undefined));
  const started = performance.now();
  expect(await findTraces(hanging.db, [id])).toEqual(new Map());
  expect(performance.now() - started).toBeGreaterThan(900);
  expect([failing.queries(), hanging.queries()]).toEqual([1, 1]);
});
