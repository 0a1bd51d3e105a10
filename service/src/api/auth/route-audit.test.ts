import { expect, test } from "vitest";
import { auditedRequests } from "../../../test/audited-requests.ts";
import { routeAccess } from "./route-access.ts";
import { routeAudit } from "./route-audit.ts";

test("every route that can change something has an action in the audit, or is listed without one", () => {
  const changing = Object.keys(routeAccess).filter((route) => !route.startsWith("GET "));
  expect(Object.keys(routeAudit).toSorted()).toEqual(changing.toSorted());
});

test("the tests and the proof try every route that leaves an entry", () => {
  const audited = Object.keys(routeAudit).filter((route) => routeAudit[route] !== null);
  expect(Object.keys(auditedRequests).toSorted()).toEqual(audited.toSorted());
});
