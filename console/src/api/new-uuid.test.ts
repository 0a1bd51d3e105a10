import { expect, test } from "vitest";
import { newUuid } from "./new-uuid.ts";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("without crypto.randomUUID, as on plain HTTP, ids have the same form and differ", () => {
  const insecure = { getRandomValues: crypto.getRandomValues.bind(crypto) };
  const ids = Array.from({ length: 1000 }, () => newUuid(insecure));
  expect(ids.every((id) => form.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(1000);
});

test("a secure page uses the browser's own", () => {
  expect(newUuid()).toMatch(form);
});
