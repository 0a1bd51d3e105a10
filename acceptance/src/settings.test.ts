import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";

const needed = ["--base-url", "http://localhost:3000", "--admin-email", "ada@example.com"];

test("passwords come from the environment", () => {
  const env = { ACCEPTANCE_PASSWORD: "one", OTHER_PASSWORD: "two" };
  expect(readSettings([...needed, "--other-email", "bob@example.com"], env)).toMatchObject({
    admin: { email: "ada@example.com", password: "one" },
    other: { email: "bob@example.com", password: "two" },
  });
});

test.for([
  ["an address", ["--admin-email", "ada@example.com"], "--base-url must be an address"],
  ["a user", ["--base-url", "http://localhost:3000"], "--admin-email is missing"],
  ["a password", needed, "set ACCEPTANCE_PASSWORD or give --admin-password-file"],
] as const)("without %s it says what to give", ([, args, message]) => {
  expect(() => readSettings([...args], {})).toThrow(message);
});

test("a password in an argument is refused", () => {
  expect(() => readSettings([...needed, "--admin-password", "one"], {})).toThrow("--admin-password");
});
