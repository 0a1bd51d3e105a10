import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseEnv } from "node:util";
import type { Proof } from "../../scripts/proof.ts";
import { installPackage } from "../../sdk/test/install-package.ts";
import { aDevFolder, startDev, untilNoneIn } from "../test/dev-run.ts";
import { openTerminal, root } from "../test/printed-commands.ts";
import { documentExamples } from "./examples/document-examples.ts";
import type { ExampleContext } from "./examples/example.ts";
import { openapiExamples } from "./examples/openapi-examples.ts";
import { type OwnAccounts, openOwnAccounts } from "./examples/own-accounts.ts";

/** The size is the number of times that every example runs, one round after the other. */
export const proof: Proof = {
  promise: "Every example of OpenAPI, README, SDK and docs runs against `postern dev` and does what it says",
  covers: [
    "README.md",
    ...globSync("docs/*.md", { cwd: root }).filter((file) => file !== "docs/evidence.md"),
    "sdk/README.md",
    "sdk/src",
    "service/openapi.json",
    "service/src/api",
    "service/src/dev",
  ],
  size: { small: 1, full: 3 },
  run: async (size, { progress }) => {
    const folder = aDevFolder();
    const project = installPackage();
    const dev = startDev(folder);
    let accounts: OwnAccounts | undefined;
    try {
      await dev.shows("live mail from");
      const environment = readEnvironment(folder);
      accounts = await openOwnAccounts(folder, environment);
      const terminal = openTerminal(folder, environment);
      const context = { environment, project, terminal, accounts, call: asUser(environment) };
      const examples = [...openapiExamples(), ...documentExamples()];
      const failed: string[] = [];
      for (let round = 1; round <= size; round++) {
        await prepareData(context);
        for (const { name, run } of examples) {
          progress(`round ${round}: ${name}`);
          await run(context).catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
        }
        await openTerminal(root, environment).run("npx postern admin release");
      }
      return {
        figure:
          `${examples.length} examples, ${size} times each: ${failed.length} failed` +
          failed.map((each) => `\n  ${each}`).join(""),
        holds: failed.length === 0 && examples.length > 30,
      };
    } finally {
      await accounts?.close();
      dev.pressCtrlC();
      await dev.exited;
      await untilNoneIn(folder);
      for (const path of [folder, project.folder]) rmSync(path, { recursive: true, force: true });
    }
  },
};

function readEnvironment(folder: string): Record<string, string> {
  const values = parseEnv(readFileSync(join(folder, ".postern/env"), "utf8"));
  return Object.fromEntries(Object.entries(values).map(([name, value = ""]) => [name, value]));
}

function asUser({ POSTERN_URL = "", POSTERN_EMAIL: email, POSTERN_PASSWORD: password }: Record<string, string>) {
  let token = "";
  const request = async (method: string, path: string, body?: unknown) => {
    const ask = () =>
      fetch(`${POSTERN_URL}${path}`, {
        method,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(token !== "" && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    let response = await ask();
    // The examples share an account and its rate limit.
    for (let tries = 0; response.status === 429 && tries < 5; tries++) {
      await sleep(Number(response.headers.get("retry-after") ?? 1) * 1000);
      response = await ask();
    }
    const answer: { access_token?: string } = JSON.parse(await response.text());
    return { status: response.status, body: answer };
  };
  return async (method: string, path: string, body?: unknown) => {
    if (token === "")
      token = (await request("POST", "/api/v1/auth/login", { email, password })).body.access_token ?? "";
    // A test send, because the sender of some examples is the sandbox.
    return request(method, path.startsWith("/api/v1/send") ? `${path}?mode=test` : path, body);
  };
}

/**
 * The README of the SDK shows a live mail to gone@example.com that bounced, and one to jane@example.com that is queued. So the
 * simulated SES lets the first bounce, and the second waits because the operator holds all mail.
 */
async function prepareData({ environment, call, terminal }: ExampleContext): Promise<void> {
  const { POSTERN_URL, POSTERN_LIVE_KEY, POSTERN_MAIL_VIEW } = environment;
  const send = (to: string) =>
    terminal.run(`curl -sSf ${POSTERN_URL}/api/v1/send -H 'X-API-Key: ${POSTERN_LIVE_KEY}' -H 'Content-Type: application/json' \\
      -d '{"from":"hello@acme.io","to":["${to}"],"subject":"Hello","text":"Hello"}'`);
  const rule = { match: { recipient: "gone@example.com" }, outcome: { kind: "bounce" } };
  await terminal.run(`curl -sSf ${POSTERN_MAIL_VIEW}/_simulator/rules -d '${JSON.stringify(rule)}'`);
  await call("DELETE", "/api/v1/suppression/gone%40example.com");
  await send("gone@example.com");
  for (let tries = 0; tries < 100; tries++) {
    if (JSON.stringify(await call("GET", "/api/v1/suppression")).includes("gone@example.com")) break;
    await sleep(100);
  }
  await openTerminal(root, environment).run("npx postern admin hold");
  await send("jane@example.com");
}
