import { existsSync, rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installPackage, type Project } from "./install-package.ts";
import { sampleNotifications } from "./sample-notifications.ts";
import { aSecret, aSignedRequest, headersOf } from "./signed-request.ts";
import { tamperedRequests } from "./tampered-requests.ts";

/** Node 24, the Node of the system, and further runtimes: SDK_RUNTIMES="/path/to/bun /path/to/deno". */
const further = (process.env.SDK_RUNTIMES ?? "").split(" ").filter((path) => path !== "");
const runtimes = [process.execPath, "/usr/bin/node", ...further].filter((path) => existsSync(path));

let project: Project;

beforeAll(() => {
  project = installPackage();
  const secret = aSecret();
  const genuine = sampleNotifications.map((notification) => aSignedRequest(secret, JSON.stringify(notification)));
  const requests = [...genuine, ...tamperedRequests(genuine, 100, 1)];
  const cases = requests.map((request) => ({ body: request.body, headers: headersOf(request) }));
  project.write("cases.mjs", `export const secret = "${secret}";\nexport const cases = ${JSON.stringify(cases)};`);
});
afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

test.for(runtimes)("%s verifies webhooks of every type and refuses 100 tampered ones", async (runtime) => {
  project.write("verify.mjs", `import { verifyWebhook } from "@postern/sdk";${verifyCases}`);
  expect(await project.run("verify.mjs", { node: runtime })).toBe("13 verified, 100 refused\n");
});

test("a worker with only Web APIs verifies webhooks of every type and refuses 100 tampered ones", async () => {
  project.write("verify-in-worker.mjs", `${loadInWorker}${verifyCases}`);
  expect(await project.run("verify-in-worker.mjs")).toBe("13 verified, 100 refused\n");
});

test("the compiler knows the data of a notification by its type", () => {
  project.write("types.ts", typeExamples);
  expect(project.typeErrors(["types.ts"])).toBe("");
});

/** The compiler reports an error when an expected error does not occur. */
const typeExamples = `
import { verifyWebhook, type Notification, WebhookVerificationError } from "@postern/sdk";

const notification: Notification = await verifyWebhook("", new Headers(), process.env.SECRET);
await verifyWebhook(new Uint8Array(), { "webhook-id": "id", other: ["a"], none: undefined }, ["whsec_a", undefined]);
// @ts-expect-error: a parsed body
await verifyWebhook({}, new Headers(), "whsec_");
// @ts-expect-error: not every type is about a send
notification.data.send;
switch (notification.type) {
  case "send.bounced":
    notification.data.bounce.suppressed satisfies boolean;
    notification.data.sequence satisfies number | undefined;
    break;
  case "send.sent":
    notification.data.send.status satisfies string;
    // @ts-expect-error: a send has several recipients
    notification.data.recipient;
    break;
  case "domain.verified":
  case "domain.failed":
    notification.data.domain.name satisfies string;
    break;
  // @ts-expect-error: no such type
  case "send.opened":
}
const error: unknown = undefined;
if (error instanceof WebhookVerificationError && error.code === "too_old") throw error;
// @ts-expect-error: no such code
if (error instanceof WebhookVerificationError && error.code === "TOO_OLD") throw error;
`;

const verifyCases = `
import { cases, secret } from "./cases.mjs";
let [verified, refused] = [0, 0];
for (const [index, { body, headers }] of cases.entries()) {
  try {
    const bytes = new TextEncoder().encode(body);
    const { type } = await verifyWebhook(index % 2 === 0 ? body : bytes, headers, secret);
    if (type === JSON.parse(body).type) verified++;
  } catch (error) {
    if (error.name !== "WebhookVerificationError") throw error;
    refused++;
  }
}
console.log(verified + " verified, " + refused + " refused");
`;

/** The context has no require, no process, no Buffer, and its own Uint8Array. */
const loadInWorker = `
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
const code = readFileSync("node_modules/@postern/sdk/dist/postern.cjs", "utf8");
const { crypto, TextEncoder, TextDecoder, atob, btoa } = globalThis;
const context = createContext({ crypto, TextEncoder, TextDecoder, atob, btoa });
const verifyWebhook = runInContext(\`((module) => {
  ((exports, module) => { \${code} })(module.exports, module);
  return module.exports.verifyWebhook;
})({ exports: {} })\`, context);
`;
