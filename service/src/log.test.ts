import { expect, test } from "vitest";
import { useTestDatabase } from "../test/use-test-database.ts";
import { AppError } from "./errors.ts";
import { createLog, type Log } from "./log.ts";

const shared = useTestDatabase();

test("an outcome is one JSON line with its level, time, event and fields, and nothing else", () => {
  const [line, ...rest] = linesOf((log) => log.warn({ keys: 3 }, "api-keys.pepper-missing"));
  expect(rest).toEqual([]);
  expect(line).toEqual({ level: "warn", time: expect.any(String), keys: 3, event: "api-keys.pepper-missing" });
  expect(new Date(line?.time ?? "").toISOString()).toBe(line?.time);
});

test("lines below the log level are not written", () => {
  expect(linesOf((log) => log.debug("request.detail"))).toEqual([]);
  expect(linesOf((log) => log.error("api.crashed"), "silent")).toEqual([]);
});

test("an error of PostgreSQL is logged with name, message, code and stack, without row values", async () => {
  await shared.db.query({ name: "t", text: "create table people (address text primary key, name text not null)" });
  const address = "ada@example.com";
  const insert = { name: "i", text: "insert into people values ($1, 'Ada Lovelace')", values: [address] };
  await shared.db.query(insert);
  const duplicate: unknown = await shared.db.query(insert).catch((error: unknown) => error);
  expect(duplicate).toMatchObject({ detail: expect.stringContaining(address) });

  const wrapped = new AppError("UNAVAILABLE", "Try again.", { cause: duplicate });
  for (const err of [duplicate, wrapped]) {
    const [line] = linesOf((log) => log.error({ err }, "request.internal-error"));
    expect(JSON.stringify(line)).not.toMatch(/ada@example|Lovelace|detail|where/);
  }
  const [line] = linesOf((log) => log.error({ err: wrapped }, "request.internal-error"));
  expect(line?.err).toEqual({
    name: "AppError",
    message: "Try again.",
    code: "UNAVAILABLE",
    stack: expect.arrayContaining([expect.stringContaining("log.test.ts")]),
    cause: {
      name: "error",
      message: 'duplicate key value violates unique constraint "people_pkey"',
      code: "23505",
      stack: expect.any(Array),
    },
  });
});

test("a data exception is logged without its message, which quotes the value, in the stack too", async () => {
  const refused = { name: "n", text: "select $1::text::int", values: ["ada@example.com"] };
  const err: unknown = await shared.db.query(refused).catch((error: unknown) => error);
  expect(err).toMatchObject({ message: expect.stringContaining("ada@example.com") });
  const [line] = linesOf((log) => log.error({ err }, "request.internal-error"));
  expect(line?.err).toEqual({ name: "error", message: "a data exception", code: "22P02", stack: expect.any(Array) });
  expect(JSON.stringify(line)).not.toContain("ada@");
});

test("the context of an error of PostgreSQL is not logged", () => {
  const err = Object.assign(new Error("division by zero"), { where: "PL/pgSQL function with ada@example.com" });
  const [line] = linesOf((log) => log.error({ err }, "request.internal-error"));
  expect(line?.err).toEqual({ name: "Error", message: "division by zero", stack: expect.any(Array) });
});

test("a thrown value that is not an error is logged as text", () => {
  const [line] = linesOf((log) => log.error({ err: "not an error object" }, "request.internal-error"));
  expect(line?.err).toEqual({ message: "not an error object" });
});

test("a plain object with the fields of an error is logged as an error, without quoted values", () => {
  const thrown = {
    message: "invalid input for ada@example.com",
    code: "22P02",
    severity: "ERROR",
    queue: "ada@example.com",
  };
  const [line] = linesOf((log) => log.error({ err: thrown }, "chores.error"));
  expect(line?.err).toEqual({ name: "Error", message: "a data exception", code: "22P02" });
  const [other] = linesOf((log) => log.error({ err: { message: "deadlock detected", code: "40P01" } }, "chores.error"));
  expect(other?.err).toEqual({ name: "Error", message: "deadlock detected", code: "40P01" });
});

interface Line {
  time: string;
  err?: unknown;
}

function linesOf(write: (log: Log) => void, level = "info"): Line[] {
  const written: string[] = [];
  write(createLog(level, { write: (line) => void written.push(line) }));
  return written.map((line) => {
    expect(line).toMatch(/^[^\n]+\n$/);
    return JSON.parse(line);
  });
}
