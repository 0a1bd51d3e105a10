import { paginationFields, suppressionFields } from "../fields.ts";
import type { TestContext, Tests } from "../suite.ts";

export const suppressionTests: Tests = {
  "4.10-01": async (check, context) => {
    const [first, second] = [await list(context, { limit: 20 }), await list(context, { limit: 20, page: 2 })];
    check.equal("the default page", first.body?.pagination?.page, 1);
    check.equal("page from the request", second.body?.pagination?.page, 2);
    const ids = (answer: typeof first): string[] => answer.body.data.map(({ id }: { id: string }) => id);
    check.equal("the length of the second page", ids(second).length, 20);
    check.holds(
      "no entry is on both pages",
      ids(second).every((id) => !ids(first).includes(id)),
    );
    check.error("a page that is not an integer", await list(context, { page: "two" }), 422, "VALIDATION_ERROR");
  },
  "4.10-02": async (check, context) => {
    const [byDefault, short] = [await list(context, {}), await list(context, { limit: 7 })];
    check.equal("the default limit", byDefault.body?.pagination?.limit, 50);
    check.equal("the length of the default page", byDefault.body?.data?.length, 50);
    check.equal("limit from the request", short.body?.pagination?.limit, 7);
    check.equal("the length of the page with limit 7", short.body?.data?.length, 7);
  },
  "4.10-03": async (check, context) => {
    const answer = await list(context, { limit: 7 });
    check.status("the list", answer, 200);
    check.fields("the answer", answer.body, ["success", "data", "pagination"]);
    check.equal("success", answer.body.success, true);
    const { pagination } = answer.body;
    check.fields("pagination", pagination, paginationFields);
    for (const field of paginationFields) check.integer(field, pagination[field]);
    check.equal("total_pages", pagination.total_pages, Math.ceil(pagination.total / 7));
  },
  "4.10-04": async (check, context) => {
    const { body } = await list(context, {});
    check.holds("data is a list", Array.isArray(body?.data), body);
    for (const entry of body.data) check.fields("an entry", entry, suppressionFields, ["email_id", "note"]);
  },

  "4.11-01": async (check, { fixtures }) => {
    const { address, removal, entry } = await fixtures.suppressionRemoved();
    check.holds("the address has characters to encode", encodeURIComponent(address) !== address, address);
    check.status("the removal", removal, 200);
    check.equal("the suppression entry after the removal", entry, undefined);
  },
  "4.11-02": async (check, { fixtures }) => {
    const { again, address } = await fixtures.suppressionRemoved();
    check.holds(
      "the send removed no recipient",
      !Object.hasOwn(again.accepted, "suppressed_recipients"),
      again.accepted,
    );
    check.equal(
      "the recipients of the events",
      again.events.map(({ recipient }) => recipient),
      [address],
    );
    check.equal(
      "the types of the events",
      again.events.map(({ event_type }) => event_type),
      ["Bounce"],
    );
  },
  "4.11-03": async (check, { fixtures }) => {
    const { removal, address } = await fixtures.suppressionRemoved();
    check.fields("the answer", removal.body, ["success", "message"]);
    check.equal("success", removal.body?.success, true);
    check.holds("the message names the address", removal.body?.message.includes(address), removal.body);
  },
  "4.11-04": async (check, { request, fixtures }) => {
    const { address } = await fixtures.bounced();
    const path = `/api/v1/suppression/${encodeURIComponent(address)}`;
    check.error("a removal without a JWT", await request("DELETE", path), 401, "UNAUTHORIZED");
    const bad = { authorization: "Bearer not.a.token" };
    check.error("a removal with an invalid JWT", await request("DELETE", path, { headers: bad }), 401, "UNAUTHORIZED");
  },
  "4.11-05": async (check, { fixtures }) => {
    check.error(
      "removing an address without an entry",
      (await fixtures.suppressionRemoved()).unknownRemoval,
      404,
      "NOT_FOUND",
    );
  },
};

async function list({ admin, fixtures }: TestContext, query: Record<string, string | number>) {
  await fixtures.manySuppressed();
  return admin.asUser("GET", "/api/v1/suppression", { query });
}
