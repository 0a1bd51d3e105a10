import { expect, test } from "vitest";
import { newSendId } from "./send-id.ts";

test("an id is a UUIDv7 that starts with the given time", () => {
  const at = Date.parse("2026-11-15T12:00:00.123Z");
  const ids = Array.from({ length: 2000 }, () => newSendId(at));
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(at);
  }
  expect(new Set(ids).size).toBe(2000);
});
