import { expect, test } from "vitest";
import { auditedRequests } from "../../../test/audited-requests.ts";
import { routeAccess } from "./route-access.ts";
import { routeAudit } from "./route-audit.ts";

/** A browser opens it by a redirect, so it is a GET. Its test is with the log-in by OIDC, which needs an issuer. */
const oidcCallback = "GET /api/v1/auth/oidc/callback";

/** They read the content of mails. */
const auditedReads = [
  "GET /api/v1/send/:id/content",
  "GET /api/v1/send/:id/content/attachments/:number",
  "GET /api/v1/content-views/:token",
];

test("every route that can change something has an action in the audit, or is listed without one", () => {
  const changing = Object.keys(routeAccess).filter(
    (route) => !route.startsWith("GET ") || [oidcCallback, ...auditedReads].includes(route),
  );
  expect(Object.keys(routeAudit).toSorted()).toEqual(changing.toSorted());
});

test("the tests and the proof try every route that leaves an entry", () => {
  const audited = Object.keys(routeAudit).filter((route) => routeAudit[route] !== null);
  expect([...Object.keys(auditedRequests), oidcCallback].toSorted()).toEqual(audited.toSorted());
});
