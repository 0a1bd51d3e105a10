import { z } from "zod";
import { AppError, type FieldProblem } from "../../errors.ts";
import { nearestName } from "./nearest-name.ts";

/** A body can hold a million problems; the response lists the first ones only. */
const maxProblems = 50;

/** Translates all issues that Zod reports into one error. */
export function validationError(schema: z.ZodType, issues: z.core.$ZodIssue[]): AppError {
  return invalidRequest(fieldProblems(schema, issues));
}

export function fieldProblems(schema: z.ZodType, issues: z.core.$ZodIssue[]): FieldProblem[] {
  return issues.slice(0, maxProblems).flatMap((issue) => problemsOf(schema, issue));
}

export function invalidRequest(problems: FieldProblem[]): AppError {
  const details = problems.slice(0, maxProblems);
  const summary = details.map(({ field, message }) => `${field} ${message}`).join("; ");
  return new AppError("VALIDATION_ERROR", summary.endsWith("?") ? summary : `${summary}.`, { details });
}

function problemsOf(schema: z.ZodType, issue: z.core.$ZodIssue): FieldProblem[] {
  const field = fieldName(issue.path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.slice(0, maxProblems).map((key) => unknownField(schema, issue.path, key));
    case "invalid_type":
      return [issue.input === undefined ? required(field) : wrongType(field, issue.expected)];
    case "invalid_value":
      if (issue.input === undefined) return [required(field)];
      return [{ field, code: "unknown_value", message: `must be ${issue.values.map(String).join(" or ")}` }];
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1)
        return [{ field, code: "empty", message: "must not be empty" }];
      return [{ field, code: "too_small", message: boundary("at least", issue.minimum, issue.origin) }];
    case "too_big":
      return [{ field, code: "too_large", message: boundary("at most", issue.maximum, issue.origin) }];
    default:
      // Custom checks and formats carry the message that their schema defines.
      return [{ field, code: issue.code === "custom" ? "invalid" : "wrong_format", message: issue.message }];
  }
}

function required(field: string): FieldProblem {
  return { field, code: "required", message: "is required" };
}

function wrongType(field: string, expected: string): FieldProblem {
  return { field, code: "wrong_type", message: `must be ${typeNames[expected] ?? `a ${expected}`}` };
}

/** What Zod's name of a type is in JSON, or in a query parameter. */
const typeNames: Record<string, string> = {
  int: "a whole number",
  object: "a JSON object",
  record: "a JSON object",
  array: "an array",
};

function boundary(side: string, bound: number | bigint, origin: string): string {
  const count = (noun: string, plural: string) => `${bound} ${Number(bound) === 1 ? noun : plural}`;
  if (origin === "string") return `must have ${side} ${count("character", "characters")}`;
  if (origin === "array") return `must have ${side} ${count("entry", "entries")}`;
  return `must be ${side} ${bound}`;
}

function unknownField(schema: z.ZodType, path: PropertyKey[], key: string): FieldProblem {
  const known = path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const suggestion = nearestName(key, known);
  const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
  return { field: fieldName([...path, printable(key)]), code: "unknown_field", message: `is not a known field${hint}` };
}

function fieldName(path: PropertyKey[]): string {
  if (path.length === 0) return "body";
  const segments = path.map((segment) => (typeof segment === "number" ? `[${segment}]` : `.${String(segment)}`));
  return segments.join("").replace(/^\./, "");
}

/** The response repeats a field name that the caller chose, so it is limited to 64 printable ASCII characters. */
function printable(key: string): string {
  return key.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 64);
}
