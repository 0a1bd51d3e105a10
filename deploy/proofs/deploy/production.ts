import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Docker } from "../../engine/docker.ts";
import { type Caller, sendMails, waitForStatus } from "./caller.ts";
import { findConfinementProblems } from "./confinement.ts";
import { expectConsole } from "./console.ts";
import { containersOf, killNode, waitForHealth } from "./containers.ts";
import { expectOneSubmissionEach, verifyDomain } from "./live-mail.ts";
import { expectFailuresWithoutProxy, expectLosslessRestart } from "./lossless-restart.ts";
import { addFeedbackSettings, type Compose, createCompose, createUser, deployFolder } from "./operator.ts";
import { postgresPassword, startPostgres } from "./postgres-container.ts";
import type { Scenario } from "./scenario.ts";
import { longestWaitSeconds, runStep } from "./steps.ts";

const project = "postern";
const services = ["api-1", "api-2", "worker"];
const urls = ["http://127.0.0.1:3000", "http://127.0.0.1:3010"];
const simulatorUrl = "http://127.0.0.1:4579";
/** The address of this machine in the network of compose.production.yaml. */
const machine = "172.30.30.1";

const step: typeof runStep = (what, work) => runStep(`production: ${what}`, work);

/** "In production" and "Upgrades" of deploy/README.md, with the simulator in place of AWS and a PostgreSQL 18 on the same machine. */
export async function runProduction({ docker, folder, mails }: Scenario): Promise<void> {
  const cwd = join(folder, "production");
  cpSync(deployFolder, cwd, { recursive: true });
  const compose = createCompose(docker, cwd, ["compose.production.yaml", "compose.production.simulator.yaml"]);
  const wait = () => waitForHealth(docker, { project, services, health: "healthy" });

  await step("PostgreSQL 18 on this machine, .env, secrets for user 1000", async () => {
    await startPostgres(docker);
    await writeSettings(docker, cwd);
  });
  await step("migrate --create-database, aws setup --dry-run, aws setup", async () => {
    await compose(["run", "--rm", "migrate", "migrate", "--create-database"]);
    await compose(["up", "-d", "--wait", "simulator"]);
    await compose(["run", "--rm", "api-1", "aws", "setup", "--dry-run"]);
    addFeedbackSettings(join(cwd, ".env"), await compose(["run", "--rm", "api-1", "aws", "setup"]));
  });
  await step("up -d: two APIs and two workers are healthy; aws doctor and status find no problem", async () => {
    await compose(["up", "-d"]);
    const states = await wait();
    assert.equal(states.length, 4);
    await compose(["run", "--rm", "api-1", "aws", "doctor"]);
    await compose(["run", "--rm", "api-1", "status"]);
  });
  const { user, test, live } = await step("create-account, log in, set limits", () =>
    createUser((args) => compose(["run", "--rm", "api-1", ...args]), urls),
  );
  await step("a domain is registered, its records published, and a worker verifies it", () =>
    verifyDomain(user, simulatorUrl, "acme.io"),
  );
  const caller = await live();
  await step(`${mails} test mails and ${mails} live mails are delivered, each live mail once`, async () => {
    const ids = await sendMails(test, { ...testMail, count: mails, round: "test" });
    await waitForStatus(test, ids, "delivered");
    await sendLive(caller, "first", mails);
  });
  await step("both APIs serve the console", async () => {
    for (const url of urls) await expectConsole(url);
  });
  await step("two APIs and two workers are read-only, user 1000, without capabilities", async () => {
    for (const { id } of await containersOf(docker, project, ...services))
      assert.deepEqual(await findConfinementProblems(docker, id), []);
  });
  await step("only the APIs and the simulator are published, on loopback", async () => {
    const states = await containersOf(docker, project, ...services, "simulator");
    const bound = states.flatMap(({ ports }) => Object.values(ports).flatMap((bindings) => bindings ?? []));
    const published = bound.map(({ HostIp, HostPort }) => `${HostIp}:${HostPort}`).toSorted();
    assert.deepEqual(published, ["127.0.0.1:3000", "127.0.0.1:3010", "127.0.0.1:4579"]);
  });
  await step("the operations port answers in the network of the composition", () => expectMetrics(compose));
  await step("a worker that gets the signal of its health check stops and starts again", async () => {
    const [worker] = await containersOf(docker, project, "worker");
    const before = worker?.restarts ?? 0;
    await docker(["exec", worker?.id ?? "", "node", "-e", "process.kill(1, 'SIGTERM')"]);
    const states = await waitForRestart(docker, worker?.id ?? "", before);
    assert.equal(states, before + 1);
    await wait();
  });
  await step(
    `kill -9 of both APIs and both workers while ${mails} live mails are sent: each goes out once`,
    async () => {
      await whileSending(caller, "kill -9", mails, async () => {
        for (const { id } of await containersOf(docker, project, ...services)) await killNode(docker, id);
      });
      await wait();
    },
  );
  await step("restart of all services while live mails are sent: each goes out once", async () => {
    await whileSending(caller, "restart", mails, async () => {
      await compose(["restart", "worker"]);
      await compose(["restart", "api-1"]);
      await compose(["restart", "api-2"]);
    });
    await wait();
  });
  await step("both APIs are made anew behind HAProxy: no request of clients that never repeat one fails", () =>
    expectLosslessRestart(compose, test),
  );
  await step("control: without HAProxy some fail", () => expectFailuresWithoutProxy(compose, test));
  for (const [version, what] of [
    ["2", "upgrade to another image"],
    ["1", "back to the previous image"],
  ] as const)
    await step(`${what} by the steps of the guide while live mails are sent: each goes out once`, async () => {
      await whileSending(caller, `version ${version}`, mails, () => changeVersion(compose, cwd, version));
      const [image] = JSON.parse(await docker(["image", "inspect", imageOf(version)]));
      const states = await wait();
      assert.deepEqual([...new Set(states.map((state) => state.image))], [image.Id]);
    });
  await step("control: a worker with a wrong database password never becomes healthy", () =>
    expectUnhealthy(docker, cwd),
  );
  await step("stop: every process exits with 0; down -v", async () => {
    await compose(["stop"]);
    const states = await containersOf(docker, project, ...services);
    assert.deepEqual([...new Set(states.map(({ status, exitCode }) => `${status} ${exitCode}`))], ["exited 0"]);
    await compose(["down", "-v"]);
    await docker(["rm", "--force", "--volumes", "postgres"]);
  });
}

const testMail = { from: "hello@sandbox.test", to: "delivered@sandbox.test" };
const imageOf = (version: string) => `registry.example.com/postern:${version}`;

async function writeSettings(docker: Docker, cwd: string): Promise<void> {
  const image = imageOf("1");
  const settings = { POSTERN_IMAGE: image, PUBLIC_URL: "https://mail.acme.io", AWS_REGION: "eu-central-1" };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(cwd, ".env"), lines.join(""));
  const secrets = await docker(["run", "--rm", image, "admin", "generate-secrets"]);
  execFileSync("sh", ["split-secrets.sh", "secrets"], { cwd, input: secrets, stdio: ["pipe", "ignore", "pipe"] });
  const databaseUrl = `postgres://postern:${postgresPassword}@${machine}:5432/postern\n`;
  writeFileSync(join(cwd, "secrets/DATABASE_URL"), databaseUrl, { mode: 0o600 });
  execFileSync("chown", ["-R", "1000:1000", "secrets"], { cwd });
}

/** Sends live mail and does something meanwhile; afterwards SES has accepted each mail exactly once. */
async function whileSending(caller: Caller, round: string, mails: number, work: () => Promise<void>): Promise<void> {
  // The last mails go out after the work: the sending must outlast it.
  const [ids] = await Promise.all([sendMails(caller, { ...liveMail, count: mails, round, pauseMs: 100 }), work()]);
  await sendLive(caller, `after ${round}`, 5);
  await expectDelivered(caller, ids);
}

const liveMail = { from: "Acme <hello@acme.io>", to: "jane@example.com" };

async function sendLive(caller: Caller, round: string, count: number): Promise<void> {
  await expectDelivered(caller, await sendMails(caller, { ...liveMail, count, round }));
}

/** A mail whose outcome a killed worker did not store waits two minutes for evidence. */
async function expectDelivered(caller: Caller, ids: string[]): Promise<void> {
  await waitForStatus(caller, ids, "delivered");
  await expectOneSubmissionEach(simulatorUrl, ids);
}

async function changeVersion(compose: Compose, cwd: string, version: string): Promise<void> {
  const envFile = join(cwd, ".env");
  const text = readFileSync(envFile, "utf8").replace(/^POSTERN_IMAGE=.*$/m, `POSTERN_IMAGE=${imageOf(version)}`);
  writeFileSync(envFile, text);
  await compose(["run", "--rm", "migrate"]);
  for (const service of ["worker", "api-1", "api-2"]) await compose(["up", "-d", "--wait", service]);
}

async function expectMetrics(compose: Compose): Promise<void> {
  const program = "fetch('http://worker:3001/metrics').then(async (answer) => console.log(await answer.text()))";
  const metrics = await compose(["exec", "-T", "api-1", "node", "-e", program]);
  assert.match(metrics, /^postern_/m);
}

async function waitForRestart(docker: Docker, id: string, before: number): Promise<number> {
  const deadline = performance.now() + longestWaitSeconds * 1000;
  for (;;) {
    const restarts = Number(await docker(["inspect", "--format", "{{.RestartCount}}", id]));
    if (restarts > before || performance.now() > deadline) return restarts;
  }
}

async function expectUnhealthy(docker: Docker, cwd: string): Promise<void> {
  const secret = join(cwd, "secrets", "CONTENT_KEY");
  const settings = ["DATABASE_URL=postgres://postern:wrong@172.30.30.1:5432/postern", "AWS_REGION=eu-central-1"];
  const key = `CONTENT_KEY=${readFileSync(secret, "utf8").trim()}`;
  const env = [...settings, key].flatMap((setting) => ["--env", setting]);
  const check = ["--health-start-period=1s", "--health-interval=2s", "--health-retries=2"];
  const options = ["--network", `${project}_default`, "--restart=always", ...check, ...env];
  const id = (await docker(["run", "-d", ...options, imageOf("1"), "worker"])).trim();
  try {
    const deadline = performance.now() + longestWaitSeconds * 1000;
    while (performance.now() < deadline) {
      const state = (await docker(["inspect", "--format", "{{.State.Health.Status}}", id])).trim();
      assert.notEqual(state, "healthy");
      if (state === "unhealthy") return;
    }
  } finally {
    await docker(["rm", "--force", id]);
  }
}
