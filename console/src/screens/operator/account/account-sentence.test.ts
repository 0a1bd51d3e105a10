import { expect, test } from "vitest";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { accountSentence } from "./account-sentence.ts";

const quiet = {
  name: "Acme",
  suspended: false,
  hold: null,
  guard: { held_at: null, reason: null, state: "good", outcomes: 1500, bounce_rate: 0.012, complaint_rate: 0.0004 },
  live: { quotas: { trial: null } },
} as OperatorAccount;
const at = "2026-11-18T06:00:00.000Z";
const plain = (account: OperatorAccount) => accountSentence(account).replaceAll("\u00a0", " ");

test("the mail of a quiet account goes out, with its rates", () => {
  expect(plain(quiet)).toBe(
    "The mail of Acme goes out. Of 1,500 recipients in seven days 1.2 % bounced permanently and 0.04 % complained.",
  );
});

test("a hold says whose it is and why", () => {
  expect(plain({ ...quiet, hold: { held_at: at, note: "bought lists" } })).toMatch(
    /^An operator holds the mail of Acme \(“bought lists”\)\./,
  );
  const guard = { ...quiet.guard, held_at: at, reason: "Too many bounces." };
  expect(plain({ ...quiet, guard })).toMatch(/^The guard holds the live mail of Acme: Too many bounces\./);
});

test("below 200 outcomes there is no rate", () => {
  const guard = { ...quiet.guard, outcomes: 12, bounce_rate: null, complaint_rate: null };
  expect(plain({ ...quiet, guard })).toContain("12 outcomes in seven days are too few for a rate.");
});
