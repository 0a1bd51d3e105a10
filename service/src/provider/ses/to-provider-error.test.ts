import { expect, test } from "vitest";
import { toProviderError } from "./to-provider-error.ts";

const networkError = (syscall: string) => Object.assign(new Error(syscall), { syscall, code: "ETIMEDOUT" });
const errorAnswer = (name: string, httpStatusCode: number) =>
  Object.assign(new Error("no"), { name, $metadata: { httpStatusCode } });

test.for([
  ["no connection was established", networkError("connect"), "unavailable", true],
  ["the connection broke before the answer arrived", networkError("read"), "unavailable", false],
  ["AWS failed while handling it", errorAnswer("InternalFailure", 500), "unavailable", false],
  ["a proxy answered with an error page", errorAnswer("SyntaxError", 403), "unavailable", false],
  ["AWS denied it", errorAnswer("AccessDeniedException", 403), "denied", true],
  ["AWS throttled it", errorAnswer("TooManyRequestsException", 429), "throttled", true],
] as const)("the error states whether the call can have had an effect when %s", ([, error, kind, hadNoEffect]) => {
  expect(toProviderError(error)).toMatchObject({ kind, hadNoEffect });
});
