import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { type Deployment, startDeployment } from "../local/deployment.ts";
import { failDomain, verifyDomain } from "../local/prepare-domains.ts";
import { type Mutation, startBreakingProxy } from "./breaking-proxy.ts";
import { cases } from "./mutations.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const timeout = 300_000;
let deployment: Deployment;
/** Accounts for runs that are under way at the same time, so that they do not wait for each other's send limits. */
let admins: Credentials[];
let other: Credentials;

beforeAll(async () => {
  deployment = await startDeployment(inject("serverUrl"));
  other = await deployment.createAccount("other@example.com");
  admins = [];
  for (let number = 0; number < 6; number++) admins.push(await deployment.createAccount(`admin-${number}@example.com`));
}, timeout);
afterAll(() => deployment?.stop());

describe.concurrent("the suite", () => {
  test("is green in front of a deployment that does nothing wrong", { timeout }, async ({ expect }) => {
    const [admin, second] = [
      await deployment.createAccount("green@example.com"),
      await deployment.createAccount("second@example.com"),
    ];
    await verifyDomain(deployment, admin, "mutation-demo.io");
    await failDomain(deployment, admin, "mutation-lost.io");
    const domains = ["--verified-domain", "mutation-demo.io", "--failed-domain", "mutation-lost.io"];
    const options = [...domains, "--simulator-url", deployment.simulatorUrl];
    const { code, failed, said } = await runSuite({}, admin, second, options);
    expect({ code, failed }, said).toEqual({ code: 0, failed: [] });
  });

  const numbered = cases.map((one, number) => ({ ...one, number }));
  test.for(numbered)(
    "turns red and names $broken when $wrong",
    { timeout },
    async ({ broken, holds, number, ...mutation }, { expect }) => {
      const admin = admins[number % admins.length] ?? other;
      // Names below the domain are registered; nothing is sent from it.
      const options = ["--verified-domain", "mutant-demo.io", "--only", [...broken, ...holds].join(",")];
      const { code, failed, passed, said } = await runSuite(mutation, admin, other, options);
      expect({ code, failed, passed }, said).toEqual({ code: 1, failed: broken, passed: holds.length });
    },
  );
});

interface Credentials {
  email: string;
  password: string;
}

async function runSuite(mutation: Mutation, admin: Credentials, second: Credentials, options: string[]) {
  const proxy = await startBreakingProxy(deployment.url, mutation);
  const logins = ["--admin-email", admin.email, "--other-email", second.email];
  const child = spawn(process.execPath, [main, "--base-url", proxy.url, ...logins, ...options], {
    env: { ...process.env, ACCEPTANCE_PASSWORD: admin.password, OTHER_PASSWORD: second.password },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, complaints, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  await proxy.stop();
  return {
    code,
    said: `${said}${complaints}`,
    failed: [...said.matchAll(/^✗ (\S+)/gm)].map(([, number]) => number),
    passed: Number(/sentences: (\d+) passed/.exec(said)?.[1] ?? 0),
  };
}
