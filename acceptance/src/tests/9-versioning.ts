import { allEndpoints } from "../fields.ts";
import type { Tests } from "../suite.ts";

export const versioningTests: Tests = {
  "9-01": async (check, { request, admin }) => {
    const options = { headers: admin.jwt };
    check.status("the current version", await request("GET", "/api/v1/domains", options), 200);
    check.error("an unknown version", await request("GET", "/api/v2/domains", options), 404, "NOT_FOUND");
  },
  "9-02": async (check, { request, admin }) => {
    for (const { method, path } of allEndpoints) {
      for (const bare of [path.replace("/api/v1", ""), path.replace("/v1", "")]) {
        const answer = await request(method, bare, { headers: admin.jwt, ...(method === "POST" && { body: {} }) });
        check.status(`${method} ${bare}`, answer, 404);
      }
    }
  },
};
