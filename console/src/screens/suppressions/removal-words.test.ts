import { expect, test } from "vitest";
import type { SuppressionRemoval } from "../../api/api-types.ts";
import { describeRemoval } from "./removal-words.ts";

const email = "gone@whitaker.example";
const at = "2026-11-16T14:05:00.000Z";

function words(provider: Partial<SuppressionRemoval["provider"]>, changes: Partial<SuppressionRemoval> = {}) {
  return describeRemoval(email, {
    mode: "live",
    removed_at: at,
    removed_by: { kind: "user", name: "ada@fernhill.example" },
    provider: { status: "pending", finished_at: null, next_try_at: null, error: null, ...provider },
    ...changes,
  });
}

test("says who removed the address", () => {
  expect(words({}).title).toMatch(/^gone@whitaker\.example was removed on .+ by ada@fernhill\.example\.$/);
  expect(words({}, { removed_by: { kind: "key", name: "pk_live_3f" } }).title).toMatch(/by the API key pk_live_3f\.$/);
  expect(words({}, { removed_by: { kind: "user", name: null } }).title).not.toContain(" by ");
});

test("says whether SES removed it too, for every answer of SES", () => {
  expect(words({ status: "removed", finished_at: at }).ses).toMatch(/^SES removed it too, at \d\d:05\.$/);
  expect(words({ status: "not_needed" }, { mode: "test" }).ses).toContain("Test mail never reaches SES");
  expect(words({ status: "not_needed" }).ses).toContain("did not report its bounce");
  expect(words({ status: "kept" })).toMatchObject({ kind: "warn", ses: expect.stringContaining("SES still has it") });
  expect(words({ status: "refused" })).toMatchObject({
    kind: "warn",
    ses: expect.stringContaining("did not remove it"),
  });
});

test("while SES has not confirmed, says why and when Postern asks next", () => {
  expect(words({ status: "pending" }).ses).toBe("SES has not confirmed its removal yet. Postern asks SES shortly.");
  expect(words({ status: "pending", error: "throttled", next_try_at: at }).ses).toMatch(
    /not confirmed its removal yet\. SES limits such requests at the moment\. Postern asks SES at \d\d:05\.$/,
  );
  expect(words({ status: "pending", error: "denied" })).toMatchObject({ kind: "warn" });
});
