import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apiDocument } from "../../../test/api-document.ts";
import { registeredRoutes } from "../../../test/registered-routes.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { consolePaths } from "./console/console-paths.ts";

const api = useTestApi();
const checkedIn = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8"));

test("the checked-in openapi.json equals what the server generates (if not, run npm run openapi)", async () => {
  expect(JSON.parse(JSON.stringify(await apiDocument()))).toEqual(checkedIn);
});

test("/openapi.json serves the checked-in document in OpenAPI 3.1", async () => {
  const response = await api.app.inject("/openapi.json");
  expect(response.json()).toEqual(checkedIn);
  expect(checkedIn.openapi).toBe("3.1.0");
});

test("the document contains every route except the pages and the document itself", () => {
  const hidden = /^\/($|openapi\.json|errors|reference|assets|api\/v1\/auth\/oidc\/)/;
  const documented = Object.keys(checkedIn.paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ":$1"));
  const pages = new Set<string>(consolePaths);
  const registered = routes().filter((path) => !hidden.test(path) && !pages.has(path));
  expect(registered.toSorted()).toEqual(documented.toSorted());
});

function routes(): string[] {
  return registeredRoutes(api.app).map(({ path }) => path);
}
