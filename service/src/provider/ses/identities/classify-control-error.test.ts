import { expect, test } from "vitest";
import { toProviderError } from "./classify-control-error.ts";

const trouble = (syscall: string) => Object.assign(new Error(syscall), { syscall, code: "ETIMEDOUT" });
const answered = (name: string, httpStatusCode: number) =>
  Object.assign(new Error("no"), { name, $metadata: { httpStatusCode } });

test.for([
  ["there was no connection", trouble("connect"), "unavailable", true],
  ["the connection was lost with the answer on its way", trouble("read"), "unavailable", false],
  ["the server broke down over it", answered("InternalFailure", 500), "unavailable", false],
  ["a proxy answered with a page", answered("SyntaxError", 403), "unavailable", false],
  ["it was refused", answered("AccessDeniedException", 403), "denied", true],
  ["it came too fast", answered("TooManyRequestsException", 429), "throttled", true],
] as const)("whether anything can have come of a call when %s", ([, error, kind, isWithoutEffect]) => {
  expect(toProviderError(error)).toMatchObject({ kind, isWithoutEffect });
});
