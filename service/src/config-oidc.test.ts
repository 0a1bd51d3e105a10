import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { configProblems } from "../test/config-problems.ts";
import { anEnvironment } from "../test/test-config.ts";
import { readConfig, readWorkerConfig } from "./config.ts";

const rule = { claim: "groups", value: "mail", account: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f", role: "developer" };
const complete = {
  PUBLIC_URL: "https://postern.test",
  OIDC_ISSUER: "https://login.example.com",
  OIDC_CLIENT_ID: "postern",
  OIDC_CLIENT_SECRET: "a secret of the issuer",
  OIDC_MAPPING: JSON.stringify([rule]),
};

test("OIDC is off without its settings, and a worker never reads them", () => {
  expect(readConfig(anEnvironment()).oidc).toBeUndefined();
  expect(readConfig(anEnvironment({ OIDC_SCOPES: "openid" })).oidc).toBeUndefined();
  const worker = readWorkerConfig(anEnvironment({ OIDC_ISSUER: "not an address", OIDC_CLIENT_SECRET: "x" }));
  expect(worker).not.toHaveProperty("oidc");
});

test("the client secret does not show when the configuration is printed", () => {
  expect(inspect(readConfig(anEnvironment(complete)), { depth: 9 })).not.toContain("secret of the issuer");
});

test.for(["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_MAPPING"])(
  "%s alone missing is refused",
  (key) => {
    const problems = configProblems({ ...complete, [key]: undefined });
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^${key} is missing: log-in by OIDC needs it beside OIDC_`)),
    ]);
  },
);

test("PUBLIC_URL must be an address for which browsers keep cookies", () => {
  expect(configProblems({ ...complete, PUBLIC_URL: "http://mail.acme.io" })).toEqual([
    expect.stringMatching(/^PUBLIC_URL must be an https address/),
  ]);
  expect(readConfig(anEnvironment({ ...complete, PUBLIC_URL: "http://127.0.0.1:3000" })).oidc).toBeDefined();
});

describe("OIDC_ISSUER", () => {
  const accepted = [
    "https://login.example.com/",
    "https://a.test/realms/b",
    "http://127.0.0.1:9",
    "http://localhost:9/x",
  ];
  test.for(accepted)("accepts %s unchanged", (issuer) => {
    expect(readConfig(anEnvironment({ ...complete, OIDC_ISSUER: issuer })).oidc?.issuer).toBe(issuer);
  });

  const refused = [
    "http://login.example.com",
    "login.example.com",
    "https://login.example.com?x=1",
    "https://login.example.com#x",
    "https://user:word@login.example.com",
    "https://login.example.com/.well-known/openid-configuration",
    "file:///etc/passwd",
  ];
  test.for(refused)("refuses %s", (issuer) => {
    expect(configProblems({ ...complete, OIDC_ISSUER: issuer })).toEqual([
      expect.stringMatching(/^OIDC_ISSUER must be/),
    ]);
  });
});

describe("OIDC_MAPPING", () => {
  const refused = [
    ["text that is no JSON", "groups=mail", "must be a JSON list"],
    ["no list", JSON.stringify(rule), "must be a JSON list"],
    ["an empty list", "[]", "must be a JSON list"],
    [
      "the role owner",
      JSON.stringify([rule, { ...rule, role: "owner" }]),
      "has a mistake in rule 2: role must be viewer",
    ],
    [
      "the role operator",
      JSON.stringify([{ ...rule, role: "operator" }]),
      "has a mistake in rule 1: role must be viewer",
    ],
    ["a name in place of an id", JSON.stringify([{ ...rule, account: "Acme" }]), "rule 1: account must be the id"],
    ["a rule without value", JSON.stringify([{ ...rule, value: undefined }]), "rule 1: it needs exactly claim"],
    ["an unknown field", JSON.stringify([{ ...rule, operator: true }]), "rule 1: it needs exactly claim"],
    [
      "a claim of the person's choice",
      JSON.stringify([{ ...rule, claim: "nickname" }]),
      "people can change their nickname",
    ],
  ] as const;
  test.for(refused)("refuses %s", ([, mapping, problem]) => {
    expect(configProblems({ ...complete, OIDC_MAPPING: mapping })).toEqual([expect.stringContaining(problem)]);
  });
});

test.for(["email", "openid  email", "openid\nemail", 'openid "'])("OIDC_SCOPES refuses %j", (scopes) => {
  expect(configProblems({ ...complete, OIDC_SCOPES: scopes })).toEqual([expect.stringMatching(/^OIDC_SCOPES must be/)]);
});
