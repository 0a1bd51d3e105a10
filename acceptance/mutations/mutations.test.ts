import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { type Deployment, startDeployment } from "../local/deployment.ts";
import { failDomain, verifyDomain } from "../local/prepare-domains.ts";
import { once as runOnce } from "../src/until.ts";
import { type Mutation, startBreakingProxy } from "./breaking-proxy.ts";
import { mutationCases } from "./mutation-cases.ts";

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
  // Concurrently with the first tests. A failure is reported by the tests that need the account.
  liveAccount().catch(() => undefined);
}, timeout);
afterAll(() => deployment?.stop());

describe.concurrent("the acceptance suite", () => {
  test("passes against a correct deployment", { timeout }, async ({ expect }) => {
    const second = await deployment.createAccount("second@example.com");
    const { admin, options } = await createLiveAccount("green", "green-gone.io");
    await failDomain(deployment, admin, "lost-demo.io");
    const { code, failed, output } = await runSuite({}, admin, second, [...options, "--failed-domain", "lost-demo.io"]);
    expect({ code, failed }, output).toEqual({ code: 0, failed: [] });
  });

  const numbered = mutationCases.map((one, number) => ({ ...one, number }));
  test.for(numbered)(
    "fails $broken when $fault",
    { timeout },
    async ({ broken, unaffected, isLive, number, ...mutation }, { expect }) => {
      const only = ["--only", [...broken, ...unaffected].join(",")];
      // Without live mail, the run registers subdomains of this domain and sends nothing from it.
      const { admin, options } = isLive
        ? await liveAccount()
        : { admin: admins[number % admins.length] ?? other, options: ["--verified-domain", "mutant-demo.io"] };
      const { code, failed, passed, output } = await runSuite(mutation, admin, other, [...options, ...only]);
      expect({ code, failed, passed }, output).toEqual({ code: 1, failed: broken, passed: unaffected.length });
    },
  );
});

/** For every fault of live mail. None of these runs removes the domain, so one is enough. */
const liveAccount = runOnce(() => createLiveAccount("live", "live-demo.io"));

async function createLiveAccount(name: string, removable: string) {
  const admin = await deployment.createAccount(`${name}@example.com`);
  const verified = `${name}-demo.io`;
  await Promise.all([...new Set([verified, removable])].map((domain) => verifyDomain(deployment, admin, domain)));
  const domains = ["--verified-domain", verified, "--removable-domain", removable];
  return { admin, options: [...domains, "--simulator-url", deployment.simulatorUrl] };
}

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
