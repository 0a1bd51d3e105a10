import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { type Deployment, startDeployment } from "../local/deployment.ts";
import { failDomain, verifyDomain } from "../local/prepare-domains.ts";
import { type Mutation, startBreakingProxy } from "./breaking-proxy.ts";
import { casesOfSections0To3 } from "./cases-0-to-3.ts";
import { casesOfSections4To9 } from "./cases-4-to-9.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const timeout = 300_000;
let deployment: Deployment;
/** Concurrent runs use different accounts, so that they do not share send limits. */
let admins: Credentials[];
let other: Credentials;

beforeAll(async () => {
  deployment = await startDeployment(inject("serverUrl"));
  other = await deployment.createAccount("other@example.com");
  admins = [];
  for (let number = 0; number < 6; number++) admins.push(await deployment.createAccount(`admin-${number}@example.com`));
}, timeout);
afterAll(() => deployment?.stop());

describe.concurrent("the acceptance suite", () => {
  test("passes against a correct deployment", { timeout }, async ({ expect }) => {
    const [admin, second] = [
      await deployment.createAccount("green@example.com"),
      await deployment.createAccount("second@example.com"),
    ];
    await verifyDomain(deployment, admin, "mutation-demo.io");
    await failDomain(deployment, admin, "mutation-lost.io");
    const domains = ["--verified-domain", "mutation-demo.io", "--failed-domain", "mutation-lost.io"];
    const options = [...domains, "--simulator-url", deployment.simulatorUrl];
    const { code, failed, output } = await runSuite({}, admin, second, options);
    expect({ code, failed }, output).toEqual({ code: 0, failed: [] });
  });

  const numbered = [...casesOfSections0To3, ...casesOfSections4To9].map((one, number) => ({ ...one, number }));
  test.for(numbered)(
    "fails $broken when $fault",
    { timeout },
    async ({ broken, unaffected, number, ...mutation }, { expect }) => {
      const admin = admins[number % admins.length] ?? other;
      // The run registers subdomains of this domain and sends nothing from it.
      const options = ["--verified-domain", "mutant-demo.io", "--only", [...broken, ...unaffected].join(",")];
      const { code, failed, passed, output } = await runSuite(mutation, admin, other, options);
      expect({ code, failed, passed }, output).toEqual({ code: 1, failed: broken, passed: unaffected.length });
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
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  await proxy.stop();
  return {
    code,
    output: `${output}${errors}`,
    failed: [...output.matchAll(/^✗ (\S+)/gm)].map(([, number]) => number),
    passed: Number(/requirements: (\d+) passed/.exec(output)?.[1] ?? 0),
  };
}
