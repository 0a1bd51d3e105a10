import { expect, test } from "vitest";
import { registeredRoutes } from "../../../test/registered-routes.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { findRouteAccess, routeAccess } from "./route-access.ts";

const api = useTestApi();
/** The reference is a package with routes of its own and serves documentation only. */
const isReference = (path: string) => path.startsWith("/reference");

const registered = () =>
  registeredRoutes(api.app)
    .filter(({ path }) => !isReference(path))
    .flatMap(({ methods, path }) => methods.map((method) => ({ method, path })));

test("every route has an entry in the table of access, and every entry has a route", () => {
  const withoutHead = registered().filter(({ method }) => method !== "HEAD");
  const names = withoutHead.map(({ method, path }) => `${method} ${path}`);
  expect(names.toSorted()).toEqual(Object.keys(routeAccess).toSorted());
});

test("every route that is not public refuses a request without a credential, also as HEAD", async () => {
  const refused = [];
  for (const { method, path } of registered()) {
    if (findRouteAccess(method, path)?.public) continue;
    const { statusCode } = await api.app.inject({ method: method as "GET", url: path.replaceAll(/:\w+/g, "1") });
    refused.push(`${method} ${path} ${statusCode}`);
  }
  expect(refused.length).toBeGreaterThan(15);
  expect(refused.filter((answer) => !answer.endsWith(" 401"))).toEqual([]);
});

test("the document names for each route the credentials that its entry accepts, the one that counts first", async () => {
  const { paths } = (await api.app.inject("/openapi.json")).json();
  for (const [route, access] of Object.entries(routeAccess)) {
    const [method = "", path = ""] = route.split(" ");
    const operation = paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    if (operation === undefined) continue;
    const documented = operation.security.flatMap((scheme: Record<string, unknown>) => Object.keys(scheme));
    expect([route, documented]).toEqual([route, credentialsOf(access)]);
  }
});

function credentialsOf(access: (typeof routeAccess)[string]): string[] {
  if (access?.public) return [];
  if (access?.key === "never") return ["jwt"];
  return access?.prefersJwt ? ["jwt", "apiKey"] : ["apiKey", "jwt"];
}
