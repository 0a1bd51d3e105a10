import { expect, test } from "vitest";
import { aUser } from "../../test/builders.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { AppError } from "../errors.ts";
import { createFairSlots } from "../fair-slots.ts";
import { logIn } from "./log-in.ts";
import { createLoginSlots } from "./login-slots.ts";

const api = useTestApi();

test("two log-ins run at a time, and an address with many waiting does not keep another out", async () => {
  const slots = createLoginSlots();
  const ended: string[] = [];
  let [running, most] = [0, 0];
  const logInFrom = (address: string) =>
    slots.run(address, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      ended.push(address);
    });
  const flood = Array.from({ length: 10 }, () => logInFrom("10.0.0.1"));
  await Promise.all([...flood, logInFrom("10.0.0.2")]);
  expect(most).toBe(2);
  expect(ended.indexOf("10.0.0.2")).toBeLessThan(5);
});

test("a flood from forty addresses does not keep another out", async () => {
  const slots = createLoginSlots();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const addresses = Array.from({ length: 40 }, (_, index) => `10.0.1.${index}`);
  const flood = addresses.flatMap((address) => Array.from({ length: 18 }, () => slots.run(address, () => over)));
  const settled = Promise.allSettled(flood);
  const other = slots.run("10.0.0.2", async () => "logged in");
  end();
  await expect(other).resolves.toBe("logged in");
  const outcomes = await settled;
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2 + 63);
  expect(outcomes.at(-1)).toMatchObject({ reason: { code: "UNAVAILABLE", retryAfterSeconds: 2 } });
});

test("a log-in without a slot gets 503 and is not counted as a failure, known user or not", async () => {
  const user = await aUser(api.database.db);
  const refuse = () => new AppError("UNAVAILABLE", "full");
  const slots = createFairSlots({ perOwner: 0, total: 0, waitingPerOwner: 0, waitingTotal: 0, maxWaitMs: 1, refuse });
  const deps = { ...api.deps.loginDeps, slots };
  for (const { email, password } of [user, { email: "nobody@example.com", password: "x" }]) {
    const attempt = { email, password, address: "10.9.0.1" };
    await expect(logIn(api.database.db, deps, attempt)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  }
  const counted = await api.database.db.query({ name: "attempts", text: "select from login_attempts" });
  expect(counted).toEqual([]);
});

test("a process whose slots are taken answers a log-in with 503 and Retry-After", async () => {
  const { slots } = api.deps.loginDeps;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const taken = Array.from({ length: 10 }, () => slots.run("127.0.0.1", () => over));
  const response = await api.call({
    method: "POST",
    path: "/api/v1/auth/login",
    body: { email: "nobody@example.com", password: "x" },
  });
  expect(response).toMatchObject({ status: 503, headers: { "retry-after": "2" } });
  end();
  await Promise.all(taken);
});
