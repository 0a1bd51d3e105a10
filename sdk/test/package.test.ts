import { existsSync, globSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anAccount, anApiKey, aUser } from "../../service/test/builders.ts";
import { openDomainFixture } from "../../service/test/domain-fixture.ts";
import { anEvent } from "../../service/test/event-builders.ts";
import { aQueuedSend, aSuppression, aVerifiedDomain } from "../../service/test/send-builders.ts";
import { useSesSimulator } from "../../service/test/use-ses-simulator.ts";
import { useTestApi } from "../../service/test/use-test-api.ts";
import { installPackage, installWithNpm, type Project } from "./install-package.ts";
import { programsOf } from "./readme-programs.ts";
import { accepted, cutConnection, startScriptedServer } from "./scripted-server.ts";

const sources = new URL("../src/", import.meta.url).pathname;
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const debianNode = "/usr/bin/node";
let project: Project;

beforeAll(() => {
  project = installPackage();
});
afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

describe("the sources", () => {
  test("import only each other: no dependency, no Node module, nothing from the service", () => {
    const files = globSync("**/*.ts", { cwd: sources }).filter((file) => !file.endsWith(".test.ts"));
    const imported = files.flatMap((file) =>
      [...readFileSync(join(sources, file), "utf8").matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"|\brequire\(/g)].map(
        ([text, from, dynamic]) => from ?? dynamic ?? text,
      ),
    );
    expect(imported.length).toBeGreaterThan(files.length);
    expect(imported.filter((name) => !/^\.\/[\w-]+\.ts$/.test(name))).toEqual([]);
  });
});

describe("the built package", () => {
  const sendMail = `
    const postern = new Postern({ baseUrl: process.env.POSTERN_URL, apiKey: "postern_live_x", maxWaitSeconds: 0 });
    const mail = { from: "a@b.test", to: ["c@d.test"], subject: "s", text: "t" };
    postern.send(mail).then(({ data, error }) => console.log(data?.status, error));`;

  test("is smaller than 36 kB in each module format", () => {
    for (const file of ["postern.js", "postern.cjs"]) {
      expect(statSync(join(project.packageFolder, "dist", file)).size).toBeLessThan(36_000);
    }
  });

  const nodes = [process.execPath, ...(existsSync(debianNode) ? [debianNode] : [])];
  const formats = [
    ["module.mjs", `import { Postern } from "@postern/sdk";${sendMail}`],
    ["script.cjs", `const { Postern } = require("@postern/sdk");${sendMail}`],
  ] as const;

  test.for(nodes.flatMap((node) => formats.map(([file, text]) => [node, file, text] as const)))(
    "%s runs %s, which retries after a lost connection",
    async ([node, file, text]) => {
      const { url, requests } = await startScriptedServer(cutConnection, accepted);
      project.write(file, text);
      expect(await project.run(file, { node, env: { POSTERN_URL: url } })).toBe("queued null\n");
      expect(requests[0]?.body).toEqual(requests[1]?.body);
    },
  );

  test.for(["folder", "archive"] as const)("npm installs it from the %s", { timeout: 60_000 }, async (from) => {
    const { url } = await startScriptedServer(accepted);
    const installed = installWithNpm(from);
    try {
      installed.write("module.mjs", `import { Postern } from "@postern/sdk";${sendMail}`);
      expect(await installed.run("module.mjs", { env: { POSTERN_URL: url } })).toBe("queued null\n");
    } finally {
      rmSync(installed.folder, { recursive: true, force: true });
    }
  });

  test("runs with only the globals that all runtimes provide", async () => {
    project.write("bare.mjs", bareRuntime);
    expect(await project.run("bare.mjs")).toBe("queued\n");
  });
});

describe("the README", () => {
  const simulator = useSesSimulator();
  const api = useTestApi();
  const programs = programsOf(readme);
  let email: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    const { db, url } = api.database;
    const domainFixture = await openDomainFixture(db, url, simulator.simulator);
    api.deps.domainDeps = domainFixture;
    const accountId = await anAccount(db, { name: "Acme" });
    const user = await aUser(db, { accountId });
    await aVerifiedDomain(db, accountId, "acme.io");
    await aSuppression(db, { accountId, email: "gone@example.com" });
    await anEvent(db, { accountId, type: "Bounce", bounceType: "Permanent", recipient: "gone@example.com" });
    await aQueuedSend(db, { accountId, to: ["jane@example.com"] });
    const { key } = await anApiKey(db, api.deps.apiKeyIssuer, accountId, { scopes: ["send", "read"] });
    const address = await api.app.listen({ port: 0, host: "127.0.0.1" });
    email = user.email;
    env = { POSTERN_URL: address, POSTERN_API_KEY: key, POSTERN_PASSWORD: user.password };
    return () => domainFixture.locks.close();
  });

  test("the compiler accepts the examples of the README and refuses calls that do not match the types", () => {
    const files = programs.map(({ text }, index) => ({ file: `example-${index}.ts`, text: `${text}\nexport {};` }));
    const all = [...files, { file: "types.ts", text: typeExamples }];
    for (const { file, text } of all) project.write(file, text);
    expect(files.length).toBeGreaterThan(5);
    expect(project.typeErrors(all.map(({ file }) => file))).toBe("");
  });

  test.for(programs)("$name", async ({ text, prints }) => {
    project.write("example.ts", text.replaceAll("ada@example.com", email));
    const lines = (await project.run("example.ts", { env })).trim().split("\n");
    for (const expected of prints) expect(lines).toContainEqual(expect.stringMatching(expected));
  });
});

/** A context with only these globals. The program fails when the package needs another one. */
const bareRuntime = `
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
const code = readFileSync("node_modules/@postern/sdk/dist/postern.cjs", "utf8");
const respond = async () => new Response('{"status":"queued"}', { status: 202 });
const { setTimeout, clearTimeout, AbortController, Headers, URL, URLSearchParams, crypto, console } = globalThis;
const bare = { setTimeout, clearTimeout, AbortController, Headers, URL, URLSearchParams, crypto, console, fetch: respond };
const exports = {};
runInContext(\`(function (exports, module) { \${code}
  const postern = new module.exports.Postern({ baseUrl: "https://mail.example.com", apiKey: "k" });
  return postern.send({ from: "a@b.test", to: ["c@d.test"], subject: "s", text: "t" })
    .then(({ data, error }) => console.log(error ?? data.status));
})\`, createContext(bare))(exports, { exports });
`;

/** The compiler reports an error when an expected error does not occur. */
const typeExamples = `
import { type Event, Postern, type Result, type SendRecord } from "@postern/sdk";

const postern = new Postern({ baseUrl: "https://mail.example.com", apiKey: process.env.KEY });
const mail = { from: "a@b.test", to: ["c@d.test"], subject: "s" };
await postern.send({ ...mail, text: "t", cc: undefined, idempotency_key: undefined });
// @ts-expect-error: neither html nor text
await postern.send(mail);
// @ts-expect-error: the API says reply_to
await postern.send({ ...mail, text: "t", replyTo: "a@b.test" });

const result: Result<SendRecord> = await postern.sends.status("id");
// @ts-expect-error: the call may have failed
result.data.status;
if (result.error === null) result.data.status satisfies string;
else if (result.error.code === "CONFLICT") result.error.requestId satisfies string;
// @ts-expect-error: no such code
else if (result.error.code === "CONFLICTS") throw result.error;

const { id } = await postern.send({ ...mail, html: "<p>t</p>" }).orThrow();
id satisfies string;
// @ts-expect-error: no such type of event
postern.events.each({ type: "Delivered" });
for await (const event of postern.events.each({ type: "Bounce" })) event satisfies Event;
await postern.domains.get((await postern.domains.list().orThrow())[0]?.domain_id ?? 1);
`;
