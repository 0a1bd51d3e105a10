import { expect, test } from "vitest";
import { safeProblems } from "./safe-problems.ts";

const isPublished = (name: string) =>
  ["body", "to", "mails", "headers", "metadata", "url", "attachments"].includes(name);
const fieldsOf = (...fields: string[]) =>
  safeProblems(
    fields.map((field) => ({ field, code: "invalid", message: "is wrong" })),
    isPublished,
  ).map(({ field }) => field);

test("names that the interface defines and indexes stay", () => {
  expect(fieldsOf("body", "to[0]", "mails[12].to[3]", "attachments[0]")).toEqual([
    "body",
    "to[0]",
    "mails[12].to[3]",
    "attachments[0]",
  ]);
});

test("names that the caller chose are left out, also with dots, brackets and digits", () => {
  expect(fieldsOf("jane@example.com", "headers.X-Order", "mails[2].my.secret.key", "[4111111111111111]", "")).toEqual([
    "…",
    "headers.…",
    "mails[2].…",
    "…",
    "…",
  ]);
  expect(fieldsOf("to[4111111111111111]", "to[secret]")).toEqual(["…", "…"]);
});

test("the message about a URL is left out, because it names the host", () => {
  const problem = { code: "invalid", message: "The host db.internal is not public." } as const;
  expect(safeProblems([{ ...problem, field: "url" }], isPublished)).toEqual([{ field: "url", code: "invalid" }]);
});

test("ten problems are kept, and long messages are cut", () => {
  const problems = Array.from(
    { length: 50 },
    () => ({ field: "to", code: "invalid", message: "x".repeat(999) }) as const,
  );
  const kept = safeProblems(problems, isPublished);
  expect(kept).toHaveLength(10);
  expect(kept[0]?.message).toHaveLength(240);
});
