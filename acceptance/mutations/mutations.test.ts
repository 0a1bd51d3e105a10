import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { type Deployment, startDeployment } from "../local/deployment.ts";
import { verifyDomain } from "../local/prepare-domains.ts";
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

/** That it passes against a correct deployment is what `npm run acceptance:local` shows. */
describe.concurrent("the acceptance suite", () => {
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
const liveAccount = runOnce(async () => {
  const admin = await deployment.createAccount("live@example.com");
  const domain = "live-demo.io";
  await verifyDomain(deployment, admin, domain);
  const domains = ["--verified-domain", domain, "--removable-domain", domain];
  return { admin, options: [...domains, "--simulator-url", deployment.simulatorUrl] };
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
    // From the first requirement that did not pass: reports of failures show the beginning.
    output: `${output.slice(Math.max(output.search(/^[✗·] /m), 0))}${errors}`,
    failed: [...output.matchAll(/^✗ (\S+)/gm)].map(([, number]) => number),
    passed: Number(/requirements: (\d+) passed/.exec(output)?.[1] ?? 0),
  };
}
