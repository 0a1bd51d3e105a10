import type { FieldProblem } from "../errors.ts";
import type { LoggedProblem } from "./logged-request.ts";

/** A response lists up to 50; ten of them show what is wrong. */
const maxProblems = 10;
const maxFieldCharacters = 120;
const maxMessageCharacters = 240;

/** Stands for a name that the caller chose, such as that of an unknown field, a header or a key of metadata. */
const chosenName = "…";

/** Messages about these fields repeat their value: that of a URL names its host. */
const repeatedFields: ReadonlySet<string> = new Set(["url"]);

/**
 * What the log keeps of the problems of a request: the names that the interface defines, indexes, codes and messages. Messages are texts of
 * the schema, except for `repeatedFields`; the proof `request-log` sends a marker in every field to check that.
 */
export function safeProblems(problems: FieldProblem[], isPublished: (name: string) => boolean): LoggedProblem[] {
  return problems.slice(0, maxProblems).map(({ field, code, message }) => ({
    field: safePath(field, isPublished),
    code,
    ...(!repeatedFields.has(field) && { message: message.slice(0, maxMessageCharacters) }),
  }));
}

/** `mails[3].headers.X-Order` becomes `mails[3].headers.…`. */
function safePath(path: string, isPublished: (name: string) => boolean): string {
  const segments = path.split(".").map((segment) => {
    const [, name = "", indexes = ""] = /^([^[\]]*)((?:\[\d{1,4}\])*)$/.exec(segment) ?? [];
    return isPublished(name) ? `${name}${indexes}` : chosenName;
  });
  // A chosen name can contain dots.
  return segments
    .filter((segment, index) => segment !== chosenName || segments[index - 1] !== chosenName)
    .join(".")
    .slice(0, maxFieldCharacters);
}
