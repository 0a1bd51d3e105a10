import { randomUUID } from "node:crypto";
import type { TestContext, Tests } from "../suite.ts";
import { until } from "../until.ts";

interface Entry {
  request_id: string;
  method: string;
  route: string;
  status: number;
  error_code: string | null;
  details: { field: string; code: string }[];
  api_key: { id: string } | null;
}

export const requestLogTests: Tests = {
  "10.6-01": async (check, context) => {
    const secret = `value-${randomUUID()}`;
    const body = { from: secret, to: [secret], [secret]: secret, text: secret };
    const answer = await context.admin.withKey("test", "POST", "/api/v1/send", { body });
    check.error("the send", answer, 422, "VALIDATION_ERROR");
    const [entry] = await list(context, { request_id: String(answer.body?.error?.request_id) });
    const { method, route, status, error_code } = entry ?? {};
    check.equal("the entry", [method, route, status, error_code], ["POST", "/api/v1/send", 422, "VALIDATION_ERROR"]);
    const fields = entry?.details.map(({ field }) => field) ?? [];
    check.holds(
      "it names the fields",
      ["from", "to[0]", "subject"].every((field) => fields.includes(field)),
      fields,
    );
    check.holds("it has no value and no unknown name", !JSON.stringify(entry).includes(secret), entry);
  },
  "10.6-02": async (check, context) => {
    const missing = await context.admin.withKey("test", "GET", `/api/v1/send/${randomUUID()}/status`);
    check.status("a send that does not exist", missing, 404);
    const invalid = await context.admin.withKey("test", "POST", "/api/v1/send", { body: {} });
    const [wanted] = await list(context, { request_id: String(invalid.body?.error?.request_id) });
    const keyId = wanted?.api_key?.id ?? "";
    const requestId = String(missing.body?.error?.request_id);
    const found = await list(context, { status: "404", api_key_id: keyId, limit: 100 }, (entries) =>
      entries.some((entry) => entry.request_id === requestId),
    );
    check.holds(
      "the request is listed",
      found.some((entry) => entry.request_id === requestId),
      found,
    );
    check.equal("the statuses", [...new Set(found.map(({ status }) => status))], [404]);
    check.equal("the keys", [...new Set(found.map(({ api_key }) => api_key?.id))], [keyId]);
  },
};

/** An entry appears a few seconds after the response. */
async function list(
  context: TestContext,
  query: Record<string, string | number>,
  isDone = (entries: Entry[]) => entries.length > 0,
): Promise<Entry[]> {
  const read = async (): Promise<Entry[]> => {
    const { body } = await context.admin.asUser("GET", "/api/v1/requests", { query });
    return body?.data?.requests ?? [];
  };
  return until(read, isDone);
}
