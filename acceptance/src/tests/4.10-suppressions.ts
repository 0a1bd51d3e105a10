import { paginationFields, suppressionFields } from "../fields.ts";
import type { Tests } from "../suite.ts";
import type { World } from "../world.ts";

export const suppressionTests: Tests = {
  "4.10-01": async (check, world) => {
    const [first, second] = [await list(world, { limit: 20 }), await list(world, { limit: 20, page: 2 })];
    check.equal("page when left out", first.body?.pagination?.page, 1);
    check.equal("page when given", second.body?.pagination?.page, 2);
    const ids = (answer: typeof first): string[] => answer.body.data.map(({ id }: { id: string }) => id);
    check.equal("the length of the second page", ids(second).length, 20);
    check.holds(
      "no entry is on both",
      ids(second).every((id) => !ids(first).includes(id)),
    );
    check.error("a page that is no integer", await list(world, { page: "two" }), 422, "VALIDATION_ERROR");
  },
  "4.10-02": async (check, world) => {
    const [usual, short] = [await list(world, {}), await list(world, { limit: 7 })];
    check.equal("limit when left out", usual.body?.pagination?.limit, 50);
    check.equal("how many there are then", usual.body?.data?.length, 50);
    check.equal("limit when given", short.body?.pagination?.limit, 7);
    check.equal("how many there are then", short.body?.data?.length, 7);
  },
  "4.10-03": async (check, world) => {
    const answer = await list(world, { limit: 7 });
    check.status("the list", answer, 200);
    check.fields("the answer", answer.body, ["success", "data", "pagination"]);
    check.equal("success", answer.body.success, true);
    const { pagination } = answer.body;
    check.fields("pagination", pagination, paginationFields);
    for (const field of paginationFields) check.integer(field, pagination[field]);
    check.equal("total_pages", pagination.total_pages, Math.ceil(pagination.total / 7));
  },
  "4.10-04": async (check, world) => {
    const { body } = await list(world, {});
    check.holds("data is a list", Array.isArray(body?.data), body);
    for (const entry of body.data) check.fields("an entry", entry, suppressionFields);
  },

  "4.11-01": async (check, { scenes }) => {
    const { address, removal, entry } = await scenes.removed();
    check.holds("the address has characters to encode", encodeURIComponent(address) !== address, address);
    check.status("the removal", removal, 200);
    check.equal("its entry afterwards", entry, undefined);
  },
  "4.11-02": async (check, { scenes }) => {
    const { again, address } = await scenes.removed();
    check.holds("nobody was filtered", !Object.hasOwn(again.accepted, "suppressed_recipients"), again.accepted);
    check.equal(
      "whom the provider reported about",
      again.events.map(({ recipient }) => recipient),
      [address],
    );
    check.equal(
      "as what",
      again.events.map(({ event_type }) => event_type),
      ["Bounce"],
    );
  },
  "4.11-03": async (check, { scenes }) => {
    const { removal, address } = await scenes.removed();
    check.fields("the answer", removal.body, ["success", "message"]);
    check.equal("success", removal.body?.success, true);
    check.holds("the message names the address", removal.body?.message.includes(address), removal.body);
  },
  "4.11-04": async (check, { ask, scenes }) => {
    const { address } = await scenes.bounced();
    const path = `/api/v1/suppression/${encodeURIComponent(address)}`;
    check.error("a removal without JWT", await ask("DELETE", path), 401, "UNAUTHORIZED");
    const bad = { authorization: "Bearer not.a.token" };
    check.error("a removal with a bad JWT", await ask("DELETE", path, { headers: bad }), 401, "UNAUTHORIZED");
  },
  "4.11-05": async (check, { scenes }) => {
    check.error("removing who is not listed", (await scenes.removed()).unknownRemoval, 404, "NOT_FOUND");
  },
};

async function list({ admin, scenes }: World, query: Record<string, string | number>) {
  await scenes.crowd();
  return admin.asUser("GET", "/api/v1/suppression", { query: { mode: "test", ...query } });
}
