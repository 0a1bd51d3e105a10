import type { Answer } from "../client.ts";
import type { TestContext, Tests } from "../suite.ts";

export const contentTests: Tests = {
  "10.7-01": async (check, context) => {
    const { payload, accepted } = await context.fixtures.delivered();
    const answer = await context.admin.asUser("GET", pathOf(accepted.id));
    check.status("the content", answer, 200);
    check.equal("the content", answer.body, { id: accepted.id, mode: "test", ...payload });
  },
  "10.7-02": async (check, { request, fixtures }) => {
    const headers = await fixtures.viewer();
    const { accepted } = await fixtures.delivered();
    const record = await request("GET", `/api/v1/send/${accepted.id}/status`, { headers, query: { mode: "test" } });
    check.status("the record, by a viewer", record, 200);
    check.error("the content, by a viewer", await request("GET", pathOf(accepted.id), { headers }), 403, "FORBIDDEN");
  },
  "10.7-03": async (check, context) => {
    const { accepted } = await context.fixtures.delivered();
    const { send, read } = context.fixtures.keyWith;
    const refused = await readBy(context, accepted.id, await send());
    check.error("the content, by a key with the scope send only", refused, 401, "UNAUTHORIZED");
    check.status("the content, by a key with the scope read", await readBy(context, accepted.id, await read()), 200);
  },
  "10.7-04": async (check, context) => {
    const [id = ""] = (await context.fixtures.taggedSends()).ids;
    await readBy(context, id, await context.fixtures.keyWith.send());
    await readBy(context, id, context.admin.jwt);
    const query = { action: "content.read", target: id };
    const { body } = await context.admin.asUser("GET", "/api/v1/audit", { query });
    const { body: me } = await context.admin.asUser("GET", "/api/v1/auth/me");
    const entries: Entry[] = body?.data?.entries ?? [];
    check.equal(
      "actor and target of the entries",
      entries.map(({ actor, target }) => [actor.kind, actor.id, target.id]),
      [["user", me.user_id, id]],
    );
  },
  "10.7-05": async (check, context) => {
    const { accepted } = await context.fixtures.delivered();
    const answer = await readBy(context, accepted.id, context.other().jwt);
    check.error("the content, by another account", answer, 404, "NOT_FOUND");
  },
};

interface Entry {
  actor: { kind: string; id: string };
  target: { id: string };
}

function readBy({ request }: TestContext, id: string, headers: Record<string, string>): Promise<Answer> {
  return request("GET", pathOf(id), { headers });
}

function pathOf(id: string): string {
  return `/api/v1/send/${id}/content`;
}
