import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";

const needed = ["--base-url", "http://localhost:3000", "--admin-email", "ada@example.com"];

test("the suite reads passwords from the environment", () => {
  const env = { ACCEPTANCE_PASSWORD: "one", OTHER_PASSWORD: "two" };
  expect(readSettings([...needed, "--other-email", "bob@example.com"], env)).toMatchObject({
    admin: { email: "ada@example.com", password: "one" },
    other: { email: "bob@example.com", password: "two" },
  });
});

test.for([
  ["base URL", ["--admin-email", "ada@example.com"], "--base-url must be a URL"],
  ["user", ["--base-url", "http://localhost:3000"], "--admin-email is missing"],
  ["password", needed, "set ACCEPTANCE_PASSWORD or pass --admin-password-file"],
] as const)("a missing %s is an error that names the option to set", ([, args, message]) => {
  expect(() => readSettings([...args], {})).toThrow(message);
});

test("the suite refuses a password as an argument", () => {
  expect(() => readSettings([...needed, "--admin-password", "one"], {})).toThrow("--admin-password");
});
