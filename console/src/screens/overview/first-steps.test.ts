import { expect, test } from "vitest";
import { findFirstSteps, testMailCommand } from "./first-steps.ts";

type Facts = Parameters<typeof findFirstSteps>[0];
const fresh: Facts = { keys: 0, hasTestMail: false, hasLiveMail: false, domains: [] };
const pending = { domain_id: 7, domain_name: "fernhill.example", verification_status: "Pending" as const };
const done = (facts: Partial<Facts>) => findFirstSteps({ ...fresh, ...facts })?.map(({ isDone }) => isDone);

test("a new account has five steps before it", () => {
  expect(done({})).toEqual([false, false, false, false, false]);
});

test("each step is done by the data of the account", () => {
  expect(done({ keys: 1 })).toEqual([true, false, false, false, false]);
  expect(done({ hasTestMail: true })).toEqual([false, true, false, false, false]);
  expect(done({ domains: [pending] })).toEqual([false, false, true, false, false]);
  expect(done({ domains: [pending, { ...pending, verification_status: "Success" }] })?.[3]).toBe(true);
});

test("the records of the domain that waits are one click away", () => {
  const steps = findFirstSteps({ ...fresh, domains: [pending] });
  expect(steps?.[3]).toMatchObject({ step: { href: "/domains/7" }, text: expect.stringContaining("fernhill.example") });
});

test("live mail ends the first steps, whatever was left out", () => {
  expect(findFirstSteps({ ...fresh, hasLiveMail: true })).toBeUndefined();
});

test("the command is one that a shell runs", () => {
  expect(testMailCommand("https://mail.example")).toMatch(/^curl https:\/\/mail\.example\/api\/v1\/send \\\n/);
});
