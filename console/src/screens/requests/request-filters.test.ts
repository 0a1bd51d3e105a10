import { describe, expect, test } from "vitest";
import { hasFilter, readFilters, tokensOf, toQuery } from "./request-filters.ts";

const id = "019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4";

describe("the address of the page", () => {
  test("holds the filters, and what the API would refuse counts as none", () => {
    const search = { status: "422", error_code: "CONFLICT", api_key_id: id, method: "POST", route: "/api/v1/send" };
    expect(readFilters(search)).toMatchObject(search);
    expect(
      hasFilter(readFilters({ status: "9xx", error_code: "NONE", api_key_id: "1", method: "PUT", range: "year" })),
    ).toBe(false);
  });

  test("becomes a query with a time that moves, in the mode of the page", () => {
    const now = Date.parse("2026-11-15T09:30:00Z");
    expect(toQuery(readFilters({ range: "1h", status: "4xx" }), "test", now)).toMatchObject({
      status: "4xx",
      since: "2026-11-15T08:30:00.000Z",
      mode: "test",
    });
  });

  test("with a request id asks for that request alone, in both modes", () => {
    expect(toQuery(readFilters({ request_id: "order-1", status: "4xx" }), "test")).toEqual({ request_id: "order-1" });
  });

  test("shows filters without a menu as tokens", () => {
    const tokens = tokensOf(readFilters({ status: "404", route: "/api/v1/send", error_code: "NOT_FOUND" }));
    expect(tokens.map(({ name, value }) => `${name} ${value}`)).toEqual(["route /api/v1/send", "status 404"]);
    expect(tokensOf(readFilters({ status: "4xx" }))).toEqual([]);
  });
});
