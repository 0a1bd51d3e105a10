import { describe, expect, test } from "vitest";
import { jumpTargets } from "./jump-targets.ts";
import { allPages } from "./pages.ts";

const first = (text: string) => {
  const [target] = jumpTargets(text, []);
  return target && [target.path, target.search];
};

describe("the palette recognises", () => {
  test("the id of a send", () => {
    const id = "019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4";
    expect(first(` ${id} `)).toEqual([`/sends/${id}`, undefined]);
  });

  test("the id of a request, for those who may see requests", () => {
    const id = "019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4";
    const requests = allPages.filter(({ path }) => path === "/requests");
    expect(jumpTargets(id, requests)[1]).toMatchObject({ path: "/requests", search: { request_id: id } });
  });

  test("an id of SES", () => {
    const id = "0102019a8c41e7b2-6d0f41c7-2b1e-4d57-9c1a-000000000000-000000";
    expect(first(id)).toEqual(["/activity", { provider_message_id: id }]);
  });

  test("an address, for its mail and its suppression", () => {
    const targets = jumpTargets("jane@whitaker.example", []);
    expect(targets.map(({ path, search }) => [path, search])).toEqual([
      ["/activity", { recipient: "jane@whitaker.example" }],
      ["/suppressions", { email: "jane@whitaker.example" }],
    ]);
  });

  test("nothing else", () => {
    expect(first("662E41")).toBeUndefined();
  });
});
