import { expect, test } from "vitest";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { accountState, barShare, rateLevel, rateLines } from "./account-look.ts";

const quiet = {
  suspended: false,
  hold: null,
  guard: { held_at: null, state: "good" },
  live: { quotas: { trial: null } },
} as OperatorAccount;
const at = "2026-11-18T06:00:00.000Z";

test.for<[string, Partial<OperatorAccount>]>([
  ["sending", {}],
  ["trial", { live: { quotas: { trial: 20 } } } as OperatorAccount],
  ["warned", { guard: { ...quiet.guard, state: "warning" } }],
  ["held", { guard: { ...quiet.guard, held_at: at } }],
  ["held", { hold: { held_at: at, note: null } }],
  ["suspended", { hold: { held_at: at, note: null }, suspended: true }],
])("the state is %s", ([state, facts]) => {
  expect(accountState({ ...quiet, ...facts })).toBe(state);
});

test("a rate is bad above the pause line, and the bar has the review line in its middle", () => {
  const { bounce } = rateLines;
  expect([0.05, 0.051, 0.1, 0.101].map((rate) => rateLevel(rate, bounce))).toEqual(["good", "warn", "warn", "bad"]);
  expect([0, 0.05, 0.2].map((rate) => barShare(rate, bounce))).toEqual([0, 0.5, 1]);
});
