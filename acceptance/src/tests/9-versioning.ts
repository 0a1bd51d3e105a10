import { allEndpoints } from "../fields.ts";
import type { Tests } from "../suite.ts";

export const versioningTests: Tests = {
  "9-01": async (check, { ask, admin }) => {
    const question = { headers: admin.jwt };
    check.status("the version there is", await ask("GET", "/api/v1/domains", question), 200);
    check.error("a version there is not", await ask("GET", "/api/v2/domains", question), 404, "NOT_FOUND");
  },
  "9-02": async (check, { ask, admin }) => {
    for (const { method, path } of allEndpoints) {
      for (const bare of [path.replace("/api/v1", ""), path.replace("/v1", "")]) {
        const answer = await ask(method, bare, { headers: admin.jwt, ...(method === "POST" && { body: {} }) });
        check.status(`${method} ${bare}`, answer, 404);
      }
    }
  },
};
