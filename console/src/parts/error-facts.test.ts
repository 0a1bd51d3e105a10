import { expect, test } from "vitest";
import { errorFacts } from "./error-facts.ts";

test("an error of the API shows its message, code, request id and each problem", () => {
  const details = [{ field: "to", code: "invalid", message: "Not an address." }];
  const wire = { message: "The request is invalid.", code: "VALIDATION_ERROR", request_id: "req_1", details };
  expect(errorFacts(wire)).toEqual({
    message: "The request is invalid.",
    code: "VALIDATION_ERROR",
    requestId: "req_1",
    details,
  });
  expect(errorFacts(Object.assign(new Error("Gone."), { code: "NOT_FOUND", requestId: "req_2" }))).toMatchObject({
    code: "NOT_FOUND",
    requestId: "req_2",
  });
});

test.for([undefined, null, 7, {}, new Error("")])("%j still has a message", (error) => {
  expect(errorFacts(error)).toEqual({ message: "An unknown error occurred.", details: [] });
});

test("a malformed list of details is left out", () => {
  expect(errorFacts({ message: "m", details: [null, "x", { field: "a", message: "b" }] }).details).toEqual([
    { field: "a", message: "b" },
  ]);
});
